"""All races with their targets: issues 16 and 17 of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench import runners
from bench.races import (
    OURS,
    START,
    Race,
    Runner,
    Target,
    above_start,
    busy_above_start,
    calls_a_second,
    memory_times,
    seconds,
    times,
    times_above_start,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.races import Figures

_START: Final = Runner(START, runners.analyze())
_RIVALS: Final = {
    "tshark": runners.tshark,
    "suricata": runners.suricata,
    "zeek": runners.zeek,
    "cat": runners.cat,
}


def _ours(recipe: str, size: str, name: str = OURS, *options: str) -> Runner:
    return Runner(name, runners.analyze(*options), recipe, size)


def _mixed(size: str, *, dpkt: bool = False) -> tuple[Runner, ...]:
    rivals = [Runner(name, command, "mixed", size) for name, command in _RIVALS.items()]
    loops = [Runner("a dpkt loop", runners.dpkt_loop, "mixed", size)] if dpkt else []
    return _ours("mixed", size), *rivals, *loops


def _above_start_times_suricata(figures: Mapping[str, Figures]) -> float:
    return above_start(figures, OURS) / figures["suricata"].median


def _against_tshark(bound: float) -> Target:
    return Target("times tshark", times(OURS, "tshark"), bound, needs=("tshark",))


RACES: Final = (
    Race(
        "sample",
        (Runner(OURS, runners.analyze()), Runner("a bare Spark session", runners.bare_session)),
        (Target("times a bare Spark session with one Python job", times(OURS, "a bare Spark session"), 1.6),),
    ),
    Race("show", (Runner(OURS, runners.show),), (Target("s", seconds(OURS), 2.0),)),
    Race("mixed", _mixed("256MB"), (_against_tshark(1.0), _against_tshark(0.5))),
    Race(
        "mixed-1gb",
        (*_mixed("1GB", dpkt=True), _START),
        (
            _against_tshark(0.25),
            Target("times suricata, above start-up", _above_start_times_suricata, 2.0, needs=("suricata",)),
        ),
    ),
    Race(
        "rpc",
        (_ours("rpc", "100MB"), Runner("tshark", runners.tshark, "rpc", "100MB"), _START),
        (
            Target("calls a second above start-up", calls_a_second(OURS), 20_000, "at least"),
            Target("calls a second above start-up", calls_a_second(OURS), 50_000, "at least"),
        ),
    ),
    Race(
        "skew",
        (_ours("skew", "100MB", "one server"), _ours("alike", "100MB", "ten servers"), _START),
        (Target("times ten servers alike, above start-up", times_above_start("one server", "ten servers"), 1.3),),
    ),
    Race(
        "growth",
        (_ours("rpc", "100MB", "100 MB"), _ours("rpc", "1GB", "1 GB"), _START),
        (
            Target("times 100 MB, above start-up", times_above_start("1 GB", "100 MB"), 10.5),
            Target("times 100 MB, above start-up, of processors' time", busy_above_start("1 GB", "100 MB"), 10.5),
        ),
        large=True,
    ),
    Race(
        "cores",
        (
            _ours("rpc", "1GB", "one core", "--master", "local[1]"),
            _ours("rpc", "1GB", "two cores", "--master", "local[2]"),
            _START,
        ),
        (Target("times as fast, above start-up", times_above_start("one core", "two cores"), 1.7, "at least"),),
        large=True,
    ),
    Race(
        "memory",
        (_ours("mixed", "1GB", "1 GB"), _ours("mixed", "10GB", "10 GB")),
        (Target("times a worker's memory at 1 GB", memory_times("10 GB", "1 GB"), 1.1),),
        large=True,
    ),
    Race(
        "mixed-10gb",
        _mixed("10GB"),
        (Target("times suricata", times(OURS, "suricata"), 1.0, needs=("suricata",)),),
        large=True,
    ),
)
