"""Protocol towers: literal octets, impacket's view of ours and ours of impacket's, and damage."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcerpc.bind import SyntaxId
from decoders.limits import MAX_TOWER_FLOORS
from decoders.msmq.towers import Floor, Tower, build_tower, parse_tower, tower_octets

QM2QM = SyntaxId("1088a980-eae5-11d0-8d9b-00a02453c337", 1, 0)
NDR = SyntaxId("8a885d04-1ceb-11c9-9fe8-08002b104860", 2, 0)
LITERAL = bytes.fromhex(
    "0500"
    "1300 0d 80a98810e5ead0118d9b00a02453c337 0100 0200 0000"
    "1300 0d 045d888aeb1cc9119fe808002b104860 0200 0200 0000"
    "0100 0b 0200 0000"
    "0100 07 0200 0839"
    "0100 09 0400 c000020a"
)


def test_literal_octets() -> None:
    assert len(LITERAL) == 75
    tower = parse_tower(LITERAL)
    assert tower == Tower(
        floors=tower.floors,
        interface=QM2QM,
        transfer_syntax=NDR,
        protocol_sequence="ncacn_ip_tcp",
        port=2105,
        host="192.0.2.10",
        named_pipe=None,
        netbios_name=None,
        problems=(),
    )
    assert [floor.protocol for floor in tower.floors] == [0x0D, 0x0D, 0x0B, 0x07, 0x09]
    assert tower_octets(tower.floors) == LITERAL
    assert build_tower(QM2QM, NDR, port=2105, host="192.0.2.10") == LITERAL


@pytest.mark.parametrize(
    ("sequence", "told", "expected"),
    [
        ("ncacn_ip_tcp", {"port": 65535, "host": "10.1.2.3"}, (65535, "10.1.2.3", None, None)),
        ("ncadg_ip_udp", {"port": 1, "host": "0.0.0.0"}, (1, "0.0.0.0", None, None)),
        ("ncacn_http", {"port": 593, "host": "10.1.2.3"}, (593, "10.1.2.3", None, None)),
        ("ncacn_np", {"named_pipe": r"\PIPE\x", "netbios_name": "SRV"}, (None, None, r"\PIPE\x", "SRV")),
        ("ncalrpc", {"named_pipe": "QMsvc$SRV"}, (None, None, "QMsvc$SRV", None)),
    ],
)
def test_each_protocol_sequence_is_told_by_its_floors(
    sequence: str, told: dict[str, Any], expected: tuple[int | None, str | None, str | None, str | None]
) -> None:
    tower = parse_tower(build_tower(QM2QM, NDR, sequence, **told))
    assert tower.protocol_sequence == sequence
    assert (tower.port, tower.host, tower.named_pipe, tower.netbios_name) == expected
    assert (tower.interface, tower.transfer_syntax, tower.problems) == (QM2QM, NDR, ())


def floors(*changed: tuple[int, Floor]) -> bytes:
    kept = list(parse_tower(LITERAL).floors)
    for at, floor in changed:
        kept[at] = floor
    return tower_octets(kept)


@pytest.mark.parametrize(
    ("octets", "problem"),
    [
        (b"", "no floor count"),
        (b"\x05", "no floor count"),
        (LITERAL[:40], "floor 2: the octets end inside it"),
        (LITERAL[:-1], "floor 5: the octets end inside it"),
        (LITERAL + b"\0\0", "2 bytes behind the last floor"),
        (floors((0, Floor(b"\x0d" + bytes(17), bytes(2)))), "floor 1: no UUID and version"),
        (floors((1, Floor(b"\x0b" + bytes(18), bytes(2)))), "floor 2: no UUID and version"),
        (floors((0, Floor(b"", b""))), "floor 1: no UUID and version"),
        (floors((3, Floor(b"\x07", b"\x01"))), "floor 4: 1 bytes instead of 2"),
        (floors((4, Floor(b"\x09", bytes(16)))), "floor 5: 16 bytes instead of 4"),
        (tower_octets([Floor(b"\x0b", b"")] * 40), f"40 floors, of which {MAX_TOWER_FLOORS} are read"),
    ],
)
def test_damage_is_told_and_the_rest_is_kept(octets: bytes, problem: str) -> None:
    tower = parse_tower(octets)
    assert problem in tower.problems
    assert len(tower.floors) <= MAX_TOWER_FLOORS


def test_what_stands_before_the_damage_is_kept() -> None:
    tower = parse_tower(LITERAL[:-1])
    assert (tower.interface, tower.transfer_syntax, tower.port) == (QM2QM, NDR, 2105)
    assert (tower.protocol_sequence, tower.host) == ("ncacn_ip_tcp", None)


def test_an_unknown_transport_is_kept_raw() -> None:
    tower = parse_tower(floors((3, Floor(b"\x13", b"\x01\x02\x03"))))
    assert (tower.protocol_sequence, tower.port, tower.problems) == (None, None, ())
    assert tower.floors[3] == Floor(b"\x13", b"\x01\x02\x03")


def test_the_first_port_counts() -> None:
    doubled = [*parse_tower(LITERAL).floors, Floor(b"\x07", b"\x00\x50")]
    assert parse_tower(tower_octets(doubled)).port == 2105


def test_a_pipe_name_that_is_not_ascii_is_escaped() -> None:
    tower = parse_tower(floors((3, Floor(b"\x0f", b"\\PIPE\\\xff\0junk"))))
    assert tower.named_pipe == r"\PIPE\\xff"


FLOORS = st.builds(Floor, st.binary(max_size=24), st.binary(max_size=24))


@given(st.lists(FLOORS, max_size=MAX_TOWER_FLOORS))
def test_floors_survive_writing_and_reading(kept: list[Floor]) -> None:
    assert parse_tower(tower_octets(kept)).floors == tuple(kept)


@given(st.binary(max_size=200))
def test_any_octets_give_a_tower(octets: bytes) -> None:
    tower = parse_tower(octets)
    assert len(tower.floors) <= MAX_TOWER_FLOORS
    if not tower.problems:
        assert tower_octets(tower.floors) == octets


@given(st.integers(0, 74), st.integers(0, 255))
def test_a_changed_byte_shows_somewhere(at: int, value: int) -> None:
    changed = bytearray(LITERAL)
    changed[at] = value
    tower = parse_tower(bytes(changed))
    assert (tower == parse_tower(LITERAL)) == (bytes(changed) == LITERAL)


SYNTAXES = st.builds(SyntaxId, st.uuids().map(str), st.integers(0, 65535), st.integers(0, 65535))


@given(SYNTAXES, SYNTAXES, st.integers(0, 65535), st.ip_addresses(v=4).map(str))
def test_impacket_reads_what_we_write(interface: SyntaxId, syntax: SyntaxId, port: int, host: str) -> None:
    from impacket.dcerpc.v5 import epm

    read = epm.EPMTower(build_tower(interface, syntax, port=port, host=host))["Floors"]
    assert read[0]["InterfaceUUID"] == uuid.UUID(interface.uuid).bytes_le
    assert (read[0]["MajorVersion"], read[0]["MinorVersion"]) == (interface.major, interface.minor)
    assert read[1]["DataRepUuid"] == uuid.UUID(syntax.uuid).bytes_le
    assert (read[1]["MajorVersion"], read[1]["MinorVersion"]) == (syntax.major, syntax.minor)
    assert epm.EPMPortAddr(read[3].getData())["IpPort"] == port
    assert ".".join(map(str, epm.EPMHostAddr(read[4].getData())["Ip4addr"])) == host


def test_we_read_what_impacket_writes() -> None:
    from impacket.dcerpc.v5 import epm

    interface, syntax, protocol = epm.EPMRPCInterface(), epm.EPMRPCDataRepresentation(), epm.EPMProtocolIdentifier()
    interface["InterfaceUUID"] = uuid.UUID(QM2QM.uuid).bytes_le
    interface["MajorVersion"], interface["MinorVersion"] = 1, 0
    syntax["DataRepUuid"] = uuid.UUID(NDR.uuid).bytes_le
    syntax["MajorVersion"], syntax["MinorVersion"] = 2, 0
    protocol["ProtIdentifier"] = epm.FLOOR_RPCV5_IDENTIFIER
    pipe, name = epm.EPMPipeName(), epm.EPMHostName()
    pipe["PipeName"], name["HostName"] = b"\\pipe\\epmapper\0", b"SRV01\0"
    written = epm.EPMTower()
    written["NumberOfFloors"] = 5
    written["Floors"] = b"".join(part.getData() for part in (interface, syntax, protocol, pipe, name))
    tower = parse_tower(written.getData())
    assert (tower.interface, tower.transfer_syntax, tower.problems) == (QM2QM, NDR, ())
    assert (tower.protocol_sequence, tower.named_pipe, tower.netbios_name) == ("ncacn_np", r"\pipe\epmapper", "SRV01")
