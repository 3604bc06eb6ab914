"""By which date a row is filed in a dataset that is partitioned by date."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.model import Table

NO_DATE: Final = "__HIVE_DEFAULT_PARTITION__"
"""Hive's name for null, which Spark, DuckDB and pyarrow read as such."""
_TIMES: Final = ("ts", "first_ts")
_OF_CAPTURE: Final = "capture_id"


def dated_by(table: Table) -> str | None:
    """A time, or `capture_id` for the date of that capture's first packet; None: the table is not partitioned."""
    return next((name for name in (*_TIMES, _OF_CAPTURE) if name in table.names), None)


def row_dates(
    rows: pa.RecordBatch | pa.Table, column: str, of_captures: Mapping[str, str]
) -> pa.ChunkedArray | pa.Array:
    """The date of each row, as text."""
    if column == _OF_CAPTURE:
        return pa.array([of_captures.get(capture, NO_DATE) for capture in rows.column(column).to_pylist()], pa.string())
    return pc.fill_null(pc.strftime(rows.column(column), format="%Y-%m-%d"), NO_DATE)


def date_of(ts_ns: int | None) -> str:
    if ts_ns is None:
        return NO_DATE
    return (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=ts_ns // 1000)).date().isoformat()
