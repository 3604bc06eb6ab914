"""Classic pcap (draft-ietf-opsawg-pcap): both byte orders, micro- and nanoseconds, the modified (Kuznetzov) header."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from decoders.errors import Malformed, NotThisFormat, Truncated
from decoders.limits import MAX_RECORD_BYTES, MAX_RECORDS_AT_ONCE
from ingest.containers.model import (
    ByteOrder,
    DamageNote,
    Interface,
    Position,
    Records,
    Section,
    Step,
    beyond_snap_length,
    unaligned,
)

if TYPE_CHECKING:
    import numpy.typing as npt

FILE_HEADER = 24
CHAIN = 8
"""Records in a row that must look right before a guess is believed: one alone is easily imitated by payload."""
GUESS_WINDOW = 16_384
"""Offsets tested at once: the first record is usually within a few kilobytes."""
MAX_PAUSE_SECONDS = 86_400
"""Between records in such a row, forth or back. A longer pause makes a guess fail, which costs only time."""


@dataclass(frozen=True, slots=True)
class _Variant:
    ticks_per_second: int
    record_header: int


_VARIANTS = {
    0xA1B2C3D4: _Variant(1_000_000, 16),
    0xA1B23C4D: _Variant(1_000_000_000, 16),
    # Alexey Kuznetzov's patched libpcap: interface index, protocol and packet type follow the usual four fields.
    0xA1B2CD34: _Variant(1_000_000, 24),
}

MAGICS: dict[bytes, tuple[ByteOrder, _Variant]] = {
    struct.pack(f"{order}I", magic): (order, variant) for magic, variant in _VARIANTS.items() for order in ("<", ">")
}


class Pcap:
    name = "pcap"

    def opening(self, head: bytes) -> Position:
        if head[:4] not in MAGICS:
            raise NotThisFormat("no pcap magic number")
        if len(head) < FILE_HEADER:
            raise Truncated(f"the pcap file header has {len(head)} of {FILE_HEADER} bytes")
        byte_order, variant = MAGICS[head[:4]]
        major, minor, _zone, _accuracy, snap_len, link = struct.unpack_from(f"{byte_order}HHiIII", head, 4)
        if major != 2:
            raise Malformed(f"pcap version {major}.{minor} is not 2.x", 4)
        # The upper half of the last field tells about frame check sequences, not about the link type.
        interface = Interface(link & 0xFFFF, snap_len, variant.ticks_per_second)
        return Position(FILE_HEADER, Section(byte_order, (interface,), variant.record_header))

    def walk(self, buffer: bytes, start: Position, limit: int, *, at_end: bool) -> Step:
        section, base, header = start.section, start.offset, start.section.record_header
        captured_len = struct.Struct(f"{section.byte_order}8xI").unpack_from
        found: list[int] = []
        found_append = found.append
        at, size = 0, len(buffer)
        last_start = min(limit - base, size - header + 1)
        damage = None
        for _ in range(MAX_RECORDS_AT_ONCE):
            if at >= last_start:
                break
            length = captured_len(buffer, at)[0]
            following = at + header + length
            if following > size or length > MAX_RECORD_BYTES:
                if length > MAX_RECORD_BYTES:
                    damage = DamageNote("record-length-absurd", f"a record claims {length} captured bytes", base + at)
                break
            found_append(at)
            at = following
        ended = len(found) < MAX_RECORDS_AT_ONCE
        if damage is None and ended and at_end and base + at < limit and at < size:
            damage = _cut(buffer, at, base, section)
        records = _columns(buffer, base, section, found)
        return Step([records] if found else [], Position(base + at, section), damage, beyond_snap_length(records))

    def guess(self, buffer: bytes, at: int, opening: Position) -> Position | None:
        section = opening.section
        header = section.record_header
        if len(buffer) < header:
            return None
        fields = np.dtype([(name, f"{section.byte_order}u4") for name in ("seconds", "fraction", "captured", "wire")])
        starts = unaligned(buffer, fields)[: len(buffer) - header + 1]
        possible = None
        for first in range(0, len(starts), GUESS_WINDOW):
            plausible = _plausible(starts[first : first + GUESS_WINDOW], section)
            for candidate in (np.flatnonzero(plausible) + first).tolist():
                holds = _chain_holds(starts, candidate, section)
                if holds:
                    return Position(at + candidate, section)
                if holds is None and possible is None:
                    possible = Position(at + candidate, section)
        return possible


def _plausible(starts: npt.NDArray[np.void], section: Section) -> npt.NDArray[np.bool_]:
    captured, wire = starts["captured"], starts["wire"]
    result: npt.NDArray[np.bool_] = (
        (starts["fraction"] < section.interfaces[0].ticks_per_second)
        & (captured <= MAX_RECORD_BYTES)
        & (captured > 0)
        & (wire >= captured)
        & (wire <= 2 * MAX_RECORD_BYTES)
    )
    return result


def _chain_holds(starts: npt.NDArray[np.void], at: int, section: Section) -> bool | None:
    """None: it leaves the buffer before it is long enough, and not exactly at its end as the last record does."""
    last = int(starts[at]["seconds"])
    for _ in range(CHAIN):
        if at >= len(starts):
            return True if at == len(starts) + section.record_header - 1 else None
        now = int(starts[at]["seconds"])
        if not _plausible(starts[at : at + 1], section)[0] or abs(now - last) > MAX_PAUSE_SECONDS:
            return False
        last = now
        at += section.record_header + int(starts[at]["captured"])
    return True


def _cut(buffer: bytes, at: int, base: int, section: Section) -> DamageNote:
    left = len(buffer) - at
    if left < section.record_header:
        return DamageNote("record-cut", f"the file ends after {left} bytes of a record header", base + at)
    length = struct.unpack_from(f"{section.byte_order}I", buffer, at + 8)[0]
    have = left - section.record_header
    return DamageNote("record-cut", f"the file ends after {have} of a packet's {length} bytes", base + at)


def _columns(buffer: bytes, base: int, section: Section, found: list[int]) -> Records:
    at = np.array(found, np.int64)
    # Whole headers in one go: field by field, each would miss the cache again.
    headers = unaligned(buffer, "V16")[at].view(f"{section.byte_order}u4").reshape(-1, 4).astype(np.int64)
    nanoseconds_per_tick = 1_000_000_000 // section.interfaces[0].ticks_per_second
    return Records(
        buffer=buffer,
        base=base,
        interfaces=section.interfaces,
        record_offset=at,
        data_offset=at + section.record_header,
        captured_len=headers[:, 2].copy(),
        wire_len=headers[:, 3].copy(),
        ts_ns=headers[:, 0] * 1_000_000_000 + headers[:, 1] * nanoseconds_per_tick,
        interface=np.zeros(len(at), np.int64),
        slot=np.zeros(len(at), np.int64),
    )
