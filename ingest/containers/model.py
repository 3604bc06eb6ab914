"""What the container formats have in common."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from decoders.limits import MAX_RECORD_BYTES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[Any]

ByteOrder = Literal["<", ">"]
NOT_DESCRIBED: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class Interface:
    link_type: int
    snap_len: int
    """0: no limit."""
    ticks_per_second: int
    offset_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """What must be known to read on: a pcap file is one section, a pcapng file has any number of them."""

    byte_order: ByteOrder
    interfaces: tuple[Interface, ...]
    record_header: int = 16
    """Bytes before each packet; pcap only."""


@dataclass(frozen=True, slots=True)
class Position:
    """A record boundary. Two readers that stand at equal positions read the same records from there on."""

    offset: int
    section: Section

    def to_json(self) -> str:
        rows = [[i.link_type, i.snap_len, i.ticks_per_second, i.offset_seconds] for i in self.section.interfaces]
        return json.dumps([self.offset, self.section.byte_order, self.section.record_header, rows])

    @staticmethod
    def from_json(text: str) -> Position:
        offset, byte_order, record_header, rows = json.loads(text)
        return Position(offset, Section(byte_order, tuple(Interface(*row) for row in rows), record_header))


@dataclass(frozen=True, slots=True)
class DamageNote:
    """Something an investigator should know of a place in the file."""

    code: str
    detail: str
    offset: int


@dataclass(slots=True)
class Records:
    """Packets as columns over a buffer that holds their bytes."""

    buffer: bytes
    base: int
    """File offset of buffer[0]."""
    interfaces: tuple[Interface, ...]
    """Those that differ, of all sections that the packets are of."""
    record_offset: npt.NDArray[np.int64]
    data_offset: npt.NDArray[np.int64]
    captured_len: npt.NDArray[np.int64]
    wire_len: npt.NDArray[np.int64]
    ts_ns: npt.NDArray[np.int64]
    interface: npt.NDArray[np.int64]
    """Its number, by which the packet names it."""
    slot: npt.NDArray[np.int64]
    """Its place among `interfaces`; NOT_DESCRIBED where no block of the section describes it so far."""

    def __len__(self) -> int:
        return len(self.record_offset)


@dataclass(slots=True)
class Step:
    """One buffer's worth of walking."""

    records: list[Records]
    next: Position
    """Where to go on; may lie beyond the buffer when a block was skipped."""
    damage: DamageNote | None = None
    """Set: nothing after it can be trusted, reading ends here."""
    notes: list[DamageNote] = field(default_factory=list)


class Container(Protocol):
    """One container format, without state: all state is in the Position."""

    name: str

    def opening(self, head: bytes) -> Position:
        """Read the file header. Raises DecodeError."""
        ...

    def walk(self, buffer: bytes, start: Position, limit: int, *, at_end: bool) -> Step:
        """Read the records that begin before file offset `limit`; buffer[0] stands at start.offset."""
        ...

    def guess(self, buffer: bytes, at: int, opening: Position) -> Position | None:
        """The first record boundary in a buffer from file offset `at`, most likely. Never trusted unverified."""
        ...


def unaligned(buffer: bytes, dtype: str | np.dtype[Any]) -> npt.NDArray[Any]:
    """A view that has the value starting at byte i as its element i."""
    import numpy as np  # noqa: PLC0415 - keeps this module free of numpy for those who only need its names

    item = np.dtype(dtype)
    return np.ndarray(shape=(max(0, len(buffer) - item.itemsize + 1),), dtype=item, buffer=buffer, strides=(1,))


def beyond_snap_length(records: Records) -> list[DamageNote]:
    """At most one note: a wrong snap length in a header concerns every packet of the file alike."""
    import numpy as np  # noqa: PLC0415

    limits = [interface.snap_len or MAX_RECORD_BYTES for interface in records.interfaces]
    allowed = np.array([*limits, MAX_RECORD_BYTES])[np.minimum(records.slot, len(limits))]
    over = np.flatnonzero(records.captured_len > allowed)
    if not len(over):
        return []
    first = int(over[0])
    detail = f"{records.captured_len[first]} captured bytes where the header allows {allowed[first]}"
    return [DamageNote("record-beyond-snap-length", detail, records.base + int(records.record_offset[first]))]
