"""Stubs of qmcomm and qmcomm2: where every member of a message stands."""

from __future__ import annotations

import uuid
from typing import Any, NamedTuple

import pytest

from decoders.interfaces import qmcomm, qmcomm2
from decoders.msmq.format_names import format_name
from decoders.ndr.model import Direction, Syntax
from tests.decoders.interfaces.wire import counted, decoded, read, words

GUID = "00112233-4455-6677-8899-aabbccddeeff"
HANDLE = "3b5ffc7c-b092-4475-a3e3-e4d53df481df"
QMCOMM, QMCOMM2 = qmcomm.INTERFACE, qmcomm2.INTERFACE
IN, OUT = Direction.IN, Direction.OUT


def handle(text: str = HANDLE) -> bytes:
    return bytes(4) + uuid.UUID(text).bytes_le


def direct(name: str) -> bytes:
    """QUEUE_FORMAT and its referent."""
    return bytes.fromhex("03 00 0000 03 000000 04000200") + counted(name)


def test_a_queue_is_opened_for_remote_reading() -> None:
    stub = bytes.fromhex(
        "00000200 03000000 03000000 04000200 14000000 00000000 14000000"
        "4f0053003a0073007200760031005c00700072006900760061007400650024005c0071003100 0000"
        "00000000 01000000 00000000 33221100554477668899aabbccddeeff 00040000"
    )
    assert len(stub) == 100
    values = read(QMCOMM, 2, IN, stub)
    assert format_name(values["pQueueFormat"]) == r"DIRECT=OS:srv1\private$\q1"
    assert (values["dwDesiredAccess"], values["pLicGuid"], values["dwMQS"]) == (1, GUID, 0x400)


def test_the_answer_has_all_its_parts_even_where_it_failed() -> None:
    stub = bytes(20) + words(0, 0, 0, 0xC00E0003)
    assert len(stub) == 36
    values = read(QMCOMM, 2, OUT, stub)
    assert (values["pphContext"], values["phQueue"], values["return_value"]) == (None, 0, 0xC00E0003)


def test_an_object_is_a_queue_behind_a_tag_and_a_pointer() -> None:
    values = read(QMCOMM, 9, IN, words(1, 1, 0x20000) + direct("OS:a\\q"))
    assert values["pObjectFormat"]["ObjType"] == 1
    assert format_name(values["pObjectFormat"]["pQueueFormat"]) == "DIRECT=OS:a\\q"


def test_an_object_of_the_kind_that_is_never_sent_stops_decoding_and_keeps_its_number() -> None:
    found = decoded(QMCOMM, 9, IN, words(2, 2, 0))
    assert [problem.code for problem in found.problems] == ["ndr-unknown-tag"]
    assert found.values["pObjectFormat"] == {"ObjType": 2, "pQueueFormat": None}


def test_a_queue_is_created() -> None:
    path = counted("q1")
    stub = words(1) + path + bytes(-len(path) % 4) + words(3, 0x20000, 3) + b"abc\0" + words(1, 1, 103, 1)
    stub += bytes(-len(stub) % 8) + bytes.fromhex("1100 00 00 00000000 1100 01")
    values = read(QMCOMM, 6, IN, stub)
    assert (values["lpwcsPathName"], values["pSecurityDescriptor"], values["aProp"]) == ("q1", b"abc", [103])
    assert values["apVar"][0]["_varUnion"]["bVal"] == 1


def test_a_remote_name_has_two_pointers() -> None:
    stub = words(7, 1, 2) + counted("SRV\\q")
    assert read(QMCOMM, 1, IN, stub)["lplpRemoteQueueName"] == "SRV\\q"
    assert read(QMCOMM, 1, IN, words(7, 1, 0))["lplpRemoteQueueName"] is None
    assert read(QMCOMM, 1, IN, words(7, 0))["lplpRemoteQueueName"] is None


def test_a_setting_has_one_pointer_on_the_wire() -> None:
    stub = words(0x20000) + counted("6.3")
    values = read(QMCOMM, 28, OUT, stub + words(0))
    assert (values["lplpMQISServer"], values["return_value"]) == ("6.3", 0)


def test_a_buffer_of_characters_is_text_without_what_fills_it_up() -> None:
    stub = words(0x20000, 8, 0, 8) + "DIRECT=".encode("utf-16-le") + bytes(2) + words(7, 0)
    values = read(QMCOMM, 26, OUT, stub)
    assert (values["lpwcsFormatName"], values["pdwLength"]) == ("DIRECT=", 7)


class Place(NamedTuple):
    """Of a member behind the union's arm, in bytes, in NDR and in NDR64."""

    name: str
    ndr: int
    ndr64: int
    kind: str
    size_member: str = ""


def _place(name: str, ndr: str, ndr64: str, kind: str, size_member: str = "") -> Place:
    return Place(name, int(ndr), int(ndr64), kind, size_member)


PLACES = [
    _place(*line.split())
    for line in """
    pClass 0 0 u2
    ppMessageID 4 8 id
    ppCorrelationID 8 16 varying20
    pSentTime 12 24 u4
    pArrivedTime 16 32 u4
    pPriority 20 40 u1
    pDelivery 24 48 u1
    pAcknowledge 28 56 u1
    pAuditing 32 64 u1
    pApplicationTag 36 72 u4
    ppBody 40 80 varying ulBodyBufferSizeInBytes
    ulBodyBufferSizeInBytes 44 88 value
    ulAllocBodyBufferInBytes 48 92 value
    pBodySize 52 96 u4
    ppTitle 56 104 title ulTitleBufferSizeInWCHARs
    ulTitleBufferSizeInWCHARs 60 112 value
    pulTitleBufferSizeInWCHARs 64 120 u4
    ulAbsoluteTimeToQueue 68 128 value
    pulRelativeTimeToQueue 72 136 u4
    ulRelativeTimeToLive 76 144 value
    pulRelativeTimeToLive 80 152 u4
    pTrace 84 160 u1
    pulSenderIDType 88 168 u4
    ppSenderID 92 176 bytes uSenderIDLen
    pulSenderIDLenProp 96 184 u4
    pulPrivLevel 100 192 u4
    ulAuthLevel 104 200 value
    pAuthenticated 108 208 u1
    pulHashAlg 112 216 u4
    pulEncryptAlg 116 224 u4
    ppSenderCert 120 232 bytes ulSenderCertLen
    ulSenderCertLen 124 240 value
    pulSenderCertLenProp 128 248 u4
    ppwcsProvName 132 256 text ulProvNameLen
    ulProvNameLen 136 264 value
    pulAuthProvNameLenProp 140 272 u4
    pulProvType 144 280 u4
    fDefaultProvider 148 288 value
    ppSymmKeys 152 296 bytes ulSymmKeysSize
    ulSymmKeysSize 156 304 value
    pulSymmKeysSizeProp 160 312 u4
    bEncrypted 164 320 value1
    bAuthenticated 165 321 value1
    uSenderIDLen 166 322 value2
    ppSignature 168 328 bytes ulSignatureSize
    ulSignatureSize 172 336 value
    pulSignatureSizeProp 176 344 u4
    ppSrcQMID 180 352 guid
    pUow 184 360 uow
    ppMsgExtension 188 368 varying ulMsgExtensionBufferInBytes
    ulMsgExtensionBufferInBytes 192 376 value
    pMsgExtensionSize 196 384 u4
    ppConnectorType 200 392 guid
    pulBodyType 204 400 u4
    pulVersion 208 408 u4
    """.strip().splitlines()
]
BY_NAME = {place.name: place for place in PLACES}
BLOCK = {Syntax.NDR: (20, 212), Syntax.NDR64: (32, 416)}
"""Where the members begin behind a CreateCursor, and how long they are together."""
OBJECT_ID = {"Lineage": GUID, "Uniquifier": 9}
REFERENTS: dict[str, tuple[bytes, Any]] = {
    "u1": (b"\x05", 5),
    "u2": (b"\x05\0", 5),
    "u4": (words(5), 5),
    "id": (uuid.UUID(GUID).bytes_le + words(9), OBJECT_ID),
    "guid": (uuid.UUID(GUID).bytes_le, GUID),
    "uow": (bytes(range(16)), {"rgb": bytes(range(16))}),
    "bytes": (b"abc", b"abc"),
    "varying": (b"abc", b"abc"),
    "varying20": (bytes(range(20)), bytes(range(20))),
    "text": ("abc".encode("utf-16-le"), "abc"),
    "title": ("abc".encode("utf-16-le"), "abc"),
}
POINTED_TWICE = {"id", "guid", "bytes", "varying", "varying20", "text", "title"}
VARYING = {"varying", "varying20", "title"}
COUNTED = VARYING | {"bytes", "text"}


def message(name: str, syntax: Syntax) -> tuple[bytes, Any]:
    """CACTransferBufferV1 with one member set, and what that is then."""
    place, word = BY_NAME[name], 4 if syntax is Syntax.NDR else 8
    start, size = BLOCK[syntax]
    head = words(2, 2) if syntax is Syntax.NDR else words(2, 0, 2, 0)
    stub = bytearray(head + words(1, 2, 3)).ljust(start + size, b"\0")

    def put(member: str, number: int, width: int) -> None:
        at = start + (BY_NAME[member].ndr if syntax is Syntax.NDR else BY_NAME[member].ndr64)
        assert at + width <= len(stub)
        stub[at : at + width] = words(number, size=width)

    if place.kind.startswith("value"):
        width = int(place.kind[5:] or 4)
        put(name, 7, width)
        return bytes(stub), 7
    put(name, 0x20000, word)
    referent, value = REFERENTS[place.kind]
    if place.kind in POINTED_TWICE:
        stub += words(0x20004, size=word)
    if place.kind in COUNTED:
        number = len(value)
        stub += words(number, size=word) + (words(0, number, size=word) if place.kind in VARYING else b"")
        for member in {place.size_member, "ulAllocBodyBufferInBytes" if name == "ppBody" else ""} - {""}:
            put(member, number, int(BY_NAME[member].kind[5:] or 4))
    return bytes(stub + referent), value


@pytest.mark.parametrize("syntax", Syntax)
@pytest.mark.parametrize("name", BY_NAME)
def test_every_member_of_a_message_has_its_place(name: str, syntax: Syntax) -> None:
    stub, expected = message(name, syntax)
    stub += bytes(-len(stub) % 4) + words(11)
    values = read(QMCOMM, 4, IN, stub, syntax)
    buffer = values["ptb1"]
    assert buffer["CreateCursor"] == {"hCursor": 1, "srv_hACQueue": 2, "cli_pQMQueue": 3}
    assert (buffer[name], values["hQueue"]) == (expected, 11)
    set_too = {BY_NAME[name].size_member, "ulAllocBodyBufferInBytes"}
    others = {member for member in BY_NAME if member != name and buffer[member]}
    assert others <= set_too


def test_the_table_has_every_member() -> None:
    buffer = read(QMCOMM, 4, IN, message("pClass", Syntax.NDR)[0] + bytes(2) + words(0))["ptb1"]
    assert set(buffer) - set(BY_NAME) == {"uTransferType", "Send", "Receive", "CreateCursor"}


def test_a_message_is_received() -> None:
    names = [word for kind in range(4) for word in (4, 0x20000 + kind if kind == 2 else 0, 0)]
    block = bytearray(212)
    block[40:44], block[44:52] = words(0x20010), words(3, 4)
    stub = words(1, 1, 0, 0, 0, 0, *names) + block + words(0, 0, 0)
    stub += words(0x20020, 4) + "Q\0\0\0".encode("utf-16-le") + words(0x20030, 4, 0, 3) + b"abc\0" + words(0)
    old = read(QMCOMM2, 2, OUT, stub)["ptb"]["old"]
    assert old["Receive"]["ppDestFormatName"] == "Q"
    assert old["ppBody"] == b"abc"


def test_a_message_is_sent() -> None:
    stub = handle() + words(0, 0, 0x20000, 0) + bytes(212 + 12) + direct("OS:a\\admin")
    stub += bytes(-len(stub) % 4) + words(0x20008) + uuid.UUID(GUID).bytes_le + words(9)
    values = read(QMCOMM2, 1, IN, stub)
    assert values["hQueue"] == HANDLE
    assert format_name(values["ptb"]["old"]["Send"]["pAdminQueueFormat"]) == "DIRECT=OS:a\\admin"
    assert values["pMessageID"] == OBJECT_ID
