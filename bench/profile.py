"""A whole run by stage: steps of the driver, Spark's jobs, functions in Python workers; and flame graphs of both."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.profiling import events, flame, sampler, stacks, tables
from bench.profiling.driver import STEPS
from bench.realistic.recipes import DATA, capture
from bench.report import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUT: Final = Path("out") / "profile"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description=__doc__)
    parser.add_argument("capture", nargs="?", type=Path, help="default: 100 MB of MSMQ's RPC, made here")
    parser.add_argument("--out", type=Path, default=_OUT, help="for flame graphs and stacks (%(default)s)")
    parser.add_argument("--master", default="local[*]", help="of this machine (%(default)s)")
    parser.add_argument("--top", type=int, default=25, help="functions in each table (%(default)s)")
    options = parser.parse_args(arguments)
    path = options.capture or capture("rpc", "100MB", DATA)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mqtrail-profile-") as scratch:
        folder = Path(scratch)
        code = _run(path, folder, options.master)
        if code:
            return code
        print(machine(), f"{path}: {path.stat().st_size / 1e6:,.1f} MB", sep="\n")
        for paragraph in _told(folder, options.out, options.top):
            print("", paragraph, sep="\n")
    return 0


def _run(path: Path, folder: Path, master: str) -> int:
    for name in ("site", "log", "samples"):
        (folder / name).mkdir()
    (folder / "site" / "sitecustomize.py").write_text(sampler.site(str(folder / "samples")))
    settings = {
        **events.SETTINGS,
        "spark.eventLog.dir": (folder / "log").as_uri(),
        "spark.executorEnv.PYTHONPATH": str(folder / "site"),
    }
    chosen = [part for key, value in settings.items() for part in ("--spark-conf", f"{key}={value}")]
    asked = ["analyze", str(path), "--out", str(folder / "out"), "--force", "--master", master, *chosen]
    command = [sys.executable, "-m", "bench.profiling.driver", str(folder / "samples"), *asked]
    return subprocess.run(command, check=False, env=os.environ).returncode


def _told(folder: Path, out: Path, top: int) -> list[str]:
    noted = [
        (float(at), what)
        for at, _, what in (line.partition(" ") for line in (folder / "samples" / STEPS).read_text().splitlines())
    ]
    jobs = events.jobs(folder / "log")
    found = stacks.samples(folder / "samples")
    starting = sum(one.seconds for one in found if one.role == "daemon")
    paragraphs = [
        tables.steps(noted),
        tables.spark(attributed(jobs, found)),
        f"CPU time of the process that forks workers: {starting:.1f} s",
    ]
    for role, what in (("worker", "CPU time in Python workers"), ("driver", "time of the driver by the clock")):
        together = stacks.collapsed(one for one in found if one.role == role)
        (out / f"{role}.svg").write_text(flame.flame(together, what))
        (out / f"{role}.collapsed").write_text(stacks.written(together))
        spent = stacks.spent(together)
        paragraphs.append(f"{what}: {sum(together.values()):,.1f} s; {out / role}.svg")
        paragraphs.append(tables.functions(spent, "self_seconds", top))
        paragraphs.append(tables.functions(spent, "total_seconds", top))
    return paragraphs


def attributed(jobs: list[events.SparkJob], found: Sequence[stacks.Sample]) -> list[events.SparkJob]:
    """With the time that workers had while a job ran: one runs at a time."""
    for one in found:
        job = next((job for job in jobs if one.role == "worker" and job.began <= one.at <= job.ended), None)
        if job is not None:
            job.python_seconds += one.seconds
    return jobs


if __name__ == "__main__":
    sys.exit(main())
