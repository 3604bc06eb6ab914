"""Cases by number: of each thousand, so many of each layer. The same seed and number are the same case."""

from __future__ import annotations

import random
import resource
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.fuzz.findings import Broken, Finding, Hang, Tally, limited, reason
from tests.layered.lower import container, frames, segments
from tests.layered.upper import messages, pdus, stubs, tokens
from tests.layered.whole import losses, whole
from tests.timing import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BLOCK: Final = 1_000
KIND: Final = "layered"
MEMORY_KB: Final = 300_000
"""More than that no case may need beyond what others needed."""
TIMES: Final = 3


class Layer(NamedTuple):
    name: str
    of_a_thousand: int
    run: Callable[[random.Random, Path], str]
    """Tells what it came to."""
    slow_seconds: float


LAYERS: Final = (
    Layer("whole", 10, whole, 2.0),
    Layer("losses", 10, losses, 2.0),
    Layer("container", 70, container, 0.5),
    Layer("frames", 60, frames, 0.5),
    Layer("segments", 100, segments, 0.5),
    Layer("pdus", 100, pdus, 0.5),
    Layer("tokens", 200, tokens, 0.2),
    Layer("stubs", 250, stubs, 0.5),
    Layer("messages", 200, messages, 0.2),
)
_OF_PLACE: Final = tuple(layer for layer in LAYERS for _ in range(layer.of_a_thousand))


def layer_of(number: int) -> Layer:
    """Spread over the thousand, so that any stretch of numbers has some of each."""
    return _OF_PLACE[number * 617 % BLOCK]


class Folder:
    """Where files of cases are, in memory where the system has such a place."""

    def __init__(self) -> None:
        memory = Path("/dev/shm")
        self.path = Path(tempfile.mkdtemp(prefix="mqtrail-layered-", dir=memory if memory.is_dir() else None))

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path)


def run(seed: int, numbers: Iterable[int], only: str | None = None) -> Tally:
    """`only`: cases of one layer."""
    tally = Tally()
    with Folder() as folder:
        for number in numbers:
            layer = layer_of(number)
            if only in (None, layer.name):
                _run(tally, seed, number, layer, folder)
    return tally


def _run(tally: Tally, seed: int, number: int, layer: Layer, folder: Path) -> None:
    tally.cases += 1
    tally.count(layer.name)
    try:
        with limited():
            outcome, seconds = _bounded(seed, number, layer, folder)
    except (Exception, Hang) as error:  # noqa: BLE001 - whatever it is, it is a finding
        what, trace = reason(error)
        facts = {"layer": layer.name}
        tally.findings.append(Finding(KIND, seed, number, what, trace, facts, b""))
        tally.count(f"{layer.name}: finding")
        return
    tally.count(f"{layer.name}: {outcome}")
    tally.slowest = max(tally.slowest, (seconds, f"{layer.name}:{number}"))


def _bounded(seed: int, number: int, layer: Layer, folder: Path) -> tuple[str, float]:
    before = _peak_kb()
    found = _timed(seed, number, layer, folder)
    if _peak_kb() - before > MEMORY_KB:
        raise Broken("a case needs much more memory than those before it", _peak_kb() - before)
    return found


def _timed(seed: int, number: int, layer: Layer, folder: Path) -> tuple[str, float]:
    """What is slow once may be so by chance, or because it read its seed."""
    best = float("inf")
    outcome = ""
    for _ in range(TIMES):
        watch = Stopwatch()
        outcome = layer.run(random.Random(f"{seed} {layer.name} {number}"), folder)
        best = min(best, watch.seconds)
        if best < layer.slow_seconds:
            return outcome, best
    raise Broken(f"a case of {layer.name} takes longer than {layer.slow_seconds} s", best)


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
