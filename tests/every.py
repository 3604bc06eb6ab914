"""One test of many small cases: to announce each as a test takes longer than to look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Case = TypeVar("Case")


def each(cases: Iterable[Case], name: Callable[[Case], str], check: Callable[[Case], None]) -> None:
    """All are looked at, and all that fail are told of. No case at all fails too."""
    failed, count = [], 0
    for case in cases:
        count += 1
        try:
            check(case)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever it is, the next case comes
            failed.append(f"{name(case)}: {type(error).__name__}: {error}")
    assert count, "there is no case"
    if failed:
        pytest.fail("\n".join((f"{len(failed)} of {count} cases", *failed)))
