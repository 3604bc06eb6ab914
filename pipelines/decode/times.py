"""Times of rows: Spark's microseconds, and the capture's nanoseconds beside them."""

from __future__ import annotations

from ingest.containers.model import NO_TIME


def nanos(ts_ns: int) -> int | None:
    return None if ts_ns == NO_TIME else ts_ns


def micros(ts_ns: int) -> int | None:
    return None if ts_ns == NO_TIME else ts_ns // 1000
