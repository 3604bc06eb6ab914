"""A request or response in one segment is read as it would be in many."""

from __future__ import annotations

import struct

import pytest

from decoders.dcerpc.exchanges import may_begin
from decoders.dcerpc.turns import REQUEST, RESPONSE, Turn, at_once
from decoders.tcp.model import ACK, FIN, PSH, Segment, Side

TRAILER = struct.pack("<BBBBI", 10, 5, 4, 0, 7)


def pdu(kind: int, stub: bytes, *, flags: int = 3, auth: bytes = b"", call_id: int = 9) -> bytes:
    body = struct.pack("<IHH", len(stub), 1, 5) + stub + (TRAILER + auth if auth else b"")
    return struct.pack("<BBBB4sHHI", 5, 0, kind, flags, b"\x10\0\0\0", 16 + len(body), len(auth), call_id) + body


def segment(payload: bytes, frame: int = 1, flags: int = PSH | ACK) -> Segment:
    return Segment(Side.LOW, 1_000 * frame, 0, frame, 0, 0, flags, 8192, payload, len(payload))


@pytest.mark.parametrize("kind", [REQUEST, RESPONSE])
@pytest.mark.parametrize("auth", [b"", bytes(16)])
def test_one_segment_is_the_same_at_once(kind: int, auth: bytes) -> None:
    one = segment(pdu(kind, b"stub and padding", auth=auth))
    turn = Turn(kind, 40)
    assert turn.add(one) is True
    found = at_once(one, kind, 40)
    assert found == turn.said()
    assert found is not None
    assert found.part.stub == (b"stub and pad" if auth else b"stub and padding")
    assert found.claims == ((10, 5, 7) if auth else None)


@pytest.mark.parametrize("cut", [3, 20, 26, 39])
def test_two_segments_say_the_same_of_other_frames(cut: int) -> None:
    whole = pdu(REQUEST, b"stub of a request")
    turn = Turn(REQUEST, 0)
    assert turn.add(segment(whole[:cut])) is False
    assert turn.add(segment(whole[cut:], 2)) is True
    said, alone = turn.said(), at_once(segment(whole), REQUEST, 0)
    assert alone is not None
    assert (said.asked, said.claims, said.part.stub) == (alone.asked, alone.claims, alone.part.stub)
    assert said.part.frames == said.fragments[0].frames == ((0, 1), (0, 2))


@pytest.mark.parametrize(
    "odd",
    [
        pdu(RESPONSE, b"stub"),
        pdu(REQUEST, b"stub", flags=1),
        pdu(REQUEST, b"stub", flags=0x83),
        pdu(REQUEST, b"stub") + b"more",
        pdu(REQUEST, b"stub")[:-1],
        pdu(REQUEST, b"stub")[:20],
        b"\4" + pdu(REQUEST, b"stub")[1:],
        pdu(REQUEST, b"", auth=bytes(4)),
    ],
)
def test_what_is_odd_is_not_read_at_once(odd: bytes) -> None:
    assert at_once(segment(odd), REQUEST, 0) is None


def test_a_stretch_begins_with_a_request_or_an_ack() -> None:
    assert may_begin(segment(pdu(REQUEST, b"stub")))
    assert may_begin(segment(b"", flags=ACK))
    assert not may_begin(segment(pdu(RESPONSE, b"stub")))
    assert not may_begin(segment(pdu(16, b"auth3")))
    assert not may_begin(segment(b"", flags=ACK | FIN))
    assert not may_begin(segment(b"\5"))
