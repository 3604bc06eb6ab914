"""What scapy's NDR does otherwise: one test a row of differences.toml."""

# scapy has no annotations there.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import Any, Final

import pytest
from scapy.layers.dcerpc import NDRConfStrLenField, NDRIntField, NDRPacket, NDRPacketField, NDRShortField

from decoders.ndr.base_types import BYTE, DWORD, USHORT
from decoders.ndr.encoder import encode
from decoders.ndr.model import Array, Direction, Member, Syntax
from tests.decoders.ndr.operations import request
from tests.decoders.ndr.operations import struct as structure
from tests.second_opinion.stubs.answers import GET_INFO, answer, is_ours, text, variant
from tests.second_opinion.stubs.corrections import corrected
from tests.second_opinion.stubs.scapy_calls import call
from tests.second_opinion.stubs.transfers import transfer

IN, OUT = Direction.IN, Direction.OUT
NDR, NDR64 = Syntax.NDR, Syntax.NDR64


def test_union_arm_gap() -> None:
    compared = call("R_QMMgmtGetInfo", OUT, NDR64)
    values = answer(variant("bVal", 5))
    stub = "0100000000000000  1100000000000000 1100000000000000 05 00000000000000  07000000"
    is_ours(compared, values, stub)
    with corrected(but="union-arm-gap"):
        assert compared.built(values, 1) == bytes.fromhex(
            "0100000000000000  1100000000000000 1100 05 0000000000  07000000"
        )
        read, left = compared.dissected(bytes.fromhex(stub), 1)
    assert read["return_value"] == 5
    assert len(left) == 8


def test_element_gap() -> None:
    values = answer(variant("bVal", 1), variant("bVal", 2))
    stub = "02000000 00000000  1100000000000000 1100 01  0000000000  1100000000000000 1100 02 00  07000000"
    is_ours(GET_INFO, values, stub)
    assert GET_INFO.dissected(bytes.fromhex(stub), 2) == (values, b"")
    with corrected(but="element-gap"):
        assert GET_INFO.built(values, 2) == bytes.fromhex(
            "02000000  1100000000000000 1100 01  1100 00000000 0000 1100 02 0000 07000000"
        )


def test_variants_in_variants() -> None:
    values = answer(variant("capropvar", {"cElems": 1, "pElems": [text("a")]}))
    stub = (
        "01000000 00000000  0c10000000000000 0c10 0000 01000000 00000200"
        "01000000 1f00000000000000 1f00 0000 04000200  02000000 00000000 02000000 6100 0000  07000000"
    )
    is_ours(GET_INFO, values, stub)
    with corrected(but="variants-in-variants"):
        assert len(GET_INFO.built(values, 1)) == len(bytes.fromhex(stub)) - 16
        with pytest.raises(AttributeError):
            GET_INFO.dissected(bytes.fromhex(stub), 1)


def test_string_byte_order() -> None:
    compared = call("R_QMMgmtGetInfo", OUT, NDR, ">")
    values = answer(text("a"))
    stub = "00000001 00000000  001f000000000000 001f 0000 00020000  00000002 00000000 00000002 0061 0000  00000007"
    is_ours(compared, values, stub)
    with corrected(but="string-byte-order"):
        read, _ = compared.dissected(bytes.fromhex(stub), 1)
        assert read["apVar"] == [text("\u6100")]
        assert compared.built(values, 1) == bytes.fromhex(stub.replace("0061 0000", "6100 0000"))


def test_string_count() -> None:
    values = answer(text("\u00e9"))
    stub = "01000000 00000000  1f00000000000000 1f00 0000 00000200  02000000 00000000 02000000 e900 0000  07000000"
    is_ours(GET_INFO, values, stub)
    with corrected(but="string-count"):
        theirs = GET_INFO.built(values, 1)
    assert theirs == bytes.fromhex(stub.replace("02000000 00000000 02000000", "03000000 00000000 03000000"))


def test_string_inner_nul() -> None:
    values = answer(text("a\0b"))
    stub = (
        "01000000 00000000 1f00000000000000 1f00 0000 00000200 04000000 00000000 04000000 6100 0000 6200 0000 07000000"
    )
    is_ours(GET_INFO, values, stub)
    read, left = GET_INFO.dissected(bytes.fromhex(stub), 1)
    assert (read["apVar"], read["return_value"], len(left)) == ([text("a")], 0x62, 4)


def test_same_referent_id() -> None:
    compared = call("ept_map", IN)
    tower = {"tower_length": 4, "tower_octet_string": b"abcd"}
    values = {"obj": "00000000-0000-0000-0000-000000000007", "map_tower": tower, "entry_handle": None, "max_towers": 1}
    uuid, rest = "00" * 15 + "07", "04000000 04000000 61626364" + "00" * 20 + "01000000"
    is_ours(compared, values, f"00000200 {uuid} 04000200 {rest}")
    theirs = compared.built(values, numbered=False)
    assert theirs == bytes.fromhex(f"00000200 {uuid} 00000200 {rest}")
    decoded = compared.decoded(theirs)
    assert decoded.values == values
    assert [problem.code for problem in decoded.problems] == ["ndr-alias"]


def test_empty_array_gap() -> None:
    values = answer(variant("cauh", {"cElems": 0, "pElems": []}), text("c"))
    head = "02000000 00000000  1510000000000000 15100000 00000000 00000200 00000000  1f00000000000000 1f000000 04000200"
    tail = "02000000 00000000 02000000 6300 0000 07000000"
    is_ours(GET_INFO, values, f"{head} 00000000 00000000 {tail}")
    with corrected():
        theirs = GET_INFO.built(values, 2)
        assert theirs == bytes.fromhex(f"{head} 00000000 {tail}")
        assert GET_INFO.dissected(theirs, 2) == (values, b"")
    # Nothing on the wire tells which of the two a peer meant.
    assert GET_INFO.decoded(theirs).problems


class Conformant(NDRPacket):
    ALIGNMENT = (4, 4)
    DEPORTED_CONFORMANTS = ["a"]  # noqa: RUF012 - as scapy wants it
    fields_desc = [  # noqa: RUF012
        NDRIntField("n", None, size_of="a"),
        NDRShortField("s", 0),
        NDRConfStrLenField("a", "", size_is=lambda packet: packet.n, conformant_in_struct=True),
    ]


class ConformantRequest(NDRPacket):
    fields_desc = [NDRPacketField("p", Conformant(), Conformant)]  # noqa: RUF012


CONFORMANT: Final = request(
    Member("p", structure(Member("n", DWORD), Member("s", USHORT), Member("a", Array(BYTE, size_is="n"))))
)
GAP_BEFORE_ELEMENTS: Final = {
    NDR: bytes.fromhex("01000000  01000000 0200 0000 07"),
    NDR64: bytes.fromhex("0100000000000000  01000000 0200 0000 07"),
}


def conformant(syntax: Syntax) -> bytes:
    return encode(CONFORMANT, IN, {"p": {"n": 1, "s": 2, "a": b"\7"}}, {}, syntax, "<")


def test_conformant_structure_gap() -> None:
    for syntax, stub in GAP_BEFORE_ELEMENTS.items():
        assert bytes(ConformantRequest(p=Conformant(s=2, a=b"\7"), ndr64=syntax is NDR64)) == stub
    assert conformant(NDR) == bytes.fromhex("01000000  01000000 0200 07")
    assert conformant(NDR64) == GAP_BEFORE_ELEMENTS[NDR64]
    # The only one that is declared: its last nonconformant field ends aligned.
    entry = {"object": "00112233-4455-6677-8899-aabbccddeeff", "annotation": ""}
    tower = {"tower_length": 1, "tower_octet_string": b"a"}
    values: dict[str, Any] = {"num_ents": 1, "entries": [entry | {"tower": tower}]}
    compared = call("ept_delete", IN, NDR64)
    assert compared.encoded(values) == compared.built(values)
    inserted = call("ept_insert", IN, NDR64)
    assert inserted.encoded(values | {"replace": 1}) == inserted.built(values | {"replace": 1})


def test_pointer_to_pointer() -> None:
    compared = call("R_QMCreateRemoteCursor", IN)
    identifier = {"Lineage": "00112233-4455-6677-8899-aabbccddeeff", "Uniquifier": 7}
    values = {"ptb1": transfer(ppMessageID=identifier), "hQueue": 9}
    block, referent = "00" * 20 + "00000200" + "00" * 204, "33221100 5544 7766 8899aabbccddeeff 07000000"
    stub = f"{block} 04000200 {referent} 09000000"
    is_ours(compared, values, stub)
    with corrected(but="pointer-to-pointer"):
        assert compared.built(values) == bytes.fromhex(f"{block} 04000200 09000000")
        with pytest.raises(AttributeError):
            compared.dissected(bytes.fromhex(stub))


def test_size_behind_array() -> None:
    compared = call("S_InitSecCtx", IN)
    values = {"dwContext": 7, "pServerbuff": b"abc", "dwServerBuffSize": 3, "dwClientBuffMaxSize": 16}
    stub = "07000000  03000000 616263 00  03000000  10000000"
    is_ours(compared, values, stub)
    with corrected(but="size-behind-array"):
        assert compared.built(values) == bytes.fromhex(stub)
        read, left = compared.dissected(bytes.fromhex(stub))
    assert (read["pServerbuff"], read["dwServerBuffSize"], len(left)) == (bytes.fromhex(stub)[8:], 0x636261, 4)
