"""The few values that are kept of a column decide a check as all of them would."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from pipelines.quality import evidence
from pipelines.quality.checks import Check, CheckKind, NotNull, OneOf, Test, Within
from pipelines.quality.evidence import DecidingValues

if TYPE_CHECKING:
    from collections.abc import Sequence

NUMBERS = st.one_of(st.none(), st.integers(-3, 12))
TESTS = st.one_of(
    st.just(NotNull()),
    st.builds(OneOf, st.lists(st.integers(-3, 12), min_size=1, unique=True).map(tuple)),
    st.builds(Within, st.integers(-3, 4), st.one_of(st.none(), st.integers(4, 12))),
)


def _breaks(value: int | None, test: Test) -> bool:
    match test:
        case NotNull():
            return value is None
        case OneOf(allowed):
            return value is not None and value not in allowed
        case Within(low, high):
            return value is not None and ((low is not None and value < low) or (high is not None and value > high))
        case _:
            raise TypeError(test)


def _of(batches: Sequence[Sequence[int | None]], test: Test) -> DecidingValues:
    found = DecidingValues(Check("table", CheckKind.RANGE, "what", ("column",), test))
    for batch in batches:
        found.add(pa.array(batch, pa.int64()))
    return found


@given(st.lists(st.lists(NUMBERS)), TESTS)
def test_if_any_row_breaks_it_one_of_the_values_does(batches: list[list[int | None]], test: Test) -> None:
    values = _of(batches, test).values
    all_values = [value for batch in batches for value in batch]
    assert any(_breaks(value, test) for value in values) == any(_breaks(value, test) for value in all_values)


def test_they_are_few_however_many_there_are() -> None:
    batches = [range(start, start + 100) for start in range(0, 1_000, 100)]
    most = {test: len(_of(batches, test).values) for test in (NotNull(), OneOf((1, 2)), Within(0, 5))}
    assert all(kept <= 103 for kept in most.values()), most


def test_checks_with_one_test_share_an_expectation() -> None:
    found = [_of([[1, None]], NotNull()), _of([[7]], Within(0, 5)), _of([[3]], Within(0, 5)), _of([[2]], NotNull())]
    checks, batch = evidence.as_batch(found)
    assert [check.test for check in checks] == [NotNull(), Within(0, 5)]
    told = {
        number: list(rows[rows.columns[1:]].itertuples(index=False, name=None))
        for number, rows in batch.groupby("number")
    }
    assert told == {0: [(None, None)], 1: [(True, 7)], 2: [(True, 3)], 3: [(True, None)]}
