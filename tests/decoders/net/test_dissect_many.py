"""The numpy path gives what dissect() gives, in every column of every row."""

from __future__ import annotations

import gc
import gzip
import weakref
from dataclasses import asdict, fields
from pathlib import Path

import dpkt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.net import bulk
from decoders.net.bulk import dissect_many
from decoders.net.dissect import dissect
from decoders.net.model import Dissected, Headers, PacketOutcome, SetAside, TcpHeader
from tests.decoders.net.shapes import ASIDE, FRAME, LINK_TYPES, PAYLOAD, SHAPES, Shape

CAPTURES = Path(__file__).parents[3].parent / "shared" / "captures"
VALID = [(shape.link_type, shape.packet) for shape in SHAPES] + list(ASIDE)
ONE_BY_ONE = {"four tags", "snap", "snap ipv6", "hop by hop", "extensions", "atomic fragment", "erspan 3 ip"}
UNEXPLAINED = {PacketOutcome.NOT_IP, PacketOutcome.NOT_TCP, PacketOutcome.UNSUPPORTED_LINK}


def address(high: int, low: int, version: int) -> bytes:
    return (int(high) << 64 | int(low)).to_bytes(16, "big")[12 if version == 4 else 0 :]


def read_many(packets: list[bytes], link_type: int, wire_lengths: list[int] | None = None) -> tuple[Headers, list[int]]:
    """The packets as in a capture: each behind a record header, the last one up to the end of the buffer."""
    buffer = b"".join(b"\xee" * 16 + packet for packet in packets)
    lengths = np.array([len(packet) for packet in packets], np.int64)
    starts = np.cumsum(lengths + 16) - lengths
    wire = lengths if wire_lengths is None else np.array(wire_lengths)
    return dissect_many(buffer, starts, lengths, wire, link_type), starts.tolist()


def row(headers: Headers, index: int, start: int) -> Dissected:
    outcome = PacketOutcome(headers.outcome[index])
    if outcome == PacketOutcome.TCP:
        version = int(headers.ip_version[index])
        plain = {field.name: int(getattr(headers, field.name)[index]) for field in fields(TcpHeader)[2:]}
        plain["payload_offset"] -= start
        src = address(headers.src_high[index], headers.src_low[index], version)
        dst = address(headers.dst_high[index], headers.dst_low[index], version)
        return TcpHeader(src=src, dst=dst, **plain)
    if outcome == PacketOutcome.IP_FRAGMENT:
        return headers.fragments[index]
    if outcome in UNEXPLAINED:
        return SetAside(outcome, "", 0)
    return headers.set_aside[index]


def expected(packet: bytes, link_type: int, wire_len: int) -> Dissected:
    found = dissect(packet, link_type, wire_len)
    return SetAside(found.outcome, "", 0) if isinstance(found, SetAside) and found.outcome in UNEXPLAINED else found


def assert_equal(packets: list[bytes], link_type: int, wire_lengths: list[int] | None = None) -> None:
    headers, starts = read_many(packets, link_type, wire_lengths)
    wire = wire_lengths or [len(packet) for packet in packets]
    for index, packet in enumerate(packets):
        assert row(headers, index, starts[index]) == expected(packet, link_type, wire[index]), packet.hex()
    assert len(headers.fragments) == np.count_nonzero(headers.outcome == PacketOutcome.IP_FRAGMENT)
    assert len(headers.set_aside) == np.count_nonzero(headers.outcome >= PacketOutcome.HEADER_CUT)
    for name, column in asdict(headers).items():
        if name not in {"outcome", "fragments", "set_aside"}:
            assert not column[headers.outcome != PacketOutcome.TCP].any(), name


def of_link(link_type: int) -> list[bytes]:
    return [packet for kind, packet in VALID if kind == link_type]


@pytest.mark.parametrize("link_type", LINK_TYPES)
def test_every_shape_cut_at_every_byte(link_type: int) -> None:
    whole = of_link(link_type) or [FRAME]
    assert_equal([packet[:size] for packet in whole for size in range(len(packet) + 1)], link_type)


@pytest.mark.parametrize("link_type", LINK_TYPES)
def test_one_packet_alone_up_to_the_end_of_the_buffer(link_type: int) -> None:
    for packet in of_link(link_type):
        assert_equal([packet], link_type)
        assert_equal([packet[:-1]], link_type)


@settings(deadline=None)
@given(link_type=st.sampled_from(LINK_TYPES), packets=st.lists(st.binary(max_size=120), max_size=20))
def test_random_bytes(link_type: int, packets: list[bytes]) -> None:
    assert_equal(packets, link_type)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[int, list[bytes], list[int]]:
    link_type = draw(st.sampled_from(sorted({kind for kind, _ in VALID})))
    packets, wire_lengths = [], []
    for packet in draw(st.lists(st.sampled_from(of_link(link_type)), min_size=1, max_size=12)):
        changed = bytearray(packet)
        for at, value in draw(st.lists(st.tuples(st.integers(0, len(packet) - 1), st.integers(0, 255)), max_size=4)):
            changed[at] = value
        cut = bytes(changed[: draw(st.integers(0, len(packet)) | st.just(len(packet)))])
        packets.append(cut)
        wire_lengths.append(draw(st.sampled_from([0, len(cut), len(packet), len(packet) + 100])))
    return link_type, packets, wire_lengths


@settings(deadline=None)
@given(mutated())
def test_mutated_packets(case: tuple[int, list[bytes], list[int]]) -> None:
    link_type, packets, wire_lengths = case
    assert_equal(packets, link_type, wire_lengths)


def test_every_value_of_every_header_byte() -> None:
    for link_type, packet in VALID:
        header = packet[: len(packet) - len(PAYLOAD)]
        step = 61 if len(header) > 120 else 17
        changed = [
            packet[:at] + bytes([value]) + packet[at + 1 :]
            for at in range(len(header))
            for value in range(at % step, 256, step)
        ]
        assert_equal(changed, link_type)


def test_blocks_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "BLOCK_PACKETS", 7)
    assert_equal([FRAME] * 20 + of_link(1) * 2 + [FRAME] * 3, 1)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda raw: np.frombuffer(raw, np.uint8)])
def test_buffers(kind: type[bytes]) -> None:
    headers = dissect_many(kind(FRAME), np.array([0]), np.array([len(FRAME)]), np.array([len(FRAME)]), 1)
    assert headers.dport.tolist() == [2103]
    assert not len(dissect_many(kind(b""), np.zeros(0), np.zeros(0), np.zeros(0), 1).outcome)


@pytest.mark.parametrize(("start", "length"), [(-1, 4), (0, -1), (10, len(FRAME) - 9)])
def test_refuses_packets_outside_the_buffer(start: int, length: int) -> None:
    with pytest.raises(ValueError, match="beyond the buffer"):
        dissect_many(FRAME, np.array([start]), np.array([length]), np.array([length]), 1)


@pytest.mark.parametrize(
    "shape", [shape for shape in SHAPES if shape.name not in ONE_BY_ONE], ids=lambda shape: shape.name
)
def test_common_shapes_need_no_python_per_packet(shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> Dissected:
        raise AssertionError("went one by one")

    monkeypatch.setattr(bulk, "dissect", never)
    headers, _ = read_many([shape.packet] * 3, shape.link_type)
    assert headers.dport.tolist() == [2103] * 3


@pytest.mark.skipif(not CAPTURES.is_dir(), reason=f"no captures in {CAPTURES}")
def test_real_captures() -> None:
    outcomes: set[int] = set()
    for path in sorted(path for path in CAPTURES.rglob("*") if "pcap" in path.name or path.suffix == ".cap"):
        opener = gzip.open if path.read_bytes()[:2] == b"\x1f\x8b" else open
        with opener(path, "rb") as file:
            reader = dpkt.pcap.UniversalReader(file)
            packets = [bytes(packet) for _, packet in reader]
        assert packets, path
        assert_equal(packets, reader.datalink())
        outcomes.update(read_many(packets, reader.datalink())[0].outcome.tolist())
    assert {PacketOutcome.TCP, PacketOutcome.NOT_IP, PacketOutcome.NOT_TCP, PacketOutcome.UNSUPPORTED_LINK} <= outcomes


def test_nothing_of_a_batch_waits_for_the_garbage_collector() -> None:
    """Columns of a quarter of a million packets are fifty megabytes, and few objects: it would come late."""
    gc.collect()
    gc.disable()
    try:
        headers, _ = read_many([b"\0" * 20] * 8, 1)
        column = weakref.ref(headers.outcome)
        del headers
        assert column() is None
    finally:
        gc.enable()
