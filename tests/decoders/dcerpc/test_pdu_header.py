"""The common PDU header, and the contexts of a bind: byte literals to fields, each condition by itself."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcerpc.bind import PresentationContext, SyntaxId, parse_contexts
from decoders.dcerpc.header import PacketType, PduHeader, parse_header
from decoders.errors import Truncated
from tests.decoders.dcerpc import pdus as d

LITTLE = bytes.fromhex("05000b0310000000 4800 0800 01000000")
BIG = bytes.fromhex("0501008300000000 0048 0010 00000002")
# [C706] 12.6.4.3: 5840, 5840, no group, one context: number 0, one transfer syntax.
LITERAL_BIND = LITTLE + bytes.fromhex(
    "d016d016 00000000 01000000 0000 01 00"
    "80a98810e5ead0118d9b00a02453c337 01000000"
    "045d888aeb1cc9119fe808002b104860 02000000"
)


def test_reads_the_fields_of_both_byte_orders() -> None:
    assert parse_header(LITTLE) == PduHeader(PacketType.BIND, 3, "<", 72, 8, 1)
    assert parse_header(BIG) == PduHeader(PacketType.REQUEST, 0x83, ">", 72, 16, 2, minor=1)
    assert parse_header(b"xx" + LITTLE, 2) == parse_header(bytearray(LITTLE)) == parse_header(memoryview(LITTLE))


@pytest.mark.parametrize(
    ("at", "value"),
    [
        *((0, value) for value in (0, 4, 6, 0x16)),
        *((1, value) for value in (2, 255)),
        *((2, value) for value in (1, 4, 10, 20, 255)),
        *((4, value) for value in (0x20, 0x12, 0x80, 0x1F)),
        (5, 4),
        (6, 1),
        (7, 1),
    ],
)
def test_rejects_a_byte_that_no_header_has(at: int, value: int) -> None:
    broken = bytearray(LITTLE)
    broken[at] = value
    assert parse_header(broken) is None


@pytest.mark.parametrize(
    ("frag", "auth", "ok"), [(15, 0, False), (16, 0, True), (16, 1, False), (65_535, 65_519, True)]
)
@pytest.mark.parametrize("order", ["little", "big"])
def test_lengths_must_agree(frag: int, auth: int, ok: bool, order: str) -> None:
    head = bytes.fromhex("0500020310000000" if order == "little" else "0500020300000000")
    lengths = b"".join(value.to_bytes(2, "little" if order == "little" else "big") for value in (frag, auth))
    assert (parse_header(head + lengths + bytes(4)) is not None) == ok


@given(st.binary(max_size=40), st.integers(0, 40))
def test_any_bytes_are_a_header_or_none(data: bytes, at: int) -> None:
    found = parse_header(data, at)
    assert found is None or data[at] == 5


def test_is_none_where_fewer_than_sixteen_bytes_are_left() -> None:
    assert all(parse_header(LITTLE[:size]) is None for size in range(16))
    assert parse_header(LITTLE, 1) is None


def test_reads_a_bind_from_its_bytes() -> None:
    assert list(parse_contexts(LITERAL_BIND, "<")) == [
        PresentationContext(0, SyntaxId(d.QM2QM[0], 1, 0), (SyntaxId(d.NDR[0], 2, 0),))
    ]


@pytest.mark.parametrize("order", ["<", ">"])
def test_reads_several_contexts_in_both_byte_orders(order: d.ByteOrder) -> None:
    contexts = ((d.QM2QM, (d.NDR, d.NDR64)), (d.SAMR, ()), (("00000001-0002-0003-0405-060708090a0b", 3, 7), (d.NDR,)))
    found = list(parse_contexts(d.bind(*contexts, order=order), order))
    assert found == [
        PresentationContext(n, SyntaxId(*abstract), tuple(SyntaxId(*one) for one in transfers))
        for n, (abstract, transfers) in enumerate(contexts)
    ]


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_bind_cut_anywhere_is_truncated_and_nothing_else(order: d.ByteOrder) -> None:
    whole = d.bind((d.QM2QM, (d.NDR, d.NDR64)), (d.SAMR, (d.NDR,)), order=order)
    for cut in range(len(whole)):
        with pytest.raises(Truncated) as caught:
            list(parse_contexts(whole[:cut], order))
        assert caught.value.offset <= cut
    assert len(list(parse_contexts(whole, order))) == 2


def test_a_bind_that_claims_more_contexts_than_it_has_is_truncated() -> None:
    with pytest.raises(Truncated):
        list(parse_contexts(d.bind((d.QM2QM, (d.NDR,)), claimed=255), "<"))


@given(st.binary(max_size=300), st.sampled_from(["<", ">"]))
def test_random_binds_are_read_or_truncated(data: bytes, order: d.ByteOrder) -> None:
    with contextlib.suppress(Truncated):
        assert len(list(parse_contexts(data, order))) == data[24]
