"""Captures that change or disappear under a run: told, and all others complete."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from pyarrow import parquet

from soak.captures import write_talk
from soak.processes import PATIENCE_SECONDS, mqtrail, run
from soak.report import Broken
from soak.tables import counted, different, rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from soak.processes import Program
    from soak.report import Report
    from soak.tables import Row

MOMENTS = (
    ("starting", "after the files were looked at, before they are read"),
    ("scanning", "while hashes are computed and the scan begins"),
    ("putting", "after the scan, before the second look"),
)
TOLD = ("changed-while-read", "not-readable", "record-cut")
SIZE = 2_000_000


def _truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(SIZE // 3)


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(path.read_bytes()[24:200_024])


def _replace(path: Path) -> None:
    other = path.with_suffix(".new")
    write_talk(other, 40, SIZE, 5_000)
    other.replace(path)


def _finish(path: Path) -> None:
    """What a capture does that is still written: its last record was cut when the run began."""
    with path.open("ab") as file:
        file.write(bytes(100_000))


def _delete(path: Path) -> None:
    path.unlink()


CHANGES: dict[str, Callable[[Path], None]] = {
    "truncated": _truncate,
    "appended": _append,
    "replaced": _replace,
    "finished": _finish,
    "deleted": _delete,
}


def changing(place: Path, report: Report) -> None:
    source = place / "source"
    source.mkdir()
    for number, name in enumerate(("good1", "good2", *CHANGES)):
        write_talk(source / f"{name}.pcap", number + 1, SIZE, 20_000)
    with (source / "finished.pcap").open("r+b") as file:
        file.truncate(SIZE // 2)
    good = [str(source / "good1.pcap"), str(source / "good2.pcap")]
    run(place / "logs", "analyze", *good, "--out", str(place / "calm"), "--no-check")
    calm = rows(place / "calm")
    report.say(f"{len(good)} captures that stay as they are: {counted(calm)}; {len(CHANGES)} more that do not")
    uids, ids = _of_the_good(place / "calm")

    def theirs(_table: str, row: Row) -> bool:
        return row["uid"] in uids if row.get("uid") else row.get("capture_id") in ids

    expected = rows(place / "calm", theirs)
    for step, when in MOMENTS:
        here, steps = place / step, place / step / "steps"
        shutil.copytree(source, here)
        steps.mkdir()
        # Rows name the path of their capture: that of the good ones is to be the same in all runs.
        changed = [here / f"{name}.pcap" for name in CHANGES]
        out = here / "out"
        with mqtrail(place / "logs", "analyze", *good, *map(str, changed), "--out", str(out), steps=steps) as program:
            _reach(program, steps, step)
            for path, change in zip(changed, CHANGES.values(), strict=True):
                change(path)
            for one, _ in MOMENTS:
                (steps / f"go-{one}").touch()
            for one in ("judging", "writing", "checking"):
                (steps / f"go-{one}").touch()
            code, said = program.wait(), program.said
        report.say(f"{', '.join(CHANGES)}, {when}: exit {code}")
        report.promise("exit 13", kept=code == 13)
        if not (out / "run.json").exists():
            report.say(said)
            continue
        issues = [row for row in _rows(out, "issues") if row["path"] in map(str, changed)]
        for path in changed:
            codes = sorted({row["code"] for row in issues if row["path"] == str(path)})
            report.promise(f"{path.stem}: told as {', '.join(codes) or 'nothing'}", kept=bool({*codes} & {*TOLD}))
        wrong = different(rows(out, theirs), expected)
        report.promise(f"the good ones are complete{': not ' + ', '.join(wrong) if wrong else ''}", kept=not wrong)
        last = next((line for line in said.splitlines() if "expectations" in line), said)
        report.promise(f"the accounting adds up, the tables hold: {last}", kept=" 0 not" in last)


def _reach(program: Program, steps: Path, step: str) -> None:
    """Let the run go on up to the step, where it waits."""
    order = [name for name, _ in MOMENTS]
    for name in order[: order.index(step)]:
        (steps / f"go-{name}").touch()
    while not (steps / f"at-{step}").exists():
        if not program.running or program.seconds > PATIENCE_SECONDS:
            raise Broken(f"the run never came to {step}\n{program.said}")
        time.sleep(0.01)


def _of_the_good(out: Path) -> tuple[set[str], set[str]]:
    return {row["uid"] for row in _rows(out, "flows")}, {row["capture_id"] for row in _rows(out, "captures")}


def _rows(out: Path, table: str) -> list[Row]:
    found: list[Row] = parquet.read_table(out / "tables" / table).to_pylist()
    return found
