"""A table that fits in memory, as a batch of Great Expectations' pandas engine: read once, only what is looked at."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.quality.batches import batch_name, measure_name
from pipelines.quality.checks import Key, Twins, Within
from schemas.relations import AtLeast, Balance, Counted, NotAbove, Reference, Sum
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.quality.checks import Check, Measure
    from pipelines.quality.stored import Stored

_EXACT: Final = {pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype(), pa.bool_(): pd.BooleanDtype()}
"""Plain numpy integers cannot be null, and as floats nanoseconds would be rounded."""


def small_batch(
    table: Stored, paths: Sequence[str], checks: Sequence[Check], others: Mapping[str, Stored]
) -> pd.DataFrame:
    read = table.read(paths)
    bounded = {check.columns[0] for check in checks if isinstance(check.test, Within) and check.measure is None}
    columns = {batch_name(path): _column(read[path], bounded=path in bounded) for path in paths}
    measured = {
        measure_name(number): _measured(check.measure, read, others).to_pandas()
        for number, check in enumerate(checks)
        if check.measure is not None
    }
    return pd.DataFrame(columns | measured)


def _column(values: pa.ChunkedArray, *, bounded: bool) -> pd.Series[Any]:
    """Where there are bounds as numpy's, else every value is compared in Python; no bound is beyond a float's reach."""
    if pa.types.is_nested(values.type):
        # Only whether it is there is asked, and Great Expectations hashes every batch.
        return pc.if_else(pc.is_valid(values), True, None).to_pandas()
    if bounded and pa.types.is_integer(values.type):
        return _number(values).to_pandas()
    return values.to_pandas(types_mapper=_EXACT.get)


def _measured(measure: Measure, read: pa.Table, others: Mapping[str, Stored]) -> pa.ChunkedArray:
    match measure:
        case Key(columns):
            return _sizes(read.select(columns))
        case Twins(micros, nanos):
            return pc.subtract(read[nanos], pc.multiply(_number(read[micros]), 1000))
        case Reference(column, other, to):
            there = pc.is_in(read[column], value_set=others[other].among(to, read[column].unique()))
            return pc.if_else(pc.is_valid(read[column]), there, None)
        case NotAbove(lower, upper):
            return pc.subtract(_number(read[upper]), _number(read[lower]))
        case AtLeast(column, _, where, equals, _):
            return pc.if_else(pc.equal(read[where], equals), read[column], None)
        case Sum(total, parts):
            return pc.subtract(reduce(pc.add, (read[part] for part in parts)), read[total])
        case Balance():
            return _imbalances(measure, read)
        case Counted(stage, other, column):
            counts: Counter[tuple[object, ...]] = Counter()
            for key, rows in others[other].counts(("capture_id", column)):
                counts[key] += rows
            names = zip(read["capture_id"].to_pylist(), read["counter"].to_pylist(), strict=True)
            missing = pc.subtract(read["value"], pa.chunked_array([[counts[name] for name in names]], pa.int64()))
            concerned = pc.and_(pc.equal(read["stage"], stage), pc.not_equal(read["counter"], IN))
            return pc.if_else(concerned, missing, None)


def _sizes(keys: pa.Table) -> pa.ChunkedArray:
    """Of each row's key: how many rows have it."""
    frame = keys.to_pandas(types_mapper=_EXACT.get)
    groups = frame.groupby(keys.column_names, dropna=False, sort=False)
    return pa.chunked_array([groups[keys.column_names[0]].transform("size").to_numpy()])


def _imbalances(measure: Balance, read: pa.Table) -> pa.ChunkedArray:
    """Told by the first row of each group."""
    left: Counter[tuple[object, ...]] = Counter()
    groups = list(zip(*(read[column].to_pylist() for column in measure.by), strict=True))
    for group, name, value in zip(groups, read[measure.name].to_pylist(), read[measure.value].to_pylist(), strict=True):
        left[group] += (value or 0) * (1 if name == measure.total else -1)
    return pa.chunked_array([[left.pop(group, None) for group in groups]], pa.int64())


def _number(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return values.cast(pa.int64())
