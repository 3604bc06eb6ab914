"""Numbers, times, names and codes as people read them."""

from __future__ import annotations

import datetime as dt
from typing import Final

from pipelines.facts.reasons import REASONS

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_SIZES: Final = ("bytes", "kB", "MB", "GB", "TB", "PB")
_SPANS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def are(count: int) -> str:
    return "is" if count == 1 else "are"


def have(count: int) -> str:
    return "has" if count == 1 else "have"


def some(here: int, there_are: int, many: str) -> str:
    """How a section that is cut begins to say so."""
    return f"{here:,} of {there_are:,} {many} {are(here)} here"


def times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def size(count: int) -> str:
    if count < 1_000:
        return counted(count, "byte")
    value, step = float(count), 0
    while value >= 999.95 and step < len(_SIZES) - 1:
        value, step = value / 1_000, step + 1
    return f"{value:.1f} {_SIZES[step]}"


def moment(us: int | None) -> str:
    """To the millisecond, UTC."""
    if us is None:
        return "an unknown time"
    whole = _EPOCH + dt.timedelta(microseconds=us)
    return f"{whole:%Y-%m-%d %H:%M:%S}.{whole.microsecond // 1_000:03d} UTC"


def span(us: int) -> str:
    seconds = us / 1_000_000
    for length, name in _SPANS:
        if seconds >= length * 2:
            return counted(round(seconds / length), name)
    if seconds == 1:
        return "1 second"
    return f"{seconds:.0f} seconds" if seconds >= 10 else f"{seconds:.2g} seconds"


def account(username: str | None, domain: str | None) -> str | None:
    if not username:
        return None
    return f"{domain}\\{username}" if domain else username


def listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""


def reason_sentence(reason: str | None) -> str | None:
    return next((text for known, text in REASONS.items() if known == reason), reason)


def unnamed_queue(queue_handle: int | None, handle: str | None) -> str:
    """qm2qm names no queue: what its calls call it."""
    if queue_handle is not None:
        return f"queue number 0x{queue_handle:08x}"
    return f"queue with handle {handle}" if handle else "queue of unknown name"
