"""Captures are stored by the number they were added under, and ordered by time in a run: the way between the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.facts.stored_form import renumbered
from schemas.internal import CONNECTIONS, FACTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.model import Table


@dataclass(frozen=True, slots=True)
class Renumbering:
    """Of the captures named in rows of a state table."""

    to: Mapping[int, int]

    @property
    def changes_nothing(self) -> bool:
        return all(number == other for number, other in self.to.items())

    def reversed(self) -> Renumbering:
        return Renumbering({other: number for number, other in self.to.items()})

    def batch(self, batch: pa.RecordBatch, table: Table) -> pa.RecordBatch:
        if self.changes_nothing or not len(batch):
            return batch
        if table.name == FACTS.name:  # pickled, it is another object
            rows = [renumbered(row, self.to) for row in batch.to_pylist()]
            return pa.RecordBatch.from_pylist(rows, schema=batch.schema)
        columns = {name: batch.column(name) for name in batch.schema.names}
        if "file" in columns:
            columns["file"] = self._files(columns["file"])
        if table.name == CONNECTIONS.name:
            columns["counts"] = self._counts(columns["counts"])
        return pa.RecordBatch.from_arrays(list(columns.values()), schema=batch.schema)

    def _counts(self, counts: pa.ListArray) -> pa.ListArray:
        inner = counts.flatten()
        fields = [inner.field(place) for place in range(inner.type.num_fields)]
        where = inner.type.get_field_index("file")
        fields[where] = self._files(fields[where])
        lengths = pc.fill_null(pc.list_value_length(counts), 0).to_numpy()
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        struct = pa.StructArray.from_arrays(fields, fields=list(inner.type))
        return pa.ListArray.from_arrays(pa.array(offsets), struct, type=counts.type)

    def _files(self, files: Any) -> pa.Array:  # noqa: ANN401 - an array of pyarrow's
        # What is said of no capture, as -1 of the beginning of time, stays so.
        return pa.array([self.to.get(file, file) for file in files.to_pylist()], files.type)
