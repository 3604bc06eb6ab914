"""The results as a table for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.cases import COMPARABLE, DPKT, SCAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.measure import Result

TARGET_NS_PER_PACKET: Final = 1_500
"""1.5 s of one core for a million packets."""
_COLUMNS: Final = ("case", "what", "packets", "MB", "best s", "median s", "wall s", "ns/packet", "MB/s", "x dpkt")
LEGEND: Final = (
    "best s, median s: CPU seconds (time.process_time); wall s: the best by time.perf_counter; one process, one core, "
    "file in the page cache.\nx dpkt: CPU time a packet of the dpkt loop over that of the case, for the same packets. "
    "The dpkt loop reads a part of the file; its per-packet cost is what is compared."
)


def machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2] for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].strip() if names else model
    return f"Python {platform.python_version()}, {model}, {os.cpu_count()} cores, {platform.system()}"


def table(results: Sequence[Result]) -> str:
    dpkt = _dpkt(results)
    rows = [_COLUMNS, *(_row(result, dpkt) for result in results)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(_COLUMNS))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if n < 2 else text.rjust(width)
            for n, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _dpkt(results: Sequence[Result]) -> float | None:
    return next((result.ns_per_packet for result in results if result.case.name == DPKT), None)


def _times(result: Result, dpkt: float | None) -> float | None:
    return dpkt / result.ns_per_packet if dpkt and result.case.capture in COMPARABLE else None


def _row(result: Result, dpkt: float | None) -> tuple[str, ...]:
    times = _times(result, dpkt)
    return (
        result.case.name,
        result.case.says,
        f"{result.work.packets:,}",
        f"{result.work.octets / 1e6:,.1f}",
        f"{result.best:.3f}",
        f"{result.median:.3f}",
        f"{min(result.wall):.3f}",
        f"{result.ns_per_packet:,.0f}",
        f"{result.mb_per_second:,.0f}",
        "-" if times is None else f"{times:.1f}",
    )


def verdict(results: Sequence[Result]) -> str | None:
    scan = next((result for result in results if result.case.name == SCAN), None)
    if scan is None:
        return None
    target = TARGET_NS_PER_PACKET * scan.work.packets / 1e9
    met = "met" if scan.best <= target else "missed"
    return f"scan of {scan.work.packets:,} packets: {scan.best:.2f} s of one core (target {target:.2f} s): {met}"


_COM_BESIDE: Final = (("com-calls", "calls"), ("com-judging", "judging"))
"""Cases of COM, and what they are the same as."""


def com_verdict(results: Sequence[Result]) -> str | None:
    """What a call of a COM object costs beside one of qm2qm: both are a request and a response."""
    of = {result.case.name: result for result in results}
    told = [
        f"{of[com].ns_per_packet / of[other].ns_per_packet:.2f} times a qm2qm call from {of[other].case.says}"
        for com, other in _COM_BESIDE
        if com in of and other in of
    ]
    return f"a COM call costs {', '.join(told)}" if told else None


def write_json(path: Path, results: Sequence[Result]) -> None:
    dpkt = _dpkt(results)
    cases = [
        {
            "case": result.case.name,
            "capture": result.case.capture,
            "packets": result.work.packets,
            "bytes": result.work.octets,
            "cpu_seconds": result.cpu,
            "wall_seconds": result.wall,
            "ns_per_packet": result.ns_per_packet,
            "mb_per_second": result.mb_per_second,
            "times_dpkt": _times(result, dpkt),
        }
        for result in results
    ]
    path.write_text(json.dumps({"machine": machine(), "cases": cases}, indent=2) + "\n")
