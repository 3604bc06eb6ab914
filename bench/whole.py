"""Whole runs, as a user makes them, beside what they are held against: `python -m bench.whole`.

Each program is a process of its own, begun and waited for; rivals take turns, so that a busy machine is busy for both.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.captures import DATA, capture
from bench.report import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

MIXED_PACKETS: Final = 600_000
"""About 256 MB."""
SAMPLE: Final = Path(__file__).parents[1] / "samples" / "msmq-loopback.pcap"
_MQTRAIL: Final = str(Path(sys.executable).parent / "mqtrail")
_BARE: Final = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.range(0, 100, 1, 2).mapInArrow(lambda batches: batches, "id long").collect()
assert len(rows) == 100
"""


@dataclass(frozen=True, slots=True)
class Race:
    name: str
    rival: str
    most: float
    """What our time may be, in times of the rival's."""

    def verdict(self, ours: float, theirs: float) -> str:
        met = "met" if ours <= theirs * self.most else "missed"
        return f"{ours / theirs:5.2f} times {self.rival} (target: at most {self.most:g}): {met}"


SAMPLE_RACE: Final = Race("sample", "a bare Spark session with one Python job", 1.6)
MIXED_RACE: Final = Race("mixed, 256 MB", "tshark", 1.0)
SHOW_SECONDS: Final = 2.0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.whole", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each (%(default)s)")
    parser.add_argument("--packets", type=int, default=MIXED_PACKETS, help="of the mixed capture (%(default)s)")
    parser.add_argument("--data", type=Path, default=DATA, help="where the captures are kept (%(default)s)")
    parser.add_argument("--only", choices=["sample", "mixed"], help="one of the races")
    options = parser.parse_args(arguments)
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "mixed":
            ours, theirs = _race(options.repeat, _analyze(SAMPLE, folder), [sys.executable, "-c", _BARE])
            _tell(SAMPLE_RACE, SAMPLE, ours, theirs)
            shown = [_seconds([_MQTRAIL, "show", str(SAMPLE)]) for _ in range(options.repeat)]
            met = "met" if min(shown) <= SHOW_SECONDS else "missed"
            print(f"mqtrail show: {_spread(shown)} (target: at most {SHOW_SECONDS:g} s): {met}")
        if options.only != "sample":
            mixed = capture("mixed", options.packets, options.data)
            ours, theirs = _race(options.repeat, _analyze(mixed, folder), _tshark(mixed))
            _tell(MIXED_RACE, mixed, ours, theirs)
    return 0


def _analyze(path: Path, folder: str) -> list[str]:
    return [_MQTRAIL, "analyze", str(path), "--out", f"{folder}/out", "--force"]


def _tshark(path: Path) -> list[str]:
    """The same PDUs, listed."""
    program = shutil.which("tshark")
    if program is None:
        raise SystemExit("tshark is not installed; `make setup-test` does that on Debian, as root")
    fields = ("frame.number", "ip.src", "ip.dst", "dcerpc.pkt_type", "dcerpc.cn_call_id", "dcerpc.opnum")
    return [program, "-r", str(path), "-Y", "dcerpc", "-T", "fields", *(f"-e{field}" for field in fields)]


def _race(repeat: int, ours: list[str], theirs: list[str]) -> tuple[list[float], list[float]]:
    times: tuple[list[float], list[float]] = [], []
    for _ in range(repeat):
        for command, seconds in zip((ours, theirs), times, strict=True):
            seconds.append(_seconds(command))
    return times


def _seconds(command: list[str]) -> float:
    began = time.perf_counter()
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    quiet = subprocess.DEVNULL
    subprocess.run(command, check=True, stdout=quiet, stderr=quiet, env=environment)
    return time.perf_counter() - began


def _tell(race: Race, path: Path, ours: list[float], theirs: list[float]) -> None:
    print(f"{race.name}: {path.stat().st_size / 1e6:.1f} MB")
    print(f"  mqtrail analyze, every table, rules, gate and report: {_spread(ours)}")
    print(f"  {race.rival}: {_spread(theirs)}")
    print(f"  {race.verdict(statistics.median(ours), statistics.median(theirs))}")


def _spread(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.1f} s ({', '.join(f'{one:.1f}' for one in seconds)})"


if __name__ == "__main__":
    sys.exit(main())
