"""One test a row of differences.toml: the other project still differs, and ours is as the row says."""

# scapy has no annotations there.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import struct
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from impacket.dcerpc.v5.dtypes import LONG as THEIR_LONG
from impacket.dcerpc.v5.dtypes import SHORT as THEIR_SHORT
from impacket.dcerpc.v5.ndr import NDRCALL, NDRSTRUCT
from msrpcs import ms_mqqp
from scapy.layers.dcerpc import NDRConfStrLenField, NDRIntField, NDRPacket, NDRPacketField, NDRShortField

from decoders.interfaces import qm2qm
from decoders.ndr.base_types import BYTE, DWORD, LONG, SHORT, USHORT
from decoders.ndr.encoder import encode
from decoders.ndr.model import Array, Direction, Member, Syntax
from tests.decoders.ndr.operations import request
from tests.decoders.ndr.operations import struct as structure
from tests.second_opinion.stubs import impacket_values
from tests.second_opinion.stubs.answers import GET_INFO, answer, is_ours, text, variant
from tests.second_opinion.stubs.corrections import CORRECTED, corrected
from tests.second_opinion.stubs.scapy_calls import as_scapy_declares, call

TABLE: Final = Path(__file__).with_name("differences.toml")
IN, OUT = Direction.IN, Direction.OUT
NDR, NDR64 = Syntax.NDR, Syntax.NDR64


def test_every_row_has_a_test_and_every_test_a_row() -> None:
    with TABLE.open("rb") as file:
        rows = tomllib.load(file)["difference"]
    tested = [name.removeprefix("test_").replace("_", "-") for name in globals() if name.startswith("test_")]
    identifiers = {row["id"] for row in rows}
    assert identifiers <= set(tested)
    assert len(tested) - len(identifiers) == len(_NOT_ABOUT_A_ROW)
    assert identifiers >= CORRECTED
    assert {row["right"] for row in rows} == {"ours", "open"}


def test_remotereadack_numbers() -> None:
    assert {one.name: one.value for one in ms_mqqp.REMOTEREADACK} == {"RR_UNKNOWN": 1, "RR_NACK": 2, "RR_ACK": 3}
    assert dict(qm2qm.REMOTEREADACK.members) == {"RR_UNKNOWN": 0, "RR_NACK": 1, "RR_ACK": 2}


def test_version_returns() -> None:
    compared = call("RemoteQmGetVersion", OUT)
    values = {"pMajor": 6, "pMinor": 3, "pBuildNumber": 1234}
    is_ours(compared, values, "06 03 d204")
    with pytest.raises(struct.error):
        compared.dissected(compared.encoded(values))
    assert compared.built(values) == compared.encoded(values) + bytes(4)


def test_action_is_text() -> None:
    compared = call("R_QMMgmtAction", IN)
    target = {"type": 1, "Reserved1": 0, "pQueueFormat": None, "Reserved2": None}
    values = {"pObjectFormat": target, "lpwszAction": "TIDY"}
    stub = "0100 0100 00000000  05000000 00000000 05000000 5400 4900 4400 5900 0000"
    is_ours(compared, values, stub)
    scapys = replace(compared, operation=as_scapy_declares(compared.operation))
    read, left = scapys.dissected(bytes.fromhex(stub))
    assert read["lpwszAction"] == 5
    assert len(left) == 20
    # What scapy would send is read as it was meant.
    one = scapys.built({"pObjectFormat": target, "lpwszAction": ord("T")})
    assert compared.decoded(one).values["lpwszAction"] == "T"


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


class LongAndShort(NDRSTRUCT):  # type: ignore[misc]
    structure = (("l", THEIR_LONG), ("s", THEIR_SHORT))


class LongAndShortCall(NDRCALL):  # type: ignore[misc]
    structure = (("p", LongAndShort), ("q", THEIR_SHORT))


def test_structure_gap() -> None:
    padded = request(Member("p", structure(Member("l", LONG), Member("s", SHORT))), Member("q", SHORT))
    stub = encode(padded, IN, {"p": {"l": 1, "s": 2}, "q": 3}, {}, NDR64, "<")
    assert stub == bytes.fromhex("01000000 0200 0000  0300")
    theirs = LongAndShortCall(isNDR64=True)
    theirs["p"]["l"], theirs["p"]["s"], theirs["q"] = 1, 2, 3
    assert theirs.getData() == bytes.fromhex("01000000 0200  0300")

    compared = call("ept_lookup", OUT, NDR64)
    entry = {"object": "00112233-4455-6677-8899-aabbccddeeff", "tower": None, "annotation": ""}
    values = {"entry_handle": None, "num_ents": 1, "entries": [entry], "status": 5}
    stub = compared.encoded(values)
    assert stub[-12:] == bytes.fromhex("00 00000000000000 05000000")
    assert compared.built(values) == stub
    shorter = impacket_values.built(compared.operation, OUT, NDR64, values)
    assert len(shorter) == len(stub) - 4
    assert compared.decoded(shorter).values == values | {"status": None}


def test_pointers_of_ept_mgmt_delete() -> None:
    compared = call("ept_mgmt_delete", IN)
    values = {"object_speced": 1, "object": None, "tower": {"tower_length": 1, "tower_octet_string": b"a"}}
    is_ours(compared, values, "01000000  00000000  00000200 01000000 01000000 61")
    with pytest.raises(struct.error):
        compared.dissected(compared.encoded(values))


_NOT_ABOUT_A_ROW: Final = (test_every_row_has_a_test_and_every_test_a_row,)
