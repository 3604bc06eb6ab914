"""Frames count from 0 within their split until the chain of splits is proven; then from 1 within the capture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ingest.stream_bases import NEVER, NUMBER_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from pipelines.captures.scan import ReadSplit


@dataclass(frozen=True, slots=True)
class FramePlaces:
    """The first frame of each split, by (file, split). Rows of other splits have final frames."""

    first: Mapping[tuple[int, int], int]

    @classmethod
    def of(cls, splits: Iterable[ReadSplit]) -> FramePlaces:
        return cls({(one.split.file, one.split.index): one.first_frame for one in splits})

    def placed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows, which have `file` and `split`, with final frames."""
        first = self._first_frames(batch)
        columns = list(batch.columns)
        for number, field in enumerate(batch.schema):
            if field.name == "frame":
                columns[number] = _added(columns[number], first)
            elif field.name in ("base_low", "base_high"):
                columns[number] = _added(columns[number], first << NUMBER_BITS)
        return pa.RecordBatch.from_arrays(columns, schema=batch.schema)

    def _first_frames(self, batch: pa.RecordBatch) -> npt.NDArray[np.int64]:
        file, split = (batch.column(name).to_numpy().astype(np.int64) for name in ("file", "split"))
        places, which = np.unique(file << 32 | (split + 1), return_inverse=True)
        first = [self.first.get((int(one) >> 32, (int(one) & 0xFFFF_FFFF) - 1), 0) for one in places]
        return np.array(first, np.int64)[which]


def _added(column: pa.Array, numbers: npt.NDArray[np.int64]) -> pa.Array:
    missing = column.is_null().to_numpy(zero_copy_only=False)
    sums = column.fill_null(NEVER).to_numpy(zero_copy_only=False)
    return pa.array(np.where(missing, sums, sums + np.where(missing, 0, numbers)), column.type, mask=missing)
