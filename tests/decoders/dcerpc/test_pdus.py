"""Each type of PDU from its bytes, in both byte orders; impacket builds some of them as a second opinion."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from impacket.dcerpc.v5 import rpcrt

from decoders.dcerpc.bind import ContextResult, SyntaxId
from decoders.dcerpc.header import PacketType, parse_header
from decoders.dcerpc.pdus import (
    Bind,
    BindAck,
    BindNak,
    Control,
    Fault,
    Pdu,
    Request,
    Response,
    parse_beginning,
    parse_pdu,
)
from decoders.dcerpc.security_trailer import SecurityTrailer
from decoders.errors import DecodeError, Malformed, Truncated
from tests.decoders.dcerpc import pdus as d

ORDERS = pytest.mark.parametrize("order", ["<", ">"])
OBJECT = "00112233-4455-6677-8899-aabbccddeeff"
TOKEN = b"token of a provider"


def parse(data: bytes) -> Pdu:
    header = parse_header(data)
    assert header is not None
    return parse_pdu(data, header)


@ORDERS
def test_request(order: d.ByteOrder) -> None:
    pdu = parse(d.request(b"the stub", order, 9, call_id=7, ctx=3, object_uuid=OBJECT, auth=d.Auth(TOKEN, pad=8)))
    assert isinstance(pdu, Request)
    assert (pdu.alloc_hint, pdu.p_cont_id, pdu.opnum, pdu.object_uuid) == (8, 3, 9, OBJECT)
    assert pdu.stub == b"the stub"
    assert pdu.security == SecurityTrailer(10, 5, 8, 0, 0, TOKEN)
    assert pdu.problem is None


@ORDERS
def test_response(order: d.ByteOrder) -> None:
    pdu = parse(d.response(b"back", order, ctx=2, cancels=4, auth=d.Auth(TOKEN, level=6, context_id=77)))
    assert isinstance(pdu, Response)
    assert (pdu.alloc_hint, pdu.p_cont_id, pdu.cancel_count, pdu.stub) == (4, 2, 4, b"back")
    assert pdu.security == SecurityTrailer(10, 6, 0, 0, 77, TOKEN)


@ORDERS
def test_fault(order: d.ByteOrder) -> None:
    plain = parse(d.fault(5, order, flags=0x23, ctx=1))
    assert isinstance(plain, Fault)
    assert (plain.status, plain.p_cont_id, plain.did_not_execute, plain.extended_error) == (5, 1, True, None)
    extended = parse(d.fault(0x6D9, order, extended=b"what went wrong"))
    assert isinstance(extended, Fault)
    assert (extended.did_not_execute, extended.extended_error) == (False, b"what went wrong")


@ORDERS
@pytest.mark.parametrize("kind", [d.BIND, d.ALTER])
def test_bind(kind: int, order: d.ByteOrder) -> None:
    features = ("6cb71c2c-9812-4540-0300-000000000000", 1, 0)
    pdu = parse(d.bind((d.QM2QM, (d.NDR,)), (d.QM2QM, (features,)), order=order, kind=kind, auth=d.Auth(TOKEN, pad=4)))
    assert isinstance(pdu, Bind)
    assert (pdu.max_xmit_frag, pdu.max_recv_frag, pdu.assoc_group_id) == (5_840, 4_280, 0)
    assert [context.features for context in pdu.contexts] == [None, 3]
    assert pdu.security is not None
    assert pdu.security.token == TOKEN


@ORDERS
@pytest.mark.parametrize("address", [b"2103\0", b"", b"\\PIPE\\x\0", b"49664"])
@pytest.mark.parametrize("kind", [d.BIND_ACK, d.ALTER_RESP])
def test_bind_ack(kind: int, address: bytes, order: d.ByteOrder) -> None:
    pdu = parse(
        d.ack(
            (0, 0, d.NDR),
            (2, 2, ("0" * 8 + "-0000-0000-0000-" + "0" * 12, 0, 0)),
            order=order,
            kind=kind,
            address=address,
        )
    )
    assert isinstance(pdu, BindAck)
    assert pdu.assoc_group_id == 0xABCD
    assert pdu.sec_addr == address.rstrip(b"\0").decode()
    assert pdu.results[0] == ContextResult(0, 0, SyntaxId(*d.NDR))
    assert (pdu.results[1].result, pdu.results[1].reason) == (2, 2)


@ORDERS
def test_bind_nak(order: d.ByteOrder) -> None:
    body = struct.pack(f"{order}HBBB", 4, 1, 5, 0)
    plain = parse(d.pdu(d.BIND_NAK, body, order))
    assert isinstance(plain, BindNak)
    assert (plain.provider_reject_reason, plain.versions, plain.extended_error) == (4, ((5, 0),), None)
    signature = bytes.fromhex(
        "20037490d0fad31182d7009027b130ab" if order == "<" else "90740320fad011d382d7009027b130ab"
    )
    for pad in (b"", bytes(3)):
        extended = parse(d.pdu(d.BIND_NAK, body + pad + signature + b"EERR", order))
        assert isinstance(extended, BindNak)
        assert extended.extended_error == b"EERR"
    short = parse(d.pdu(d.BIND_NAK, body[:2], order))
    assert isinstance(short, BindNak)
    assert short.versions == ()


@ORDERS
@pytest.mark.parametrize("kind", [d.AUTH3, d.CO_CANCEL, d.ORPHANED])
def test_control(kind: int, order: d.ByteOrder) -> None:
    pdu = parse(d.pdu(kind, bytes(4), order, minor=1, auth=d.Auth(TOKEN, 9, 2, 1)))
    assert isinstance(pdu, Control)
    assert pdu.security == SecurityTrailer(9, 2, 0, 0, 1, TOKEN)
    assert pdu.header.minor == 1


def test_shutdown_and_an_auth3_that_authenticates_nothing() -> None:
    assert isinstance(parse(d.pdu(d.SHUTDOWN)), Control)
    with pytest.raises(Malformed):
        parse(d.pdu(d.AUTH3, bytes(4)))


def test_a_lying_pad_length_is_told_and_takes_no_stub_away() -> None:
    pdu = parse(d.request(b"12345678", auth=d.Auth(TOKEN, claimed_pad=9)))
    assert isinstance(pdu, Request)
    assert pdu.stub == b"12345678"
    assert pdu.problem is not None
    exact = parse(d.request(b"12345678", auth=d.Auth(TOKEN, claimed_pad=8)))
    assert isinstance(exact, Request)
    assert (exact.stub, exact.problem) == (b"", None)


def test_a_lying_auth_length_is_told_and_no_trailer_is_made_up() -> None:
    data = bytearray(d.request(b"12345678"))
    data[10:12] = struct.pack("<H", 1)
    pdu = parse(bytes(data))
    assert isinstance(pdu, Request)
    assert (pdu.security, pdu.stub) == (None, b"12345678")
    assert pdu.problem is not None


EACH = [
    d.request(b"stub", object_uuid=OBJECT),
    d.response(),
    d.fault(extended=b"more"),
    d.bind((d.QM2QM, (d.NDR,)), auth=d.Auth()),
    d.ack((0, 0, d.NDR)),
    d.pdu(d.BIND_NAK, struct.pack("<HBBB", 4, 1, 5, 0)),
    d.pdu(d.AUTH3, bytes(4), auth=d.Auth()),
]


@given(st.sampled_from(EACH), st.integers(16, 80), st.binary(max_size=60), st.integers(0, 15))
def test_damage_raises_decode_errors_only(pdu: bytes, at: int, junk: bytes, auth_length: int) -> None:
    data = bytearray((pdu[:at] + junk + pdu[at + len(junk) :])[:200])
    data[8:12] = struct.pack("<HH", len(data), min(auth_length, len(data) - 16))
    with contextlib.suppress(DecodeError):
        parse(bytes(data))


@pytest.mark.parametrize("pdu", EACH)
def test_the_beginning_of_a_pdu_never_raises_and_never_tells_more_than_there_is(pdu: bytes) -> None:
    header = parse_header(pdu)
    assert header is not None
    for size in range(16, len(pdu)):
        with pytest.raises(Truncated):
            parse_pdu(pdu[:size], header)
        found = parse_beginning(pdu[:size], header)
        if isinstance(found, Request):
            assert (found.p_cont_id, found.opnum) == (0, 0)
            assert found.object_uuid == (OBJECT if size >= 40 else None)
            assert found.stub == pdu[40:size]
        elif header.packet_type not in (PacketType.RESPONSE, PacketType.FAULT):
            assert found is None


def test_the_beginning_of_an_authenticated_pdu_ends_before_its_trailer() -> None:
    pdu = d.request(b"12345678", auth=d.Auth(TOKEN))
    header = parse_header(pdu)
    assert header is not None
    found = parse_beginning(pdu[:-4], header)
    assert isinstance(found, Request)
    assert found.stub == b"12345678"


def test_impacket_builds_what_is_read() -> None:
    request = rpcrt.MSRPCRequestHeader()
    request["op_num"], request["pduData"], request["ctx_id"], request["call_id"] = 11, b"stub data", 2, 33
    request["flags"] = 3
    pdu = parse(request.get_packet())
    assert isinstance(pdu, Request)
    assert (pdu.opnum, pdu.stub, pdu.p_cont_id, pdu.header.call_id) == (11, b"stub data", 2, 33)
    respond = rpcrt.MSRPCRespHeader()
    respond["pduData"], respond["ctx_id"], respond["flags"], respond["call_id"] = b"answer", 2, 3, 33
    back = parse(respond.get_packet())
    assert isinstance(back, Response)
    assert (back.stub, back.p_cont_id) == (b"answer", 2)
