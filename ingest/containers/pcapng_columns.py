"""The packets of a buffer of pcapng as columns, whatever sections and interfaces they are of.

A hostile file may describe an interface before every packet, or begin a section: neither ends a batch of packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from decoders.limits import MAX_RECORD_BYTES
from ingest.containers.model import NOT_DESCRIBED, ByteOrder, Interface, Records, Section, unaligned
from schemas.times import NO_TIME

if TYPE_CHECKING:
    import numpy.typing as npt

    from ingest.containers.model import Column

OPB, SPB = 2, 3
_SMALLEST_SIMPLE = 16
_BILLION = 1_000_000_000


class Described:
    """The interfaces of the sections of a buffer, each known from some packet on."""

    def __init__(self, section: Section) -> None:
        self._slots: dict[Interface, int] = {}
        """Of those that differ: a section may describe one and the same without end."""
        self._all: list[int] = []
        """Their slots, section after section."""
        self._begun: list[tuple[int, int, int, bool]] = []
        """Since which packet which are known: the first of them and how many, and whether numbers are big-endian."""
        self._begin(section, 0)

    @property
    def section(self) -> Section:
        return Section(self.byte_order, tuple(self._current))

    @property
    def count(self) -> int:
        """Of the section."""
        return len(self._current)

    def begin(self, byte_order: ByteOrder, packets: int) -> None:
        self._begin(Section(byte_order, ()), packets)

    def add(self, interface: Interface, packets: int) -> None:
        self._current.append(interface)
        self._all.append(self._slots.setdefault(interface, len(self._slots)))
        self._know(packets)

    def _begin(self, section: Section, packets: int) -> None:
        self.byte_order: ByteOrder = section.byte_order
        self._current = list(section.interfaces)
        self._first = len(self._all)
        self._all += [self._slots.setdefault(one, len(self._slots)) for one in section.interfaces]
        self._know(packets)

    def _know(self, packets: int) -> None:
        if self._begun and self._begun[-1][0] == packets:
            self._begun.pop()
        self._begun.append((packets, self._first, len(self._current), self.byte_order == ">"))

    def records(self, buffer: bytes, base: int, at: Column) -> Records:
        since, first, known, big = np.array(self._begun, np.int64).T
        of = np.searchsorted(since, np.arange(len(at)), side="right") - 1
        u16, u32 = (_Numbers(buffer, size, big[of].astype(np.bool_)) for size in (2, 4))
        kind = u32.at(at)
        simple = kind == SPB
        number = np.where(kind == OPB, u16.at(at + 8), np.where(simple, 0, u32.at(at + 8)))
        slots = np.array([*self._all, NOT_DESCRIBED], np.int64)
        slot = slots[np.where(number < known[of], first[of] + number, len(self._all))]
        captured, wire = u32.at(at + 20 - 12 * simple), u32.at(at + 24 - 16 * simple)
        interfaces = tuple(self._slots)
        if simple.any():
            # A simple packet has no captured length of its own: the interface's snap length and the block bound it.
            limits = np.array([*(one.snap_len or MAX_RECORD_BYTES for one in interfaces), MAX_RECORD_BYTES])
            snap_len = limits[np.minimum(slot, len(interfaces))]
            in_block = u32.at(at + 4) - _SMALLEST_SIMPLE
            captured = np.where(simple, np.minimum(np.minimum(wire, snap_len), in_block), captured)
        # A simple packet has no time, and may end the buffer.
        high, low = (u32.at(at + np.where(simple, 0, place)).astype(np.uint64) for place in (12, 16))
        return Records(
            buffer=buffer,
            base=base,
            interfaces=interfaces,
            record_offset=at,
            data_offset=at + np.where(simple, 12, 28),
            captured_len=captured,
            wire_len=wire,
            ts_ns=_nanoseconds(high << np.uint64(32) | low, np.where(simple, NOT_DESCRIBED, slot), interfaces),
            interface=number,
            slot=slot,
        )


class _Numbers:
    """Unsigned ones of a buffer; of each packet in the byte order of its section."""

    def __init__(self, buffer: bytes, size: int, big: npt.NDArray[np.bool_]) -> None:
        self._little, self._big = (unaligned(buffer, f"{order}u{size}") for order in "<>")
        self._is_big = big
        self._orders = frozenset(np.unique(big).tolist())

    def at(self, places: Column) -> Column:
        if self._orders == {True}:
            return self._big[places].astype(np.int64)
        if True not in self._orders:
            return self._little[places].astype(np.int64)
        return np.where(self._is_big, self._big[places], self._little[places]).astype(np.int64)


def _nanoseconds(ticks: npt.NDArray[np.uint64], slot: Column, interfaces: tuple[Interface, ...]) -> Column:
    result = np.full(len(ticks), NO_TIME, np.int64)
    rows = np.flatnonzero(slot < len(interfaces))
    if not len(rows):
        return result
    of_slot = np.array([one.ticks_per_second for one in interfaces], np.uint64)
    offset = np.array([one.offset_seconds for one in interfaces], np.int64)[slot[rows]]
    per_second = of_slot[slot[rows]]
    seconds, rest = np.divmod(ticks[rows], per_second)
    fine = np.flatnonzero(per_second > _BILLION)
    # Where rest times a billion would leave 64 bits it is worked out one by one.
    nanoseconds = (rest * np.uint64(_BILLION) // per_second).astype(np.int64)
    told = zip(rest[fine].tolist(), per_second[fine].tolist(), strict=True)
    nanoseconds[fine] = [one * _BILLION // whole for one, whole in told]
    # A time beyond the year 2262 is a damaged or hostile one: it may wrap, it must not stop the run.
    with np.errstate(over="ignore"):
        result[rows] = (seconds.astype(np.int64) + offset) * _BILLION + nanoseconds
    return result
