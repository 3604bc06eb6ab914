"""The driver killed at ten points: the dataset stays whole, and the next run completes."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING

from soak.captures import write_talk
from soak.processes import PATIENCE_SECONDS, mqtrail, processes, run
from soak.report import Broken
from soak.tables import counted, different, rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from soak.processes import Program
    from soak.report import Report

SHARES = (0.15, 0.35, 0.55, 0.75)
"""Of the time that the run takes undisturbed."""
SIGHTS = (
    ("its folder is there", "."),
    ("the first table is there", "tables"),
    ("state is there", "state"),
    ("the tables are checked", "quality.json"),
    ("the manifest is there", "run.json"),
)
"""What to wait for in the folder of the run, and kill as soon as it is seen."""


def driver(place: Path, report: Report) -> None:
    first, second = place / "first.pcap", place / "second.pcap"
    write_talk(first, 1, 2_000_000, 20_000)
    write_talk(second, 2, 2_000_000, 20_000)
    base, data = place / "base" / "data", place / "data"
    run(place / "logs", "analyze", str(first), "--dataset", str(base), "--no-check")
    before = (base / "run.json").read_bytes()
    shutil.copytree(base, data)
    began = time.monotonic()
    run(place / "logs", "analyze", str(second), "--dataset", str(data))
    took, calm = time.monotonic() - began, rows(data)
    report.say(f"a dataset with one capture; adding the second takes {took:.0f} s and gives {counted(calm)}")

    def after(seconds: float) -> Callable[[Program], bool]:
        return lambda program: program.seconds >= seconds

    def seen(what: str) -> Callable[[Program], bool]:
        return lambda _: any(data.parent.glob(f".data.partial-*/{what}"))

    def exchanged(_: Program) -> bool:
        return (data / "run.json").read_bytes() != before

    points = [(f"after {share * took:.0f} s", after(share * took)) for share in SHARES]
    points += [(what, seen(name)) for what, name in SIGHTS]
    points += [("the new folder is in its place", exchanged)]
    for what, reached in points:
        shutil.rmtree(data)
        shutil.copytree(base, data)
        _killed(place, str(second), what, reached, (before, calm), report)


def _killed(
    place: Path,
    capture: str,
    what: str,
    reached: Callable[[Program], bool],
    known: tuple[bytes, dict[str, list[str]]],
    report: Report,
) -> None:
    data, (before, calm) = place / "data", known
    with mqtrail(place / "logs", "analyze", capture, "--dataset", str(data)) as program:
        while not reached(program) and program.running:
            if program.seconds > PATIENCE_SECONDS:
                raise Broken(f"never came to: {what}\n{program.said}")
            time.sleep(0.0005)
        if not program.running:
            what += " (too late: the run was done)"
        program.kill()
        seconds = program.seconds
        while any(one.session == program.pid and one.state != "Z" for one in processes()):
            if program.seconds > seconds + 30:
                raise Broken(f"{what}: workers outlive the driver")
            time.sleep(0.05)
        alone = program.seconds - seconds
    left = _left(data)
    verified = run(place / "logs", "verify", str(data)).splitlines()[0]
    number = json.loads((data / "run.json").read_bytes())["run"]
    as_before = (data / "run.json").read_bytes() == before
    report.say(
        f"{what}: killed after {seconds:.1f} s, its workers ended {alone:.1f} s later; the dataset is that of run "
        f"{number}, {verified}; left behind: {', '.join(left) or 'nothing'}"
    )
    whole = as_before or not different(rows(data), calm)
    report.promise("the dataset is as before, or as after: whole", kept=whole)
    run(place / "logs", "analyze", capture, "--dataset", str(data), "--no-check")
    wrong, left = different(rows(data), calm), _left(data)
    verified = run(place / "logs", "verify", str(data)).splitlines()[0]
    report.promise(f"the next run gives the tables of a run undisturbed ({verified})", kept=not wrong)
    report.promise("and leaves nothing beside the dataset", kept=left == [])


def _left(data: Path) -> list[str]:
    return sorted(one.name for one in data.parent.iterdir() if one.name.startswith(".data."))
