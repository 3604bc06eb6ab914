"""Times of rows: Spark's microseconds, and the capture's nanoseconds beside them."""

from __future__ import annotations

from typing import Final

NO_TIME: Final = -1
"""ts_ns of a packet without a time: pcapng's Simple Packet Block has none."""


def nanos(ts_ns: int) -> int | None:
    return None if ts_ns == NO_TIME else ts_ns


def micros(ts_ns: int) -> int | None:
    return None if ts_ns == NO_TIME else ts_ns // 1000
