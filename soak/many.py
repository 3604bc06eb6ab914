"""Ten thousand small captures: few tasks, and a driver that does not grow with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soak.captures import FIRST_SECOND, write_talk
from soak.peaks import Peaks
from soak.processes import mqtrail
from soak.report import megabytes
from soak.stages import Interface, event_log
from soak.tables import counted, rows

if TYPE_CHECKING:
    from pathlib import Path

    from soak.report import Report

FILES = 10_000
MOST_TASKS = 1_000
HEAP = "1g"
MOST_BYTES = 1_000_000_000
"""Of the driver's Python, a tenth of a megabyte a file: most of it are the 48 rows of `accounting` that each has."""
PATIENCE_SECONDS = 1_200


def many(place: Path, report: Report) -> None:
    captures = place / "captures"
    captures.mkdir()
    for number in range(FILES):
        write_talk(captures / f"{number:05d}.pcap", number, 1, 200, FIRST_SECOND + number)
    size = sum(path.stat().st_size for path in captures.iterdir())
    report.say(f"{FILES:,} captures of one conversation each, {size:,} bytes")
    spark = Interface(place / "events")
    out = place / "out"
    options = ["--out", str(out), "--no-check", "--spark-conf", f"spark.driver.memory={HEAP}", *spark.options]
    with (
        mqtrail(place / "logs", "analyze", str(captures), *options, quick=False) as program,
        Peaks(program.pid) as peaks,
    ):
        code = program.wait(PATIENCE_SECONDS)
        seconds, said = program.seconds, program.said
    report.promise(f"the run ends well (exit {code})", kept=code == 0)
    if code:
        report.say(said)
        return
    told = event_log(place / "events")
    report.say(f"{seconds:.0f} s, {counted(rows(out))}; {told.done}")
    report.say("peak memory: " + ", ".join(f"{kind} {megabytes(n)}" for kind, n in sorted(peaks.resident.items())))
    report.promise(f"no task per file (at most {MOST_TASKS:,})", kept=told.tasks <= MOST_TASKS)
    report.promise(
        f"Java makes do with a heap of {HEAP}, the driver's Python with {megabytes(MOST_BYTES)}",
        kept=peaks.resident["driver"] < MOST_BYTES,
    )
