"""Declarations against bytes: laid out by hand by [C706] 14 and [MS-RPCE] 2.2.4, or made by impacket."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from decoders.dcerpc.bind import SyntaxId
from decoders.interfaces import epm, qm2qm, qmmgmt
from decoders.msmq.format_names import format_name
from decoders.msmq.properties import property_name
from decoders.msmq.towers import build_tower, parse_tower
from decoders.msmq.variants import variant_text
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Direction, Interface, Syntax

QM2QM = SyntaxId(qm2qm.INTERFACE.uuid, 1, 0)
NDR = SyntaxId("8a885d04-1ceb-11c9-9fe8-08002b104860", 2, 0)
HANDLE = "3b5ffc7c-b092-4475-a3e3-e4d53df481df"


def read(interface: Interface, opnum: int, direction: Direction, stub: bytes) -> dict[str, Any]:
    decoded = decode(interface.operations[opnum], direction, stub, interface.types, Syntax.NDR, "<")
    assert (decoded.problems, decoded.complete, decoded.consumed) == ((), True, len(stub))
    return decoded.values


def counted(text: str) -> bytes:
    size = len(text) + 1
    head = b"".join(number.to_bytes(4, "little") for number in (size, 0, size))
    return head + text.encode("utf-16-le") + b"\0\0"


def test_properties_of_a_machine() -> None:
    stub = bytes.fromhex(
        "0100 0100 00000000"  # MGMT_MACHINE, again before the arm, Reserved1
        "02000000"
        "02000000 04000000 06000000"
        "02000000 00000000"  # elements are aligned 8: PROPVARIANT may hold 64 bits
        "1f00 00 00 00000000 1f00 0000 00000200"
        "1400 00 00 00000000 1400 000000000000 0700000000000000"
    ) + counted("CONNECTED")
    values = read(qmmgmt.INTERFACE, 0, Direction.IN, stub)
    assert values["pObjectFormat"]["type"] == 1
    names = [property_name(values["pObjectFormat"]["type"], propid) for propid in values["aProp"]]
    assert names == ["PROPID_MGMT_MSMQ_CONNECTED", "PROPID_MGMT_MSMQ_BYTES_IN_ALL_QUEUES"]
    assert [variant_text(variant) for variant in values["apVar"]] == ["CONNECTED", "7"]


def test_a_vector_of_texts_in_a_variant() -> None:
    stub = bytes.fromhex(
        "01000000 00000000"
        "1f10 00 00 00000000 1f10 0000 02000000 00000200"
        "02000000 04000200 00000000"  # two pointers, the second null
    )
    stub += counted("A") + bytes(4)
    values = read(qmmgmt.INTERFACE, 0, Direction.OUT, stub)
    assert variant_text(values["apVar"][0]) == '["A", null]'
    assert values["return_value"] == 0


def test_an_action_on_a_queue() -> None:
    stub = bytes.fromhex(
        "0200 0200 00000200"  # MGMT_QUEUE, again before the arm, a unique pointer
        "03 00 0000 03 000000 04000200"  # QUEUE_FORMAT: direct, again before the arm, a unique pointer
    )
    stub += counted(r"OS:srv1\private$\q1") + counted("PAUSE")
    values = read(qmmgmt.INTERFACE, 1, Direction.IN, stub)
    assert format_name(values["pObjectFormat"]["pQueueFormat"]) == r"DIRECT=OS:srv1\private$\q1"
    assert values["lpwszAction"] == "PAUSE"


def test_a_message_read_from_a_queue() -> None:
    handle = bytes(4) + uuid.UUID(HANDLE).bytes_le
    numbers = (7, 0, 0, 0xFFFFFFFF, 3, 9, 42, 1, 1_700_000_000)
    stub = handle + b"".join(number.to_bytes(4, "little") for number in numbers)
    stub += bytes.fromhex("0200 0000 00000200  03000000 00000000 03000000 616263 00  00000000")
    values = read(qm2qm.INTERFACE, 0, Direction.OUT, stub)
    assert values["pphContext"] == HANDLE
    assert values["lpRemoteReadDesc"]["lpBuffer"] == b"abc"
    assert values["lpRemoteReadDesc"]["eAckNack"] == 2
    assert values["lpRemoteReadDesc"]["dwArriveTime"] == 1_700_000_000
    assert values["return_value"] == 0


def test_a_message_read_by_lookup_id() -> None:
    stub = (5).to_bytes(8, "little") + bytes.fromhex("00000200 00000000 0600000000000000")
    stub += bytes(36) + bytes.fromhex("0000 0000 00000000")
    values = read(qm2qm.INTERFACE, 10, Direction.IN, stub)
    assert (values["LookupId"], values["lpRemoteReadDesc2"]["SequentialId"]) == (5, 6)
    assert values["lpRemoteReadDesc2"]["pRemoteReadDesc"]["lpBuffer"] is None


def test_impackets_question_to_the_endpoint_mapper() -> None:
    from impacket.dcerpc.v5.epm import ept_map

    octets = build_tower(QM2QM, NDR)
    request = ept_map()
    request["max_towers"] = 4
    request["map_tower"]["tower_length"] = len(octets)
    request["map_tower"]["tower_octet_string"] = octets
    request.fields["obj"].fields["ReferentID"] = 1
    request.fields["map_tower"].fields["ReferentID"] = 2
    values = read(epm.INTERFACE, 3, Direction.IN, request.getData())
    assert values["obj"] == "00000000-0000-0000-0000-000000000000"
    assert parse_tower(values["map_tower"]["tower_octet_string"]).interface == QM2QM
    assert (values["entry_handle"], values["max_towers"]) == (None, 4)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_endpoint_mappers_answer(count: int) -> None:
    """Windows sends it so: no referent id before the array, towers behind all their ids, each aligned 4."""
    octets = [build_tower(QM2QM, NDR, port=2103 + at, host="192.0.2.10") for at in range(count)]
    numbers = [count, 4, 0, count, *(3 + at for at in range(count))]
    stub = bytes(4) + uuid.UUID(HANDLE).bytes_le + b"".join(number.to_bytes(4, "little") for number in numbers)
    for tower in octets:
        size = len(tower).to_bytes(4, "little")
        stub += size + size + tower + bytes(-len(tower) % 4)
    values = read(epm.INTERFACE, 3, Direction.OUT, stub + bytes(4))
    assert values["entry_handle"] == HANDLE
    ports = [parse_tower(tower["tower_octet_string"]).port for tower in values["ITowers"]]
    assert ports == [2103 + at for at in range(count)]


def test_a_listing_of_the_endpoint_mapper() -> None:
    octets = build_tower(QM2QM, NDR, port=2105)
    size = len(octets).to_bytes(4, "little")
    stub = bytes(20) + bytes.fromhex("01000000 0a000000 00000000 01000000")
    stub += bytes(16) + bytes.fromhex("03000000 00000000 05000000 4d534d5100 000000")
    stub += size + size + octets + bytes(-len(octets) % 4) + bytes.fromhex("d6a0c916")
    values = read(epm.INTERFACE, 2, Direction.OUT, stub)
    (entry,) = values["entries"]
    assert (entry["annotation"], parse_tower(entry["tower"]["tower_octet_string"]).port) == ("MSMQ", 2105)
    assert values["status"] == 0x16C9A0D6
