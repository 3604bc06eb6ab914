"""Samples as they were written, and what they add up to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from bench.profiling.sampler import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Stack = tuple[str, ...]
"""Names of functions, from the root on."""


class Sample(NamedTuple):
    role: str
    """Of its process: driver, daemon, worker."""
    stack: Stack
    seconds: float
    at: float
    """Unix time."""


class Spent(NamedTuple):
    function: str
    self_seconds: float
    total_seconds: float
    """With all that it called."""


def samples(folder: Path) -> list[Sample]:
    return [one for path in sorted(folder.glob(f"*{SUFFIX}")) for one in _read(path.name.partition("-")[0], path)]


def _read(role: str, path: Path) -> Iterator[Sample]:
    stacks: dict[str, Stack] = {}
    for line in path.read_text().splitlines():
        number, _, rest = line.partition(" ")
        if number.startswith("="):
            stacks[number[1:]] = tuple(rest.split(";"))
            continue
        weight, _, at = rest.partition(" ")
        # The last line of a worker that was killed may lack its end.
        if number in stacks and at:
            yield Sample(role, stacks[number], float(weight), float(at))


def collapsed(found: Iterable[Sample]) -> dict[Stack, float]:
    """Seconds by stack, without the frames that all begin with."""
    sums: Counter[Stack] = Counter()
    for one in found:
        sums[one.stack] += one.seconds  # type: ignore[assignment]
    common = _common(list(sums))
    return {stack[common:]: float(seconds) for stack, seconds in sums.items()}


def _common(stacks: list[Stack]) -> int:
    """How many frames; at least one is left of each stack."""
    if not stacks:
        return 0
    least, most = min(stacks), max(stacks)
    shortest = min(map(len, stacks)) - 1
    return next((n for n in range(shortest) if least[n] != most[n]), max(0, shortest))


def spent(stacks: dict[Stack, float]) -> list[Spent]:
    """By function; one that calls itself counts once."""
    own: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for stack, seconds in stacks.items():
        own[stack[-1]] += seconds  # type: ignore[assignment]
        for name in set(stack):
            total[name] += seconds  # type: ignore[assignment]
    return [Spent(name, float(own[name]), float(seconds)) for name, seconds in total.items()]


def written(stacks: dict[Stack, float]) -> str:
    """As other tools read them: a stack and its milliseconds a line."""
    return "".join(f"{';'.join(stack)} {round(seconds * 1_000)}\n" for stack, seconds in sorted(stacks.items()))
