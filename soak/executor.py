"""An executor of a standalone cluster killed in the middle: its tasks go to the other one, and to its successor."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from soak.captures import write_talk
from soak.processes import below, command_line, mqtrail, python_workers, run
from soak.stages import Interface, event_log
from soak.tables import counted, different, rows
from soak.workers import NOT_IDLE
from tests.cluster.standalone import WORKERS, cluster

if TYPE_CHECKING:
    from pathlib import Path

    from soak.report import Report

AT_STAGE = 3
"""By then conversations are decoded, and half of the segments are in the executor that dies."""

PATIENCE_SECONDS = 1_200
"""Workers of a cluster that are not used again import everything anew for each task."""


def executor(place: Path, report: Report) -> None:
    captures = [place / f"{number}.pcap" for number in range(8)]
    for number, path in enumerate(captures):
        write_talk(path, number, 1_500_000, 20_000)
    paths = [str(path) for path in captures]
    run(place / "logs", "analyze", *paths, "--out", str(place / "calm"), "--no-check")
    calm = rows(place / "calm")
    report.say(f"{len(paths)} captures on this machine, undisturbed: {counted(calm)}")
    killed: list[int] = []
    spark = Interface(place / "events")
    with cluster(place / "cluster") as master:
        options = ["--out", str(place / "out"), "--no-check", "--master", master, *spark.options, *NOT_IDLE]
        with mqtrail(place / "logs", "analyze", *paths, *options) as program:

            def kill_one() -> None:
                if killed or max(spark.active(), default=0) < AT_STAGE:
                    return
                for pid in sorted(below(os.getpid())):
                    if "CoarseGrainedExecutorBackend" in command_line(pid) and python_workers(pid):
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)
                        return

            code = program.wait(PATIENCE_SECONDS, kill_one)
            said = program.said
    told = event_log(place / "events")
    report.say(
        f"a cluster of {WORKERS} executors: {len(killed)} killed with its Python at work; {told.tasks} tasks, "
        f"{sum(told.failed.values())} attempts lost, in stages {told.named(told.failed)}"
    )
    report.promise("an executor was killed while it worked", kept=bool(killed and told.failed))
    report.promise(f"the run ends well (exit {code})", kept=code == 0)
    if code:
        report.say(said)
        return
    wrong = different(rows(place / "out"), calm)
    report.promise(f"with the same tables{': not ' + ', '.join(wrong) if wrong else ''}", kept=not wrong)
    said = run(place / "logs", "verify", str(place / "out")).splitlines()[0]
    report.promise(f"and no file that the manifest does not name ({said})", kept=said.startswith("verified"))
