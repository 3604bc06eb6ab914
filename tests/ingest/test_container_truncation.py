"""A capture cut at any byte gives the packets that are whole; random bytes give packets or damage, never an error."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from decoders.errors import DecodeError
from ingest.captures import CONTAINERS
from tests.builders import containers as c
from tests.ingest.reading import rows_of, step_of

ORDERS = pytest.mark.parametrize("order", ["<", ">"])


def cut_everywhere(opening: bytes, pieces: list[tuple[bytes, int]]) -> None:
    """`pieces` are records with the number of packets in each."""
    whole = opening + b"".join(piece for piece, _ in pieces)
    ends = [len(opening)]
    for piece, _ in pieces:
        ends.append(ends[-1] + len(piece))
    for cut in range(len(opening), len(whole) + 1):
        step = step_of(whole[:cut])
        before = sum(end <= cut for end in ends[1:])
        assert len(rows_of(step.records)) == sum(packets for _, packets in pieces[:before]), cut
        if cut in ends:
            assert step.damage is None, cut
        else:
            assert step.damage is not None, cut
            assert (step.damage.code, step.damage.offset) == ("record-cut", ends[before]), cut


@ORDERS
@pytest.mark.parametrize("modified", [False, True])
def test_a_pcap_cut_anywhere_gives_its_whole_packets(order: c.ByteOrder, modified: bool) -> None:
    packets = [c.Packet(b"first"), c.Packet(b""), c.Packet(b"\x10\0\0\0" * 5), c.Packet(b"last")]
    records = [(c.pcap_record(packet, order, modified=modified), 1) for packet in packets]
    cut_everywhere(c.pcap_header(order, modified=modified), records)


@ORDERS
def test_a_pcapng_cut_anywhere_gives_its_whole_packets(order: c.ByteOrder) -> None:
    other: c.ByteOrder = ">" if order == "<" else "<"
    pieces = [
        (c.epb(b"first", options=((1, b"note"),))(order), 1),
        (c.names()(order), 0),
        (c.spb(b"simple")(order), 1),
        (c.interface(101, resolution=c.ten(9))(order), 0),
        (c.block(77, b"unknown")(order), 0),
        (c.opb(b"obsolete", number=1)(order), 1),
        (c.section()(other), 0),
        (c.epb(b"second section")(other), 1),
    ]
    cut_everywhere(c.pcapng(c.section(), c.interface(), byte_order=order), pieces)


HEADERS = [
    c.pcap_header("<"),
    c.pcap_header(">"),
    c.pcap_header(modified=True),
    c.pcapng(c.section(), c.interface()),
    c.pcapng(c.section(), c.interface(), byte_order=">"),
]
NUMBERS = st.sampled_from([*range(40), 0x0A0D0D0A, 0x1A2B3C4D, 0x4D3C2B1A, 2**18, 2**18 + 1, 2**32 - 4, 2**32 - 1])
NOISE = st.binary(max_size=200) | st.lists(NUMBERS, max_size=60).map(
    lambda numbers: b"".join(number.to_bytes(4, "little") for number in numbers)
)


@given(st.sampled_from(HEADERS), NOISE)
def test_random_bytes_after_a_header_end_in_records_or_damage(header: bytes, noise: bytes) -> None:
    try:
        step = step_of(header + noise)
    except DecodeError:
        return  # the noise began with an interface block that is none
    for row in rows_of(step.records):
        assert len(header) <= row.offset < len(header) + len(noise)
    if step.damage is None:
        assert step.next.offset == len(header) + len(noise)
    else:
        assert step.next.offset <= step.damage.offset < len(header) + len(noise)


@given(st.binary(max_size=100))
@example(b"\x0a\x0d\x0d\x0a")
@example(b"\x0a\x0d\x0d\x0a\0\0\0\0\x1a\x2b\x3c\x4d")
def test_an_opening_reads_or_raises_a_decode_error(head: bytes) -> None:
    for container in CONTAINERS.values():
        try:
            assert container.opening(head).offset <= len(head)
        except DecodeError as error:
            assert error.detail  # noqa: PT017 - both ends are right


@given(st.sampled_from(HEADERS), NOISE, st.integers(0, 7))
def test_a_guess_in_random_bytes_lies_in_them_or_is_none(header: bytes, noise: bytes, at: int) -> None:
    container = CONTAINERS["pcapng" if header[0] == 0x0A else "pcap"]
    opening = container.opening(header)
    found = container.guess(noise, opening.offset + at, opening)
    assert found is None or opening.offset + at <= found.offset < opening.offset + at + len(noise)
