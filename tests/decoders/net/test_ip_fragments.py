"""IP reassembly: whatever comes in comes out in exactly one result."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.limits import FRAGMENT_TIMEOUT_NS
from decoders.net import fragments
from decoders.net.datagrams import Datagram, Fragment, FragmentFate, FragmentNote, FrameRef, Reassembled
from decoders.net.dissect import dissect, dissect_transport
from decoders.net.fragments import reassemble
from decoders.net.model import IpFragment, TcpHeader
from tests.builders import packets as p
from tests.decoders.net.shapes import FRAME, PAYLOAD

DATA = bytes(range(40))
OTHER = bytes(reversed(DATA))


def part(
    frame: int, start: int, payload: bytes, *, more: bool = True, ts: int = 0, capture: int = 0, wire: int | None = None
) -> Fragment:
    wire_len = len(payload) if wire is None else wire
    ip = IpFragment(b"\x0a\0\0\1", b"\x0a\0\0\2", 6, 9, start, more, 34, len(payload), wire_len)
    return Fragment(ts, capture, frame, ip, payload)


def three(data: bytes = DATA, *, first_frame: int = 1, capture: int = 0, ts: int = 0) -> list[Fragment]:
    return [
        part(first_frame, 0, data[:16], ts=ts, capture=capture),
        part(first_frame + 1, 16, data[16:32], ts=ts, capture=capture),
        part(first_frame + 2, 32, data[32:], more=False, ts=ts, capture=capture),
    ]


def run(items: list[Fragment]) -> list[Reassembled]:
    results = list(reassemble(items))
    accounted = Counter(ref for result in results for ref in result.frames)
    assert accounted == Counter(item.ref for item in items)
    return results


def fates(results: list[Reassembled]) -> list[FragmentFate | bytes]:
    return [result.payload if isinstance(result, Datagram) else result.fate for result in results]


def test_completes_with_the_last_missing_fragment() -> None:
    first, second, _ = three()
    third = part(7, 32, DATA[32:], more=False, ts=5, capture=1)
    assert run([second, first, third]) == [
        Datagram(
            ts_ns=5,
            capture=1,
            frame=7,
            src=b"\x0a\0\0\1",
            dst=b"\x0a\0\0\2",
            protocol=6,
            payload=DATA,
            frames=(FrameRef(0, 2), FrameRef(0, 1), FrameRef(1, 7)),
            disputed=False,
        )
    ]


@settings(deadline=None)
@given(st.permutations(three()))
def test_order_does_not_matter(items: list[Fragment]) -> None:
    assert fates(run(items)) == [DATA]


def test_two_taps_give_one_datagram() -> None:
    a, b = three(capture=0), three(capture=1)
    mixed = [item for pair in zip(a, b, strict=True) for item in pair]
    assert fates(run(mixed)) == [FragmentFate.DUPLICATE, FragmentFate.DUPLICATE, DATA, FragmentFate.DUPLICATE]
    assert Counter(fates(run(a + b))) == {DATA: 1, FragmentFate.DUPLICATE: 3}


def test_a_reused_identification_is_another_datagram() -> None:
    late = part(9, 32, DATA[32:], more=False, capture=1)
    results = run([*three(), late, *three(OTHER, first_frame=10)])
    assert fates(results) == [DATA, OTHER, FragmentFate.DUPLICATE]


def test_a_reused_identification_with_a_fragment_in_common() -> None:
    data = DATA[:16] + OTHER[16:]
    assert fates(run([*three(), *three(data, first_frame=10)])) == [DATA, data]


def test_a_repetition_does_not_fill_another_datagram_it_contradicts() -> None:
    late = part(9, 0, DATA[:16], capture=1)
    reused = part(10, 0, OTHER[:16])
    results = run([*three(), late, reused])
    assert fates(results) == [DATA, FragmentFate.INCOMPLETE, FragmentFate.DUPLICATE]


def test_incomplete_at_the_end() -> None:
    first, second, third = three()
    (result,) = run([first, third])
    assert isinstance(result, FragmentNote)
    assert (result.fate, result.frame) == (FragmentFate.INCOMPLETE, 3)
    assert result.detail == "2 fragments, 0 of them cut, without bytes 16-31"
    (result,) = run([second])
    assert isinstance(result, FragmentNote)
    assert result.detail == "1 fragments, 0 of them cut, without bytes 0-15, 32-"


def test_incomplete_after_the_timeout() -> None:
    first, second, _ = three()
    late = three(first_frame=10, ts=FRAGMENT_TIMEOUT_NS + 1)
    assert fates(run([first, second, *late])) == [FragmentFate.INCOMPLETE, DATA]
    assert fates(run([first, second, late[2]])) == [FragmentFate.INCOMPLETE, FragmentFate.INCOMPLETE]
    in_time = three(first_frame=10, ts=FRAGMENT_TIMEOUT_NS)[2]
    assert fates(run([first, second, in_time])) == [DATA]


def test_a_repetition_after_the_timeout_is_a_datagram() -> None:
    assert fates(run([*three(), *three(first_frame=10, ts=FRAGMENT_TIMEOUT_NS + 1)])) == [DATA, DATA]


def test_of_overlapping_bytes_the_first_stand() -> None:
    first, second, third = three()
    overlap = part(8, 8, b"x" * 24)
    results = run([first, overlap, third])
    assert fates(results) == [FragmentFate.OVERLAP, DATA[:16] + b"x" * 16 + DATA[32:]]
    assert isinstance(results[1], Datagram)
    assert results[1].disputed
    assert results[0].frames == ()
    assert fates(run([first, part(8, 8, DATA[8:32]), third])) == [DATA]
    assert fates(run([second, part(8, 0, DATA[:32]), third])) == [DATA]


@pytest.mark.parametrize(
    "wrong",
    [part(9, 32, bytes(16)), part(9, 16, bytes(8), more=False), part(9, 40, bytes(8), more=False)],
)
def test_the_first_end_stands(wrong: Fragment) -> None:
    first, second, third = three()
    assert fates(run([third, wrong, first, second])) == [FragmentFate.END_DIFFERS, DATA]


def test_an_end_before_bytes_already_there() -> None:
    first, second, third = three()
    wrong = part(9, 8, bytes(8), more=False)
    assert fates(run([second, wrong, first, third])) == [FragmentFate.END_DIFFERS, DATA]


@pytest.mark.parametrize(
    ("wrong", "fate"),
    [
        (part(9, 16, b""), FragmentFate.EMPTY),
        (part(9, 40, b"", more=False), FragmentFate.EMPTY),
        (part(9, 16, bytes(13)), FragmentFate.ODD_LENGTH),
        (part(9, 65_528, bytes(16), more=False), FragmentFate.TOO_LARGE),
    ],
)
def test_refuses_what_cannot_be(wrong: Fragment, fate: FragmentFate) -> None:
    first, second, third = three()
    assert fates(run([first, wrong, second, third])) == [fate, DATA]


def test_cut_fragments_leave_holes() -> None:
    first, second, third = three()
    cut = part(2, 16, DATA[16:20], wire=16)
    (result,) = run([first, cut, third])
    assert isinstance(result, FragmentNote)
    assert result.detail == "3 fragments, 1 of them cut, without bytes 20-31"
    assert fates(run([first, part(2, 16, b"", wire=16), third])) == [FragmentFate.INCOMPLETE]
    assert fates(run([first, cut, third, part(7, 16, DATA[16:32])])) == [DATA]
    assert fates(run([first, second, part(8, 16, b"", wire=16), third])) == [FragmentFate.DUPLICATE, DATA]


def test_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "MAX_FRAGMENTS_PER_DATAGRAM", 4)
    items = [part(frame, frame * 8, bytes(8)) for frame in range(1, 8)]
    results = run(items)
    assert fates(results) == [FragmentFate.TOO_MANY, FragmentFate.INCOMPLETE]
    assert len(results[0].frames) == 5
    echoes = [part(frame, 0, DATA[:16]) for frame in range(10, 16)]
    assert Counter(fates(run([*three(), *echoes]))) == {DATA: 1, FragmentFate.DUPLICATE: 6}


def test_largest_datagram_in_the_smallest_fragments() -> None:
    data = bytes(range(256)) * 255
    items = [part(at // 8 + 1, at, data[at : at + 8], more=at + 8 < len(data)) for at in range(0, len(data), 8)]
    assert fates(run(items[::-1])) == [data]
    assert fates(run(items[::2] + items[1::2])) == [data]


@st.composite
def hostile(draw: st.DrawFn) -> list[Fragment]:
    items = []
    for frame in range(draw(st.integers(0, 12))):
        start = draw(st.integers(0, 5)) * 8
        size = draw(st.sampled_from([0, 7, 8, 8, 16, 16, 24]))
        source = draw(st.sampled_from([DATA, DATA, DATA, OTHER])) + bytes(40)
        cut = draw(st.sampled_from([0, 0, 0, 3]))
        payload = source[start : start + max(0, size - cut)]
        ts = draw(st.sampled_from([0, 0, FRAGMENT_TIMEOUT_NS * 2])) + frame
        items.append(part(frame, start, payload, more=draw(st.booleans()), ts=ts, wire=size))
    return sorted(items, key=lambda item: item.ts_ns)


@settings(deadline=None)
@given(hostile())
def test_nothing_disappears(items: list[Fragment]) -> None:
    by_ref = {item.ref: item for item in items}
    for result in run(items):
        if isinstance(result, Datagram):
            sent = {offset + item.start: set[int]() for item in items for offset in range(len(item.payload))}
            for item in (by_ref[ref] for ref in result.frames):
                for offset, value in enumerate(item.payload):
                    sent[item.start + offset].add(value)
            assert all(value in sent[offset] for offset, value in enumerate(result.payload))


def test_from_packets_to_the_segment_inside() -> None:
    for protocol, payload in ((6, p.tcp(PAYLOAD, dport=2103)), (17, p.vxlan(FRAME)), (47, p.erspan2(FRAME))):
        items = []
        for frame, packet in enumerate(p.ipv4_fragments(payload, protocol, size=16), 1):
            found = dissect(p.ethernet(packet), 1)
            assert isinstance(found, IpFragment)
            raw = p.ethernet(packet)[found.payload_offset : found.payload_offset + found.payload_len]
            items.append(Fragment(frame, 0, frame, found, raw))
        (datagram,) = run(items)
        assert isinstance(datagram, Datagram)
        assert datagram.payload == payload
        segment = dissect_transport(datagram.protocol, datagram.src, datagram.dst, datagram.payload)
        assert isinstance(segment, TcpHeader)
        assert (segment.dport, payload[segment.payload_offset :]) == (2103, PAYLOAD)
