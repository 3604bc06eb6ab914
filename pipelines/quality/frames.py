"""A batch of rows as Great Expectations' pandas engine takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.quality.batches import ROW, batch_name, measure_name
from pipelines.quality.checks import Within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.quality.checks import Check
    from pipelines.quality.measures import Values

_EXACT: Final = {pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype(), pa.bool_(): pd.BooleanDtype()}
"""Plain numpy integers cannot be null, and as floats nanoseconds would be rounded."""


def as_frame(batch: pa.Table, checks: Sequence[Check], measured: Mapping[int, Values], first_row: int) -> pd.DataFrame:
    bounded = {check.columns[0] for check in checks if isinstance(check.test, Within) and check.measure is None}
    columns = {batch_name(path): _column(batch[path], bounded=path in bounded) for path in batch.column_names}
    worked_out = {measure_name(number): values.to_pandas() for number, values in measured.items()}
    return pd.DataFrame({ROW: range(first_row, first_row + len(batch))} | columns | worked_out)


def _column(values: pa.ChunkedArray, *, bounded: bool) -> pd.Series[Any]:
    """Where there are bounds as numpy's, else every value is compared in Python; no bound is beyond a float's reach."""
    if pa.types.is_nested(values.type):
        # Only whether it is there is asked, and Great Expectations hashes every batch.
        return pc.if_else(pc.is_valid(values), True, None).to_pandas()
    if bounded and pa.types.is_integer(values.type):
        return values.cast(pa.int64()).to_pandas()
    return values.to_pandas(types_mapper=_EXACT.get)
