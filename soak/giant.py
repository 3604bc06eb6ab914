"""One conversation that is larger than any memory: it passes through a worker limited to one gigabyte."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from soak.captures import write_talk
from soak.peaks import Peaks
from soak.processes import mqtrail
from soak.report import Skipped, megabytes
from soak.stages import Interface, event_log

if TYPE_CHECKING:
    from pathlib import Path

    from soak.report import Report

GIANT_BYTES = 5_000_000_000
LIMIT = "1g"
LIMIT_BYTES = 1 << 30
ROOM = 4
"""Times its size: the capture, what Spark sorts, and what it keeps of it meanwhile."""
PATIENCE_SECONDS = 7_200


def giant(place: Path, report: Report, size: int = GIANT_BYTES) -> None:
    free = shutil.disk_usage(place).free
    if free < ROOM * size:
        raise Skipped(f"{place} has {megabytes(free)} free, and {megabytes(ROOM * size)} are needed")
    capture, out = place / "giant.pcap", place / "out"
    calls = write_talk(capture, 1, size)
    report.say(f"one conversation in a capture of {capture.stat().st_size:,} bytes, {calls:,} calls")
    spark = Interface(place / "events")
    settings = {"spark.driver.memory": LIMIT, "spark.executor.pyspark.memory": LIMIT, "spark.local.dir": str(place)}
    options = [word for key, value in settings.items() for word in ("--spark-conf", f"{key}={value}")]
    with (
        mqtrail(
            place / "logs",
            "analyze",
            str(capture),
            "--out",
            str(out),
            "--no-check",
            "--verbose",
            *options,
            *spark.options,
            quick=False,
        ) as program,
        Peaks(program.pid) as peaks,
    ):
        code = program.wait(PATIENCE_SECONDS)
        seconds, said = program.seconds, program.said
    report.say(f"Java's heap and the address space of each worker limited to {LIMIT}; {seconds:.0f} s")
    report.say("peak memory: " + ", ".join(f"{kind} {megabytes(n)}" for kind, n in sorted(peaks.resident.items())))
    space = peaks.address_space.get("worker", 0)
    report.say(f"the largest address space of a worker: {megabytes(space)}")
    told = event_log(place / "events")
    report.say(f"{told.done}, {sum(told.failed.values())} attempts failed")
    report.promise(f"the run ends well (exit {code})", kept=code == 0)
    for line in said.splitlines()[-30:]:
        report.say(f"  {line}")
    if code:
        return
    report.promise("no worker held more than the limit", kept=peaks.resident["worker"] <= LIMIT_BYTES)
    found = {line.split()[0]: int(line.split()[1]) for line in said.splitlines() if " rows  " in line}
    report.promise(f"all {calls:,} calls are told", kept=found.get("calls") == calls)
