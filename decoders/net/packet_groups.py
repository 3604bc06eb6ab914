"""Many packets that stand before the same kind of header, and one gather for all their headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from decoders.net.model import Bytes, Column

    Rows: TypeAlias = slice | Column


@dataclass(slots=True)
class PacketGroup:
    rows: Rows
    """Which packets: a slice while it is a whole block, because writing columns by slice is several times faster."""
    at: Column  # int64, offset in the buffer of the header to read next
    end: Column  # int64, end of the captured bytes
    wire_end: Column  # int64, end on the wire

    def __len__(self) -> int:
        return len(self.at)

    def row_numbers(self) -> Column:
        return np.arange(self.rows.start, self.rows.stop) if isinstance(self.rows, slice) else self.rows

    def only(self, mask: Column) -> PacketGroup:
        if mask.all():
            return self
        return PacketGroup(self.row_numbers()[mask], self.at[mask], self.end[mask], self.wire_end[mask])

    def skip(self, size: int | Column) -> PacketGroup:
        return PacketGroup(self.rows, self.at + size, self.end, self.wire_end)


def gather(octets: Bytes, at: Column, layout: np.dtype[np.void]) -> Column:
    """The `layout` at each offset, unaligned; the caller has made sure that all of it lies in the buffer.

    As plain bytes: numpy copies a structure field by field, four times slower. Use `.view(layout)` on the result.
    """
    size = layout.itemsize
    windows = np.ndarray((max(0, len(octets) - size + 1),), f"V{size}", buffer=octets, strides=(1,))
    return windows[at]


def pick(values: Column, mask: Column) -> Column:
    return values if mask.all() else values[mask]
