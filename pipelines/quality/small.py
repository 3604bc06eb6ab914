"""A table that fits in memory, as a batch of Great Expectations' pandas engine: read once, only what is looked at."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.quality.batches import batch_name, measure_name
from pipelines.quality.checks import Key, Twins
from schemas.relations import AtLeast, Balance, Counted, NotAbove, Reference, Sum
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.quality.checks import Check, Measure
    from pipelines.quality.stored import Stored

# Plain numpy integers cannot be null, and as floats nanoseconds would be rounded.
_TYPES: Final = {pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype(), pa.bool_(): pd.BooleanDtype()}


def small_batch(
    table: Stored, paths: Sequence[str], checks: Sequence[Check], others: Mapping[str, Stored]
) -> pd.DataFrame:
    read = table.read(paths)
    frame = read.rename_columns([batch_name(path) for path in paths]).to_pandas(types_mapper=_TYPES.get)
    measured = {
        measure_name(number): _measured(check.measure, frame, read, others)
        for number, check in enumerate(checks)
        if check.measure is not None
    }
    return frame.assign(**measured)


def _measured(measure: Measure, frame: pd.DataFrame, read: pa.Table, others: Mapping[str, Stored]) -> pd.Series[Any]:
    match measure:
        case Key(columns):
            return frame.groupby(list(columns), dropna=False, sort=False)[columns[0]].transform("size")
        case Twins(micros, nanos):
            return _series(pc.subtract(read[nanos], pc.multiply(_number(read[micros]), 1000)))
        case Reference(column, other, to):
            there = pc.is_in(read[column], value_set=others[other].among(to, read[column].unique()))
            return _series(pc.if_else(pc.is_valid(read[column]), there, pa.scalar(None, pa.bool_())))
        case NotAbove(lower, upper):
            # Two times give a duration, which has no number in the suite's terms.
            return _series(pc.subtract(*(_number(read[column]) for column in (upper, lower))))
        case AtLeast(column, _, where, equals, _):
            return frame[column].where(frame[where] == equals)
        case Sum(total, parts):
            return frame[list(parts)].sum(axis=1) - frame[total]
        case Balance():
            return _imbalance(measure, frame)
        case Counted(stage, other, column):
            counts: Counter[tuple[object, ...]] = Counter()
            for key, rows in others[other].counts(("capture_id", column)):
                counts[key] += rows
            there = [counts[key] for key in zip(frame["capture_id"], frame["counter"], strict=True)]
            return (frame["value"] - there).where((frame["stage"] == stage) & (frame["counter"] != IN))
        case _:
            raise TypeError(measure)


def _imbalance(measure: Balance, frame: pd.DataFrame) -> pd.Series[Any]:
    """Told by the first row of each group."""
    by = list(measure.by)
    value = frame[measure.value]
    signed = value.where(frame[measure.name] == measure.total, -value)
    return signed.groupby([frame[column] for column in by]).transform("sum").where(~frame.duplicated(by))


def _number(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return values.cast(pa.int64())


def _series(values: pa.ChunkedArray) -> pd.Series[Any]:
    return values.to_pandas(types_mapper=_TYPES.get)
