"""A test of many cases fails if one of them does, and names all that do."""

from __future__ import annotations

import pytest

from tests.every import each


def _below_three(number: int) -> None:
    assert 6 / number > 2, "not below three"


def test_all_cases_hold() -> None:
    each((1, 2), str, _below_three)


def test_every_case_that_fails_is_named() -> None:
    with pytest.raises(pytest.fail.Exception) as failed:
        each((1, 4, 0, 2, 3), str, _below_three)
    told = str(failed.value).splitlines()
    assert told[0] == "3 of 5 cases"
    assert [line.partition(":")[0] for line in told if "Error: " in line] == ["4", "0", "3"]


def test_no_case_is_no_test() -> None:
    with pytest.raises(AssertionError, match="there is no case"):
        each((), str, _below_three)
