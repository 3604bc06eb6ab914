"""Workers killed in every stage: the run ends with the same tables."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

from soak.captures import write_talk
from soak.processes import mqtrail, python_workers, run
from soak.stages import Interface, event_log
from soak.tables import counted, different, rows

if TYPE_CHECKING:
    from pathlib import Path

    from soak.report import Report

NOT_IDLE = ("--spark-conf", "spark.python.worker.reuse=false")
"""A worker that is there is at work."""
RUNS = 2
"""A stage that is over before anybody looks may be met in the next one."""


def workers(place: Path, report: Report) -> None:
    captures = [place / f"{number}.pcap" for number in range(8)]
    for number, path in enumerate(captures):
        write_talk(path, number, 1_500_000, 20_000)
    paths = [str(path) for path in captures]
    report.say(f"{len(paths)} captures, {sum(path.stat().st_size for path in captures):,} bytes; a run undisturbed")
    run(place / "logs", "analyze", *paths, "--out", str(place / "calm"), "--no-check")
    calm = rows(place / "calm")
    report.say(f"gives {counted(calm)}")
    for number in range(RUNS):
        _disturbed(place, paths, number, calm, report)


def _disturbed(place: Path, paths: list[str], number: int, calm: dict[str, list[str]], report: Report) -> None:
    out, events = place / f"out{number}", place / f"events{number}"
    spark = Interface(events)
    met: set[int] = set()
    killed = 0
    options = ["--out", str(out), "--no-check", *spark.options, *NOT_IDLE]
    with mqtrail(place / "logs", "analyze", *paths, *options) as program:

        def kill_one() -> None:
            nonlocal killed
            if not (new := set(spark.active()) - met) or not (found := python_workers(program.pid)):
                return
            # The stage that began last is the one whose worker was forked last.
            with contextlib.suppress(ProcessLookupError):
                os.kill(found[-1], signal.SIGKILL)
                met.add(max(new))
                killed += 1

        code = program.wait(meanwhile=kill_one)
        said = program.said
    told = event_log(events)
    report.say(f"run {number + 1}: {killed} workers killed, {len(told.with_python)} stages had Python at work")
    report.say(f"  attempts failed in {len(told.failed)} stages: {told.named(told.failed)}")
    report.say(f"  too quick to be met: {told.named(told.with_python - set(told.failed))}")
    report.promise(f"run {number + 1} ends well (exit {code})", kept=code == 0)
    if code:
        report.say(said)
        return
    wrong = different(rows(out), calm)
    report.promise(f"with the same tables{': not ' + ', '.join(wrong) if wrong else ''}", kept=not wrong)
    said = run(place / "logs", "verify", str(out)).splitlines()[0]
    report.promise(f"and no file that the manifest does not name ({said})", kept=said.startswith("verified"))
