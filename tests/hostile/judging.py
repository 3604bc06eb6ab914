"""Whether a capture costs more than it may: held against ordinary traffic of the same size, measured just before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.hostile.ideas import IDEAS, ORDINARY, scope_of
from tests.hostile.measure import cost_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.hostile.measure import Cost

SIZES: Final = (1_000_000, 4_000_000, 16_000_000)
SMALL_SIZES: Final = (20_000, 60_000, 180_000)
ALMOST_NOTHING: Final = 3_000
MOST_TIMES: Final = 10
"""What ordinary traffic costs."""
MOST_GROWTH: Final = 2.5
"""Of the seconds a megabyte, from the smallest size to the largest, beyond that of ordinary traffic, of which small
captures have less as well: linear work stays below, with all its noise.
"""
MOST_MEMORY: Final = 1_000_000_000
TRIES: Final = 3
"""A neighbour on the machine only ever adds time: once below is enough."""
_LEAST_SECONDS: Final = 0.2
"""What is quicker than that shows no growth."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """`nothing`: seconds of a run that has next to nothing to do. `ordinary`: what a megabyte costs, by size."""

    nothing: float
    ordinary: tuple[float, ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Yardstick:
        nothing = min(cost_of(ORDINARY, ALMOST_NOTHING, 60).seconds for _ in range(TRIES))
        costs = [cost_of(ORDINARY, size, 600) for size in sizes]
        return cls(nothing, tuple(a_megabyte(one, nothing) for one in costs))


def a_megabyte(cost: Cost, nothing: float) -> float:
    return max(0.0, cost.seconds - nothing) / cost.size * 1e6


def costs(name: str, sizes: Sequence[int], yardstick: Yardstick) -> tuple[list[Cost], list[str]]:
    """Of an idea, by size up to the one that is too much; and what is wrong with them."""
    found: list[Cost] = []
    for _ in range(TRIES):
        again = list(_measured(name, sizes, yardstick))
        found = _quicker(found, again) if len(found) == len(again) else again
        wrong = faults(found, yardstick)
        if not wrong:
            break
    return found, wrong


def _quicker(found: Sequence[Cost], again: Sequence[Cost]) -> list[Cost]:
    return [min(pair, key=lambda one: one.seconds) for pair in zip(found, again, strict=True)]


def _measured(name: str, sizes: Sequence[int], yardstick: Yardstick) -> Iterator[Cost]:
    for size, ordinary in zip(sizes, yardstick.ordinary, strict=True):
        # What may be read out of a compressed one is far more.
        cost = cost_of(IDEAS[name], size, 60 + 3 * MOST_TIMES * ordinary * size / 1e6, scope_of(name))
        yield cost
        if cost.problem is not None:
            return


def faults(found: Sequence[Cost], yardstick: Yardstick) -> list[str]:
    if found[-1].problem is not None:
        return [found[-1].problem]
    rates = [a_megabyte(one, yardstick.nothing) for one in found]
    wrong = []
    for rate, cost, ordinary in zip(rates, found, yardstick.ordinary, strict=False):
        if cost.seconds > _LEAST_SECONDS + yardstick.nothing and rate > MOST_TIMES * ordinary:
            wrong.append(f"{rate:.2f} s/MB where ordinary traffic costs {ordinary:.2f}")
    if found[-1].seconds > _LEAST_SECONDS + yardstick.nothing:
        least = max(rates[0], min(yardstick.ordinary))
        first, *_, last = yardstick.ordinary
        usual = max(1.0, last / first) if first else 1.0
        if rates[-1] > MOST_GROWTH * usual * least:
            wrong.append(f"a megabyte costs {rates[-1] / least:.1f} times as much in the largest as in the smallest")
    if (peak := max(one.peak for one in found)) > MOST_MEMORY:
        wrong.append(f"{peak / 1e6:,.0f} MB of memory")
    return wrong
