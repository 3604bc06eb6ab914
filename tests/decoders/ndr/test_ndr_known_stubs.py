"""Stubs of MSMQ and of the endpoint mapper, byte by byte."""

from __future__ import annotations

import struct as packing
from typing import Any

import pytest

from decoders.interfaces import epm, mqmq, qm2qm
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Array, Direction, Interface, Member, Named, Operation, Pointer, PointerKind, Syntax, Type

from .operations import COUNT, NDR, NDR64, of, read, request, struct

DIRECT = "OS:srv1\\private$\\q1"
TEXT = packing.pack("<III", 20, 0, 20) + DIRECT.encode("utf-16-le") + b"\0\0"
TEXT64 = packing.pack("<QQQ", 20, 0, 20) + DIRECT.encode("utf-16-le") + b"\0\0"
G = "00112233-4455-6677-8899-aabbccddeeff"
G_WIRE = bytes.fromhex("33221100 5544 7766 8899aabbccddeeff")

QUEUE_FORMATS: list[tuple[int, dict[str, Any], bytes, bytes]] = [
    # m_qft, the arm, what follows the tag's gap in NDR, and in NDR64.
    (1, {"m_gPublicID": G}, G_WIRE, G_WIRE),
    (2, {"m_oPrivateID": {"Lineage": G, "Uniquifier": 9}}, G_WIRE + b"\x09\0\0\0", G_WIRE + b"\x09\0\0\0" + bytes(4)),
    (3, {"m_pDirectID": DIRECT}, b"\0\0\2\0" + TEXT, b"\0\0\2\0\0\0\0\0" + TEXT64),
    (6, {"m_DlID": {"m_DlGuid": G, "m_pwzDomain": None}}, G_WIRE + bytes(4), G_WIRE + bytes(8)),
    (7, {"m_MulticastID": {"m_address": 1, "m_port": 2}}, b"\1\0\0\0\2\0\0\0", b"\1\0\0\0\2\0\0\0"),
]


@pytest.mark.parametrize(("kind", "arm", "ndr", "ndr64"), QUEUE_FORMATS)
def test_queue_format(kind: int, arm: dict[str, Any], ndr: bytes, ndr64: bytes) -> None:
    arms = [arm.member.name for arm in _arms(mqmq.QUEUE_FORMAT) if arm.member]
    expected = {"m_qft": kind, "m_SuffixAndFlags": 0, "m_reserved": 0} | dict.fromkeys(arms) | arm
    operation = of(Pointer(mqmq.QUEUE_FORMAT, PointerKind.REF))
    stubs = {
        NDR: packing.pack("<BBHB3x", kind, 0, 0, kind) + ndr,
        NDR64: packing.pack("<BBH4xB7x", kind, 0, 0, kind) + ndr64,
    }
    for syntax, stub in stubs.items():
        decoded = read(operation, stub, mqmq.TYPES, syntax=syntax)
        assert decoded.values["p"] == expected
        assert decoded.problems == ()
        assert encode(operation, Direction.IN, {"p": expected}, mqmq.TYPES, syntax, "<") == stub


def test_an_unknown_queue_format_ends_with_its_tag() -> None:
    operation = of(Pointer(mqmq.QUEUE_FORMAT, PointerKind.REF))
    assert read(operation, bytes(5), mqmq.TYPES).problems == ()
    assert read(operation, bytes(16), mqmq.TYPES, syntax=NDR64).problems == ()


def _arms(declared: Type) -> Any:  # noqa: ANN401 - the union is the last member
    return getattr(declared, "members")[-1].type.arms  # noqa: B009


def variant(vt: int, **arm: object) -> dict[str, Any]:
    arms = dict.fromkeys(arm.member.name for arm in _arms(mqmq.TYPES["tag_inner_PROPVARIANT"]) if arm.member)
    return {"vt": vt, "wReserved1": 0, "wReserved2": 0, "wReserved3": 0, "_varUnion": arms | arm}


VARIANTS: list[tuple[Syntax, dict[str, Any], str]] = [
    (NDR, variant(1), "0100 0000 00000000 0100"),
    (NDR, variant(17, bVal=9), "1100 0000 00000000 1100 09"),
    (NDR, variant(18, uiVal=9), "1200 0000 00000000 1200 0900"),
    (NDR, variant(19, ulVal=9), "1300 0000 00000000 1300 0000 09000000"),
    (NDR, variant(21, uhVal=9), "1500 0000 00000000 1500 000000000000 0900000000000000"),
    (NDR, variant(65, blob={"cbSize": 1, "pBlobData": b"\7"}),
     "4100 0000 00000000 4100 0000 01000000 00000200 01000000 07"),
    (NDR, variant(0x1015, cauh={"cElems": 1, "pElems": [9]}),
     "1510 0000 00000000 1510 0000 01000000 00000200 01000000 0900000000000000"),
    (NDR64, variant(1), "0100 0000 00000000 0100 000000000000"),
    (NDR64, variant(17, bVal=9), "1100 0000 00000000 1100 000000000000 09 00000000000000"),
    (NDR64, variant(65, blob={"cbSize": 1, "pBlobData": b"\7"}),
     "4100 0000 00000000 4100 000000000000 01000000 00000000 0000020000000000 0100000000000000 07"),
]  # fmt: skip


@pytest.mark.parametrize(("syntax", "value", "stub"), VARIANTS)
def test_propvariant(syntax: Syntax, value: dict[str, Any], stub: str) -> None:
    operation = of(Pointer(Named("PROPVARIANT"), PointerKind.REF))
    decoded = read(operation, bytes.fromhex(stub), mqmq.TYPES, syntax=syntax)
    assert decoded.values["p"] == value
    assert decoded.problems == ()
    assert encode(operation, Direction.IN, {"p": value}, mqmq.TYPES, syntax, "<") == bytes.fromhex(stub)


def test_an_array_of_propvariants_has_all_referents_at_its_end() -> None:
    stub = bytes.fromhex(
        "02000000 00000000 1f00000000000000 1f000000 00000200 1300000000000000 13000000 07000000"
        "06000000 00000000 06000000 4c004f00430041004c000000"
    )
    operation = of(Array(Named("PROPVARIANT"), size_is="cp"))
    decoded = read(operation, stub, mqmq.TYPES)
    assert decoded.values["p"] == [variant(31, pwszVal="LOCAL"), variant(19, ulVal=7)]
    assert decoded.problems == ()
    assert encode(operation, Direction.IN, decoded.values, mqmq.TYPES, NDR, "<") == stub


def named(interface: Interface, name: str) -> Operation:
    return next(operation for operation in interface.operations if operation.name == name)


DESCRIPTION = {
    "hRemoteQueue": 1, "hCursor": 2, "ulAction": 0x80000000, "ulTimeout": 3, "dwSize": 5, "dwQueue": 4,
    "dwRequestID": 6, "Reserved": 7, "dwArriveTime": 8, "eAckNack": 1, "lpBuffer": b"hello",
}  # fmt: skip
FIXED = (1, 2, 0x80000000, 3, 5, 4, 6, 7, 8)
RECEIVED = {
    NDR: bytes(20)
    + packing.pack("<4xIxxxxQ", 0x20000, 77)
    + packing.pack("<9IHxxI", *FIXED, 1, 0x20004)
    + packing.pack("<3I5s3xI", 5, 0, 5, b"hello", 0x400E0001),
    NDR64: bytes(20)
    + packing.pack("<4xQQ", 0x20000, 77)
    + packing.pack("<9IiQ", *FIXED, 1, 0x20004)
    + packing.pack("<3Q5s3xI", 5, 0, 5, b"hello", 0x400E0001),
}


@pytest.mark.parametrize("syntax", Syntax)
def test_a_message_that_was_received(syntax: Syntax) -> None:
    operation = named(qm2qm.INTERFACE, "RemoteQMStartReceive2")
    types = qm2qm.INTERFACE.types
    expected = {
        "pphContext": None,
        "lpRemoteReadDesc2": {"pRemoteReadDesc": DESCRIPTION, "SequentialId": 77},
        "return_value": 0x400E0001,
    }
    decoded = decode(operation, Direction.OUT, RECEIVED[syntax], types, syntax, "<")
    assert decoded.values == expected
    assert decoded.problems == ()
    assert encode(operation, Direction.OUT, expected, types, syntax, "<") == RECEIVED[syntax]


def test_paths_name_parameters_and_members() -> None:
    operation = named(qm2qm.INTERFACE, "RemoteQMStartReceive2")
    decoded = decode(operation, Direction.OUT, RECEIVED[NDR][:-8], qm2qm.INTERFACE.types, NDR, "<")
    assert [found.path for found in decoded.problems] == ["lpRemoteReadDesc2.pRemoteReadDesc.lpBuffer"]
    kept = decoded.values["lpRemoteReadDesc2"]["pRemoteReadDesc"]
    assert kept == DESCRIPTION | {"lpBuffer": None}


TOWER = bytes(range(75))


def test_where_an_interface_is_asked_for_and_answered() -> None:
    operation, types = named(epm.INTERFACE, "ept_map"), epm.INTERFACE.types
    asked = packing.pack("<II II75sx", 0, 0x20000, 75, 75, TOWER) + bytes(20) + packing.pack("<I", 4)
    decoded = decode(operation, Direction.IN, asked, types, NDR, "<")
    assert decoded.problems == ()
    tower = {"tower_length": 75, "tower_octet_string": TOWER}
    assert decoded.values == {"obj": None, "map_tower": tower, "entry_handle": None, "max_towers": 4}

    referent = packing.pack("<II75sx", 75, 75, TOWER)
    answered = bytes(20) + packing.pack("<I III II", 2, 4, 0, 2, 3, 4) + referent * 2 + bytes(4)
    decoded = decode(operation, Direction.OUT, answered, types, NDR, "<")
    assert decoded.problems == ()
    assert decoded.values == {"entry_handle": None, "num_towers": 2, "ITowers": [tower] * 2, "status": 0}


def test_max_count_may_exceed_what_a_varying_array_holds() -> None:
    declared = struct(
        COUNT, Member("m", epm.error_status), Member("a", Pointer(Array(epm.error_status, None, "m", "n")))
    )
    values = {"p": {"n": 1, "m": 9, "a": [5]}}
    stub = encode(of(declared), Direction.IN, values, {}, NDR, "<")
    assert stub[12:16] == b"\x09\0\0\0"
    assert read(of(declared), stub).problems == ()
    assert read(request(Member("p", declared)), stub).values == values
