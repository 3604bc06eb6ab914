"""What scapy-rpc's definitions have otherwise: one test a row of differences.toml."""

# scapy has no annotations there.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any, Final

import pytest
from msrpcs import ms_mqds, ms_mqqp

from decoders.interfaces import dscomm, qm2qm
from decoders.ndr.model import Direction, Pointer, String
from tests.second_opinion.stubs.answers import is_ours, variant
from tests.second_opinion.stubs.corrections import corrected
from tests.second_opinion.stubs.scapy_calls import MODULES, call
from tests.second_opinion.stubs.scapy_declarations import VOID, as_scapy_declares
from tests.second_opinion.stubs.transfers import transfer

IN, OUT = Direction.IN, Direction.OUT
G: Final = "00112233-4455-6677-8899-aabbccddeeff"
G_BYTES: Final = "33221100 5544 7766 8899aabbccddeeff"
ANSWERS_OF_NOTHING: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "RemoteQmGetVersion": ({"pMajor": 6, "pMinor": 3, "pBuildNumber": 1234}, "06 03 d204"),
    "R_QMCloseRemoteQueueContext": ({"pphContext": None}, "00" * 20),
    "R_OpenQueue": ({"pphContext": G}, f"00000000 {G_BYTES}"),
    "R_OpenQueueForMove": ({"pMoveContext": 7, "pphContext": G}, f"0700000000000000 00000000 {G_BYTES}"),
    "S_DSEndDeleteNotification": ({"pHandle": None}, "00" * 20),
}


def test_remotereadack_numbers() -> None:
    assert {one.name: one.value for one in ms_mqqp.REMOTEREADACK} == {"RR_UNKNOWN": 1, "RR_NACK": 2, "RR_ACK": 3}
    assert dict(qm2qm.REMOTEREADACK.members) == {"RR_UNKNOWN": 0, "RR_NACK": 1, "RR_ACK": 2}


@pytest.mark.parametrize("name", VOID)
def test_void_returns(name: str) -> None:
    compared = call(name, OUT)
    values, stub = ANSWERS_OF_NOTHING[name]
    is_ours(compared, values, stub)
    with pytest.raises(struct.error):
        compared.dissected(compared.encoded(values))
    assert compared.built(values) == compared.encoded(values) + bytes(4)


def test_return_sign() -> None:
    compared = call("S_DSIsServerGC", OUT)
    is_ours(compared, {"return_value": -1}, "ffffffff")
    assert compared.dissected(b"\xff" * 4) == ({"return_value": 0xFFFFFFFF}, b"")


def test_callback_opnums() -> None:
    theirs = {pair.request.__name__.removesuffix("_Request"): at for at, pair in ms_mqds.DSCOMM_OPNUMS.items()}
    callbacks = {operation.name: operation.opnum for operation in dscomm.INTERFACE.callbacks}
    assert list(callbacks.values()) == [0, 1, 2]
    assert [theirs[name] for name in callbacks] == [21, 23, 24]
    moved = {one.name: one.opnum for one in dscomm.INTERFACE.operations if one.opnum != theirs[one.name]}
    assert moved == {
        "S_DSQMGetObjectSecurity": 21,
        "S_DSValidateServer": 22,
        "S_DSCloseServerHandle": 23,
        "S_DSGetServerPort": 27,
    }
    assert [theirs[name] for name in moved] == [22, 25, 26, 30]


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


def test_path_is_text() -> None:
    compared = call("S_DSDeleteObject", IN)
    stub = "01000000  04000000 00000000 04000000 6100 5c00 6200 0000"
    is_ours(compared, {"dwObjectType": 1, "pwcsPathName": "a\\b"}, stub)
    scapys = replace(compared, operation=as_scapy_declares(compared.operation))
    assert scapys.dissected(bytes.fromhex(stub)) == (
        {"dwObjectType": 1, "pwcsPathName": 4},
        bytes.fromhex(stub)[6:],
    )
    texts = {
        parameter.member.name
        for interface, _ in MODULES
        for operation in interface.operations
        for parameter in operation.parameters
        if isinstance(parameter.member.type, Pointer)
        and isinstance(parameter.member.type.to, String)
        and not parameter.member.type.to.written
    }
    assert texts == {"lpwszAction", "pwcsPathName", "pwcsContext", "lpwszComputerName", "lpwszDomainName"}


def test_unique_arrays() -> None:
    compared = call("R_QMSetObjectProperties", IN)
    target = {"ObjType": 1, "pQueueFormat": None}
    values = {"pObjectFormat": target, "cp": 1, "aProp": [103], "apVar": [variant("bVal", 1)]}
    head = "01000000 01000000 00000000  01000000"
    prop, var = "01000000 67000000", "01000000 00000000 1100000000000000 1100 01"
    is_ours(compared, values, f"{head}  00000200 {prop}  04000200 {var}")
    with corrected():
        assert compared.built(values) == bytes.fromhex(f"{head} {prop} {var}")
    is_ours(compared, values | {"aProp": None, "apVar": None}, f"{head} 00000000 00000000")


SITES: Final[dict[str, Any]] = {
    "pdwNumberOfSites": 1,
    "ppguidSites": [G],
    "pbServerSignature": b"",
    "pdwServerSignatureSize": 0,
    "return_value": 0,
}
SENDER: Final = {"ptb1": transfer(ppSenderID=b"ab", uSenderIDLen=2), "hQueue": 9}
BODY: Final = {
    "ptb1": transfer(ppBody=b"ab", ulBodyBufferSizeInBytes=2, ulAllocBodyBufferInBytes=3),
    "hQueue": 9,
}
BEHIND_TWO_POINTERS: Final = (
    ("S_DSGetComputerSites", OUT, SITES, f"01000000 00000200 01000000 00000000 01000000 {G_BYTES}" + "00" * 12),
    (
        "R_QMCreateRemoteCursor",
        IN,
        SENDER,
        "00" * 108 + "00000200" + "00" * 68 + "0000 0200" + "00" * 44 + "04000200 02000000 6162 0000 09000000",
    ),
    (
        "R_QMCreateRemoteCursor",
        IN,
        BODY,
        "00" * 56 + "00000200 02000000 03000000" + "00" * 160
        + "04000200 03000000 00000000 02000000 6162 0000 09000000",
    ),
)  # fmt: skip


def test_pointer_to_array() -> None:
    compared = call("R_StartReceive", OUT)
    sections = [
        {"SectionBufferType": 1, "SectionSizeAlloc": 9, "SectionSize": 1, "pSectionBuffer": b"a"},
        {"SectionBufferType": 2, "SectionSizeAlloc": 2, "SectionSize": 2, "pSectionBuffer": b"bc"},
    ]
    values = {
        "pdwArriveTime": 5,
        "pSequenceId": 6,
        "pdwNumberOfSections": 2,
        "ppPacketSections": sections,
        "return_value": 7,
    }
    head = "05000000 00000000 0600000000000000 02000000"
    first, second = "01000000 09000000 01000000", "02000000 02000000 02000000"
    stub = (
        f"{head} 00000200 02000000 {first} 04000200 {second} 08000200  01000000 61000000  02000000 62630000  07000000"
    )
    is_ours(compared, values, stub)
    with corrected(but="pointer-to-array"):
        assert compared.built(values) == bytes.fromhex(
            f"{head} 02000000 00000200 04000200"
            f"{first} 08000200 01000000 61000000  {second} 0c000200 02000000 62630000  07000000"
        )
        with pytest.raises(struct.error):
            compared.dissected(bytes.fromhex(stub))
    for name, direction, given, stub in BEHIND_TWO_POINTERS:
        other = call(name, direction)
        is_ours(other, given, stub)
        with corrected(but="pointer-to-array"):
            with pytest.raises(ValueError, match=r"Expected NDRPointer|Incorrect type"):
                other.built(given)
            with pytest.raises((AttributeError, struct.error)):
                other.dissected(bytes.fromhex(stub))


def test_pointers_of_ept_mgmt_delete() -> None:
    compared = call("ept_mgmt_delete", IN)
    values = {"object_speced": 1, "object": None, "tower": {"tower_length": 1, "tower_octet_string": b"a"}}
    is_ours(compared, values, "01000000  00000000  00000200 01000000 01000000 61")
    with pytest.raises(struct.error):
        compared.dissected(compared.encoded(values))
