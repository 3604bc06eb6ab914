"""The programs that take part in races, as commands."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE: Final = Path(__file__).parents[1] / "samples" / "msmq-loopback.pcap"
OUT: Final = "out"
"""Where mqtrail writes, below a runner's folder."""
_MQTRAIL: Final = str(Path(sys.executable).parent / "mqtrail")
_BARE: Final = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.range(0, 100, 1, 2).mapInArrow(lambda batches: batches, "id long").collect()
assert len(rows) == 100
"""
_DPKT: Final = "import sys; from bench.rivals import read_all; read_all(sys.argv[1])"
_FIELDS: Final = ("frame.number", "ip.src", "ip.dst", "dcerpc.pkt_type", "dcerpc.cn_call_id", "dcerpc.opnum")


def analyze(*options: str) -> Callable[[Path, Path], list[str]]:
    """Every table, rules, gate and report."""

    def command(capture: Path, folder: Path) -> list[str]:
        return [_MQTRAIL, "analyze", str(capture), "--out", str(folder / OUT), "--force", *options]

    return command


def show(capture: Path, _: Path) -> list[str]:
    return [_MQTRAIL, "show", str(capture)]


def bare_session(_: Path, __: Path) -> list[str]:
    """A Spark session with one Python job."""
    return [sys.executable, "-c", _BARE]


def tshark(capture: Path, _: Path) -> list[str] | None:
    """The same PDUs, listed."""
    fields = (f"-e{field}" for field in _FIELDS)
    return _installed("tshark", "-r", str(capture), "-Y", "dcerpc", "-T", "fields", *fields)


def suricata(capture: Path, folder: Path) -> list[str] | None:
    """Checksums are zero, as a host's card leaves them."""
    return _installed("suricata", "-k", "none", "-r", str(capture), "-l", str(folder))


def zeek(capture: Path, folder: Path) -> list[str] | None:
    return _installed("zeek", "-C", "-r", str(capture), f"Log::default_logdir={folder}")


def cat(capture: Path, _: Path) -> list[str] | None:
    """The floor: reading the file."""
    return _installed("cat", str(capture))


def dpkt_loop(capture: Path, _: Path) -> list[str]:
    """Headers of every packet, in plain Python."""
    return [sys.executable, "-c", _DPKT, str(capture)]


def _installed(program: str, *arguments: str) -> list[str] | None:
    found = shutil.which(program)
    return [found, *arguments] if found else None
