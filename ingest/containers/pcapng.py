"""pcapng: draft-ietf-opsawg-pcapng. Both byte orders, any number of sections and interfaces, unknown blocks skipped."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from decoders.errors import Malformed, NotThisFormat, Truncated
from decoders.limits import MAX_RECORD_BYTES, MAX_RECORDS_AT_ONCE
from ingest.containers.model import ByteOrder, DamageNote, Position, Section, Step, beyond_snap_length
from ingest.containers.pcapng_columns import OPB, SPB, Described
from ingest.containers.pcapng_options import interface_of

if TYPE_CHECKING:
    import numpy.typing as npt

SHB, IDB, EPB = 0x0A0D0D0A, 1, 6
_KNOWN = (SHB, IDB, OPB, SPB, 4, 5, EPB)
_PACKETS = (EPB, OPB, SPB)
SMALLEST = {SHB: 28, IDB: 20, OPB: 32, SPB: 16, EPB: 32}
"""Total length of each block without options and packet bytes."""

MAGIC = struct.pack("<I", SHB)
_BYTE_ORDERS: dict[bytes, ByteOrder] = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
CHAIN = 4
"""Blocks in a row that must look right before a guess is believed; each repeats its length at its end."""
MAX_BLOCK = 8 * 1024 * 1024
"""Largest block we look into (others are skipped by length): the draft sets no bound, real ones stay far below."""
MAX_INTERFACES = 16_384
"""Of one section: merging captures may add one per file; a section with more is built to exhaust us."""


class Pcapng:
    name = "pcapng"

    def opening(self, head: bytes) -> Position:
        if head[:4] != MAGIC:
            raise NotThisFormat("no section header block")
        order = _BYTE_ORDERS.get(head[8:12])
        if order is None:
            raise (Malformed if len(head) >= 12 else Truncated)("the section header has no byte-order magic", 8)
        # The interface blocks that follow the section header belong to the opening: a split that starts in the middle
        # of the file assumes them, and the verified chain of splits shows whether it was right.
        step = self.walk(head, Position(0, Section(order, ())), _first_after_interfaces(head, order), at_end=False)
        if step.damage:
            raise Malformed(step.damage.detail, step.damage.offset)
        if step.next.offset == 0:
            raise Truncated("the file ends inside its section header")
        return step.next

    def walk(self, buffer: bytes, start: Position, limit: int, *, at_end: bool) -> Step:
        described, base = Described(start.section), start.offset
        step = Step([], start)
        packets: list[int] = []
        at, size = 0, len(buffer)
        while base + at < limit and at + 12 <= size and len(packets) < MAX_RECORDS_AT_ONCE:
            at = _enhanced_packets(buffer, at, min(limit - base, size), described.byte_order, packets)
            if base + at >= limit or at + 12 > size or len(packets) >= MAX_RECORDS_AT_ONCE:
                break
            kind, length = struct.unpack_from(f"{described.byte_order}II", buffer, at)
            if kind == SHB:
                order = _BYTE_ORDERS.get(buffer[at + 8 : at + 12])
                if order is None:
                    step.damage = DamageNote("block-malformed", "a section header has no byte-order magic", base + at)
                    break
                length = struct.unpack_from(f"{order}I", buffer, at + 4)[0]
            if problem := _length_problem(kind, length):
                step.damage = DamageNote("block-malformed", problem, base + at)
                break
            following = at + length
            if following > size:
                # Nobody needs the bytes of an unknown block. Where it is larger than a whole buffer it is skipped, and
                # what follows it says whether its length was true.
                if at == 0 and kind not in SMALLEST and not at_end:
                    at = following
                break
            if (closing := _closing_problem(buffer, kind, following, length, described.byte_order)) is not None:
                step.damage = DamageNote("block-malformed", closing, base + at)
                break
            if kind in _PACKETS:
                packets.append(at)
            elif kind in (SHB, IDB):
                try:
                    _describe(described, buffer[at : at + length], kind, len(packets))
                except Malformed as error:
                    step.damage = DamageNote("block-malformed", error.detail, base + at)
                    break
            at = following
        if packets:
            step.records.append(described.records(buffer, base, np.array(packets, np.int64)))
            step.notes += beyond_snap_length(step.records[-1])
        step.next = Position(base + at, described.section)
        ended = len(packets) < MAX_RECORDS_AT_ONCE
        if step.damage is None and ended and at_end and base + at < limit and at < size:
            step.damage = DamageNote("record-cut", f"the file ends after {size - at} bytes of a block", base + at)
        return step

    def guess(self, buffer: bytes, at: int, opening: Position) -> Position | None:
        section = opening.section
        skip = -at % 4  # blocks are padded to 32 bits, so they all begin at a multiple of four
        if len(buffer) < skip + 12:
            return None
        words = np.frombuffer(buffer, f"{section.byte_order}u4", count=(len(buffer) - skip) // 4, offset=skip)
        kinds, lengths = words[:-1], words[1:]
        plausible = np.isin(kinds, _KNOWN) & (lengths % 4 == 0) & (lengths >= 12) & (lengths <= MAX_RECORD_BYTES * 2)
        possible = None
        for candidate in np.flatnonzero(plausible).tolist():
            holds = _chain_holds(words, plausible, candidate)
            if holds:
                return Position(at + skip + 4 * candidate, section)
            if holds is None and possible is None:
                possible = Position(at + skip + 4 * candidate, section)
        return possible


def _enhanced_packets(buffer: bytes, at: int, limit: int, order: ByteOrder, packets: list[int]) -> int:
    """The run of flawless enhanced packet blocks from here on, which is nearly all of any file; where it ends."""
    head = struct.Struct(f"{order}II12xI").unpack_from
    closing = struct.Struct(f"{order}I").unpack_from
    append, smallest, last = packets.append, SMALLEST[EPB], len(buffer) - SMALLEST[EPB]
    while at < limit and at <= last and len(packets) < MAX_RECORDS_AT_ONCE:
        kind, length, captured = head(buffer, at)
        following = at + length
        if kind != EPB or not smallest + captured <= length <= MAX_BLOCK or captured > MAX_RECORD_BYTES:
            break
        if length & 3 or following > len(buffer) or closing(buffer, following - 4)[0] != length:
            break
        append(at)
        at = following
    return at


def _first_after_interfaces(head: bytes, order: ByteOrder) -> int:
    pair = struct.Struct(f"{order}II").unpack_from
    at: int = max(pair(head)[1], SMALLEST[SHB])
    while at + 12 <= len(head):
        kind, length = pair(head, at)
        if kind != IDB or length < SMALLEST[IDB]:
            break
        at += length
    return at


def _chain_holds(words: npt.NDArray[np.uint32], plausible: npt.NDArray[np.bool_], at: int) -> bool | None:
    """None: it leaves the buffer before it is long enough, and not exactly at its end as the last block does."""
    for _ in range(CHAIN):
        if at >= len(plausible):
            return True if at == len(words) else None
        if not plausible[at]:
            return False
        length = int(words[at + 1])
        closing = at + length // 4 - 1
        if closing < len(words) and words[closing] != length:
            return False
        at = closing + 1
    return True


def _length_problem(kind: int, length: int) -> str | None:
    if length % 4 or length < SMALLEST.get(kind, 12):
        return f"a block of type {kind} claims {length} bytes"
    if kind in SMALLEST and length > MAX_BLOCK:
        return f"a block of type {kind} claims {length} bytes"
    return None


def _closing_problem(buffer: bytes, kind: int, following: int, length: int, order: ByteOrder) -> str | None:
    if kind == SHB:
        order = _BYTE_ORDERS[buffer[following - length + 8 : following - length + 12]]
    closing = struct.unpack_from(f"{order}I", buffer, following - 4)[0]
    if closing != length:
        return f"a block opens with length {length} and closes with {closing}"
    if kind in (EPB, OPB):
        captured = struct.unpack_from(f"{order}I", buffer, following - length + 20)[0]
        if captured > min(length - 32, MAX_RECORD_BYTES):
            return f"a packet of {captured} captured bytes in a block of {length}"
    return None


def _describe(described: Described, block: bytes, kind: int, packets: int) -> None:
    """`packets`: that came before."""
    if kind == IDB:
        if described.count >= MAX_INTERFACES:
            raise Malformed(f"a section describes more than {MAX_INTERFACES} interfaces")
        described.add(interface_of(block, described.byte_order), packets)
        return
    order = _BYTE_ORDERS[block[8:12]]
    major, minor = struct.unpack_from(f"{order}HH", block, 12)
    if major != 1:
        raise Malformed(f"pcapng version {major}.{minor} is not 1.x")
    described.begin(order, packets)
