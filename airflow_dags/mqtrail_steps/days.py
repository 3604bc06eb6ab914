"""Which day a capture belongs to."""

from __future__ import annotations

import datetime as dt
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mqtrail_steps.landing import Found

MOST_DAYS: Final = 1000
"""Airflow maps a task over 1024 values at most, unless it is told otherwise."""


class WrongRange(Exception):
    """The text says what to write instead."""


def now_ns() -> int:
    return time.time_ns()


def between(start: str, end: str) -> list[dt.date]:
    first, last = dt.date.fromisoformat(start), dt.date.fromisoformat(end)
    if last < first:
        raise WrongRange(f"the range ends on {end}, before it starts on {start}")
    count = (last - first).days + 1
    if count > MOST_DAYS:
        raise WrongRange(f"{start} to {end} are {count} days; take {MOST_DAYS} at a time")
    return [first + dt.timedelta(days=number) for number in range(count)]


def by_day(
    captures: Iterable[Found], landing: str, wanted: Sequence[dt.date], pattern: str
) -> dict[dt.date, list[Found]]:
    """Days in order, those without captures left out. A capture belongs to one day: the first that its path fits."""
    if pattern and not {"%d", "%j", "%F"} & {pattern[at : at + 2] for at in range(len(pattern))}:
        raise WrongRange(f"{pattern}: names no day; write for example %Y-%m-%d/*")
    patterns = {day: day.strftime(pattern) for day in wanted} if pattern else {}
    root = Path(landing).absolute()
    found: dict[dt.date, list[Found]] = {day: [] for day in wanted}
    for one in captures:
        if pattern:
            below = Path(one.path).relative_to(root).as_posix()
            day = next((day for day in wanted if fnmatchcase(below, patterns[day])), None)
        else:
            day = dt.datetime.fromtimestamp(one.mtime_ns // 1_000_000_000, dt.UTC).date()
        if day in found:
            found[day].append(one)
    return {day: members for day, members in found.items() if members}
