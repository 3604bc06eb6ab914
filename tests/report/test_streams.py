"""What is kept of streams without end: bounded, and the same whatever the order in which things come."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from pipelines.report.condensing import Coarseness, Condensed, Group
from pipelines.report.counting import GroupCounts
from pipelines.report.keeping import FirstRows

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

LEVELS = (Coarseness(0, 3), Coarseness(10, 2), Coarseness(100, 2), Coarseness(100, 1), Coarseness(None, 1))
Event: TypeAlias = tuple[int | None, tuple[str | None, ...], int]
names = st.sampled_from(["a", "b", "c", "d", None])
events = st.lists(st.tuples(st.none() | st.integers(-500, 500), st.tuples(names, names, names), st.integers(1, 3)))


def condensed(found: Sequence[Event], most: int) -> Condensed:
    result = Condensed(most, LEVELS)
    for ts, values, count in found:
        result.add(Group(values, ts, ts, count))
    return result


def told(result: Condensed) -> list[tuple[object, ...]]:
    return [(one.values, one.first, one.last, one.count) for one in result.groups()]


@given(events, st.integers(1, 6), st.randoms(use_true_random=False))
def test_events_become_few_whatever_their_order(found: list[Event], most: int, chance: random.Random) -> None:
    first = condensed(found, most)
    groups = told(first)
    assert len(groups) <= most
    assert sum(one.count for one in first.groups()) + first.left_out == first.events == sum(n for _, _, n in found)
    mixed = list(found)
    chance.shuffle(mixed)
    again = condensed(mixed, most)
    assert told(again) == groups
    assert (again.left_out, again.level) == (first.left_out, first.level)


def test_events_stay_alone_as_long_as_there_is_room() -> None:
    found = [(number, ("a", "b", str(number)), 1) for number in range(5)]
    assert [one.first for one in condensed(found, 5).groups()] == [0, 1, 2, 3, 4]
    (group,) = condensed(found, 1).groups()
    assert (group.values, group.first, group.last, group.count) == (("a", "b", None), 0, 4, 5)


def test_what_all_events_of_a_group_say_stays_said() -> None:
    (group,) = condensed([(1, ("a", "b", "s"), 1), (2, ("a", "b", "s"), 1)], 1).groups()
    assert group.values == ("a", "b", "s")


@given(st.lists(st.tuples(names, st.integers(0, 9))), st.integers(1, 4), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_order(found: list[tuple[str | None, int]], most: int, chance: random.Random) -> None:
    def sums(rows: list[tuple[str | None, int]]) -> list[tuple[object, ...]]:
        counted = GroupCounts(most)
        for name, number in rows:
            counted.add((name,), number, number, {"n": number})
        return [(one.key, one.first, one.last, one.numbers["n"]) for one in counted.sums()]

    mixed = list(found)
    chance.shuffle(mixed)
    assert sums(mixed) == sums(found)
    assert len(sums(found)) <= most
    whole = Counter[str | None]()
    for name, number in found:
        whole[name] += number
    assert all(number == whole[key[0]] for key, _, _, number in sums(found))  # type: ignore[index]


@given(st.lists(st.integers()), st.integers(1, 5))
def test_the_first_of_a_stream(found: list[int], most: int) -> None:
    first = FirstRows[int](most, lambda one: one).add_all(found)
    assert first.rows() == sorted(found)[:most]
    assert first.seen == len(found)
