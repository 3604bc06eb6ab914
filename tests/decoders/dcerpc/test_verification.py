"""The verification trailer is found at the very end, well formed, or not at all."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcerpc.bind import SyntaxId
from decoders.dcerpc.verification import SIGNATURE, Header2, find_verification
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk

BITMASK = (1, struct.pack("<I", 1))
FULL = d.verification(BITMASK, d.pcontext(d.QM2QM, d.NDR64), d.header2(7, 3, 9))


def test_reads_all_commands_in_any_order() -> None:
    found = find_verification(b"stub" + FULL)
    assert found is not None
    assert found.bitmask == 1
    assert (found.interface, found.transfer_syntax) == (SyntaxId(*d.QM2QM), SyntaxId(*d.NDR64))
    assert found.header2 == Header2(0, b"\x10\0\0\0", 7, 3, 9)
    assert found.size == len(FULL) == 80
    other = find_verification(d.verification(d.header2(7, 3, 9), (99, b"unknown."), BITMASK))
    assert other is not None
    assert (other.bitmask, other.interface) == (1, None)


@pytest.mark.parametrize(
    "stub",
    [
        FULL + b"body",
        b"x" + FULL,
        FULL[:-4],
        SIGNATURE,
        SIGNATURE + struct.pack("<HH", 1, 4) + bytes(4),
        SIGNATURE + struct.pack("<HH", 0x4001, 8) + bytes(8),
        SIGNATURE + struct.pack("<HH", 0x4063, 3) + bytes(3),
        d.verification(BITMASK, BITMASK),
        b"",
    ],
    ids=["not at the end", "not aligned", "cut", "no command", "no end", "length", "odd length", "twice", "empty"],
)
def test_what_is_not_well_formed_is_stub(stub: bytes) -> None:
    assert find_verification(stub) is None


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_bytes_are_a_trailer_or_none(before: bytes, after: bytes) -> None:
    found = find_verification(before + SIGNATURE + after)
    assert found is None or found.size == len(SIGNATURE + after)


def bound() -> Talk:
    return Talk().client(d.bind((d.QM2QM, (d.NDR,)))).server(d.ack((0, 0, d.NDR)))


OWN = d.verification(BITMASK, d.pcontext(d.QM2QM, d.NDR), d.header2())


@given(st.binary(max_size=40), st.integers(0, 140), st.integers(0, 140))
def test_a_trailer_split_over_fragments_is_cut_off_all_the_same(stub: bytes, one: int, two: int) -> None:
    stub += bytes(-len(stub) % 4)
    whole = stub + OWN
    first, second = sorted((min(one, len(whole)), min(two, len(whole))))
    pieces = whole[:first], whole[first:second], whole[second:]
    talk = bound().client(*(d.request(p, flags=f) for p, f in zip(pieces, (d.FIRST, 0, d.LAST), strict=True)))
    request = talk.over().call.request
    assert request is not None
    assert (request.stub, request.trailer, request.complete) == (stub, OWN, True)
    assert request.size == len(stub)
    assert request.verification is not None
    assert talk.codes == []
    assert talk.tracker.open_calls.stub_bytes == 0


def test_of_a_trailer_behind_a_hole_nothing_is_cut_off() -> None:
    lost = d.request(b"bbbb", flags=d.MIDDLE)
    talk = bound().client(d.request(b"aaaa", flags=d.FIRST), len(lost), d.request(OWN, flags=d.LAST)).over()
    request = talk.call.request
    assert request is not None
    assert (request.stub, request.trailer, request.verification is None) == (b"aaaa", b"", False)
    split = bound().client(d.request(OWN[:20], flags=d.FIRST), len(lost), d.request(OWN[20:], flags=d.LAST)).over()
    assert split.call.request is not None
    assert (split.call.request.stub, split.call.request.verification) == (OWN[:20], None)
