"""pcap: every variant is read back exactly, and what is wrong is told."""

from __future__ import annotations

import struct

import pytest

from decoders.errors import Malformed, NotThisFormat, Truncated
from decoders.limits import MAX_RECORD_BYTES
from ingest.containers.model import DamageNote, Interface, Position
from ingest.containers.pcap import Pcap
from tests.builders.containers import ByteOrder, Packet, pcap, pcap_header, pcap_record
from tests.ingest.reading import Row, rows_of, step_of

ORDERS = pytest.mark.parametrize("order", ["<", ">"])


@ORDERS
@pytest.mark.parametrize(
    ("nanoseconds", "modified", "tick_ns", "header"),
    [(False, False, 1_000, 16), (True, False, 1, 16), (False, True, 1_000, 24)],
    ids=["micro", "nano", "modified"],
)
def test_reads_back_every_variant(
    order: ByteOrder, nanoseconds: bool, modified: bool, tick_ns: int, header: int
) -> None:
    ticks = 1_700_000_000_123_456 * (1_000 // tick_ns) + 7
    packets = [Packet(b"first", ticks), Packet(b"", ticks + 1), Packet(b"cut off", ticks + 2, wire_len=1_500)]
    data = pcap(packets, order, nanoseconds=nanoseconds, modified=modified, link_type=113, snap_len=99)
    step = step_of(data)
    second, third = 24 + header + 5, 24 + 2 * header + 5
    assert rows_of(step.records) == [
        Row(24, ticks * tick_ns, b"first", 5, 0, 113),
        Row(second, (ticks + 1) * tick_ns, b"", 0, 0, 113),
        Row(third, (ticks + 2) * tick_ns, b"cut off", 1_500, 0, 113),
    ]
    assert (step.damage, step.notes, step.next.offset) == (None, [], len(data))
    assert step.next.section.interfaces == (Interface(113, 99, 1_000_000_000 // tick_ns),)


def test_reads_the_times_of_the_whole_unsigned_range() -> None:
    late = (2**32 - 1) * 1_000_000 + 999_999
    assert rows_of(step_of(pcap([Packet(b"x", late)])).records)[0].ts_ns == late * 1_000


def test_leaves_the_frame_check_bits_out_of_the_link_type() -> None:
    assert Pcap().opening(pcap_header(link_type=0x5400_0001)).section.interfaces[0].link_type == 1


@pytest.mark.parametrize(
    ("head", "error", "says"),
    [
        (b"", NotThisFormat, "magic"),
        (b"\x0a\x0d\x0d\x0a" + bytes(20), NotThisFormat, "magic"),
        (pcap_header()[:23], Truncated, "23 of 24"),
        (pcap_header(version=(3, 0)), Malformed, r"version 3\.0"),
        (pcap_header(">", version=(543, 1)), Malformed, r"version 543\.1"),
    ],
    ids=["empty", "other", "cut", "version-3", "version-big-endian"],
)
def test_refuses_a_file_header_that_is_none(head: bytes, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        Pcap().opening(head)


def test_accepts_any_minor_version() -> None:
    assert Pcap().opening(pcap_header(version=(2, 2))).offset == 24


@ORDERS
def test_ends_at_an_absurd_length_and_keeps_what_came_before(order: ByteOrder) -> None:
    good = pcap([Packet(b"good")], order)
    bad = pcap_record(Packet(b"bad"), order, claimed=MAX_RECORD_BYTES + 1)
    step = step_of(good + bad + bad)
    assert [row.data for row in rows_of(step.records)] == [b"good"]
    assert step.damage == DamageNote("record-length-absurd", "a record claims 262145 captured bytes", len(good))
    assert step.next.offset == len(good)


def test_reads_the_largest_record_that_is_allowed() -> None:
    step = step_of(pcap([Packet(bytes(MAX_RECORD_BYTES)), Packet(b"after")]))
    assert [len(row.data) for row in rows_of(step.records)] == [MAX_RECORD_BYTES, 5]
    assert step.damage is None


def test_notes_the_first_record_beyond_the_snap_length_and_reads_them_all() -> None:
    step = step_of(pcap([Packet(bytes(5)), Packet(bytes(4)), Packet(bytes(6))], snap_len=4))
    assert [len(row.data) for row in rows_of(step.records)] == [5, 4, 6]
    assert [(note.code, note.offset) for note in step.notes] == [("record-beyond-snap-length", 24)]
    assert step.damage is None


def test_a_snap_length_of_zero_is_no_limit() -> None:
    assert step_of(pcap([Packet(bytes(5))], snap_len=0)).notes == []


@pytest.mark.parametrize(
    ("kept", "says"),
    [(1, "after 1 bytes of a record header"), (15, "after 15 bytes"), (16, "after 0 of a packet's 4 bytes")],
)
def test_says_where_the_file_was_cut(kept: int, says: str) -> None:
    whole = pcap([Packet(b"good"), Packet(b"last")])
    damage = step_of(whole[: 24 + 20 + kept]).damage
    assert damage is not None
    assert (damage.code, damage.offset) == ("record-cut", 44)
    assert says in damage.detail


def test_reads_only_records_that_begin_before_the_limit() -> None:
    data = pcap([Packet(b"aaaa"), Packet(b"bbbb"), Packet(b"cccc")])
    opening = Pcap().opening(data)
    for limit, found in ((24, 0), (25, 1), (44, 1), (45, 2), (64, 2), (65, 3)):
        step = Pcap().walk(data[24:], opening, limit, at_end=True)
        assert (len(rows_of(step.records)), step.next.offset) == (found, 24 + 20 * found)
        assert step.damage is None


def test_a_position_survives_its_way_through_json() -> None:
    position = Pcap().opening(pcap_header(">", modified=True, link_type=276, snap_len=2**32 - 1))
    assert Position.from_json(position.to_json()) == position


def test_odd_fractions_do_not_stop_the_reading() -> None:
    record = struct.pack("<IIII", 2**32 - 1, 2**32 - 1, 0, 0)
    for nanoseconds in (False, True):
        step = step_of(pcap_header(nanoseconds=nanoseconds) + record)
        tick = 1 if nanoseconds else 1_000
        assert rows_of(step.records)[0].ts_ns == (2**32 - 1) * (1_000_000_000 + tick)
