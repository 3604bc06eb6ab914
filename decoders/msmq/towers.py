"""Protocol towers, by which the endpoint mapper says where an interface is: [C706] appendices I and L.

Counts and versions are little-endian whatever the PDU's byte order; ports are big-endian.
"""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.bind import SyntaxId
from decoders.limits import MAX_TOWER_FLOORS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

_UUID: Final = 0x0D
_NCADG: Final = 0x0A
_NCACN: Final = 0x0B
_NCALRPC: Final = 0x0C
_TCP: Final = 0x07
_UDP: Final = 0x08
_IP: Final = 0x09
_SMB: Final = 0x0F
_PIPE: Final = 0x10
_NETBIOS: Final = 0x11
_HTTP: Final = 0x1F

_SEQUENCES: Final = {
    "ncacn_ip_tcp": (_NCACN, _TCP, _IP),
    "ncadg_ip_udp": (_NCADG, _UDP, _IP),
    "ncacn_np": (_NCACN, _SMB, _NETBIOS),
    "ncacn_http": (_NCACN, _HTTP, _IP),
    "ncalrpc": (_NCALRPC, _PIPE),
}
_SEQUENCE_OF: Final[Mapping[tuple[int | None, ...], str]] = {
    protocols[:2]: name for name, protocols in _SEQUENCES.items()
}
_PORTS: Final = frozenset((_TCP, _UDP, _HTTP))
_SYNTAX_BYTES: Final = 19
_FLOORS_OF_SYNTAXES: Final = 2


@dataclass(frozen=True, slots=True)
class Floor:
    left: bytes
    """Begins with the protocol's identifier."""
    right: bytes

    @property
    def protocol(self) -> int | None:
        return self.left[0] if self.left else None


@dataclass(frozen=True, slots=True)
class Tower:
    """What could be read; `problems` says what could not."""

    floors: tuple[Floor, ...]
    interface: SyntaxId | None
    transfer_syntax: SyntaxId | None
    protocol_sequence: str | None
    """None also where the pair of protocols is not one of Windows'."""
    port: int | None
    host: str | None
    """Often 0.0.0.0, and no proof of where the service is: [MS-RPCE] 3.1.3.5.3 has everyone ignore it."""
    named_pipe: str | None
    """Of ncalrpc the endpoint's name."""
    netbios_name: str | None
    problems: tuple[str, ...]


def parse_tower(octets: bytes) -> Tower:
    problems: list[str] = []
    floors = _floors(octets, problems)
    syntaxes = [_syntax(floor, at, problems) for at, floor in enumerate(floors[:_FLOORS_OF_SYNTAXES], 1)]
    syntaxes += [None] * (_FLOORS_OF_SYNTAXES - len(syntaxes))
    below = list(enumerate(floors, 1))[_FLOORS_OF_SYNTAXES:]
    port = _sized(below, _PORTS, 2, problems)
    address = _sized(below, (_IP,), 4, problems)
    return Tower(
        floors=tuple(floors),
        interface=syntaxes[0],
        transfer_syntax=syntaxes[1],
        protocol_sequence=_SEQUENCE_OF.get(tuple(floor.protocol for _, floor in below[:2])),
        port=None if port is None else int.from_bytes(port, "big"),
        host=None if address is None else ".".join(map(str, address)),
        named_pipe=_text(below, (_SMB, _PIPE)),
        netbios_name=_text(below, (_NETBIOS,)),
        problems=tuple(problems),
    )


def _floors(octets: bytes, problems: list[str]) -> list[Floor]:
    if len(octets) < 2:
        problems.append("no floor count")
        return []
    count = int.from_bytes(octets[:2], "little")
    if count > MAX_TOWER_FLOORS:
        problems.append(f"{count} floors, of which {MAX_TOWER_FLOORS} are read")
    floors: list[Floor] = []
    at = 2
    for number in range(1, min(count, MAX_TOWER_FLOORS) + 1):
        sides = []
        for _ in range(2):
            size = int.from_bytes(octets[at : at + 2], "little")
            if len(octets) - at < 2 + size:
                problems.append(f"floor {number}: the octets end inside it")
                return floors
            sides.append(octets[at + 2 : at + 2 + size])
            at += 2 + size
        floors.append(Floor(*sides))
    if count <= MAX_TOWER_FLOORS and at < len(octets):
        problems.append(f"{len(octets) - at} bytes behind the last floor")
    return floors


def _syntax(floor: Floor, at: int, problems: list[str]) -> SyntaxId | None:
    if floor.protocol != _UUID or len(floor.left) != _SYNTAX_BYTES or len(floor.right) != 2:
        problems.append(f"floor {at}: no UUID and version")
        return None
    major, minor = (int.from_bytes(part, "little") for part in (floor.left[17:], floor.right))
    return SyntaxId(str(uuid.UUID(bytes_le=floor.left[1:17])), major, minor)


def _first(floors: list[tuple[int, Floor]], protocols: Container[int | None]) -> tuple[int, Floor] | None:
    return next(((at, floor) for at, floor in floors if floor.protocol in protocols), None)


def _sized(
    floors: list[tuple[int, Floor]], protocols: Container[int | None], size: int, problems: list[str]
) -> bytes | None:
    found = _first(floors, protocols)
    if found is None:
        return None
    at, floor = found
    if len(floor.right) != size:
        problems.append(f"floor {at}: {len(floor.right)} bytes instead of {size}")
        return None
    return floor.right


def _text(floors: list[tuple[int, Floor]], protocols: Container[int | None]) -> str | None:
    found = _first(floors, protocols)
    return None if found is None else found[1].right.split(b"\0", 1)[0].decode("ascii", "backslashreplace")


def build_tower(
    interface: SyntaxId,
    transfer_syntax: SyntaxId,
    protocol_sequence: str = "ncacn_ip_tcp",
    *,
    port: int = 0,
    host: str = "0.0.0.0",  # noqa: S104
    named_pipe: str = "",
    netbios_name: str = "",
) -> bytes:
    right = {
        _NCACN: bytes(2),
        _NCADG: bytes(2),
        _NCALRPC: bytes(2),
        **dict.fromkeys(_PORTS, port.to_bytes(2, "big")),
        _IP: bytes(map(int, host.split("."))),
        **dict.fromkeys((_SMB, _PIPE), named_pipe.encode("ascii") + b"\0"),
        _NETBIOS: netbios_name.encode("ascii") + b"\0",
    }
    below = (Floor(bytes((protocol,)), right[protocol]) for protocol in _SEQUENCES[protocol_sequence])
    return tower_octets((_syntax_floor(interface), _syntax_floor(transfer_syntax), *below))


def _syntax_floor(syntax: SyntaxId) -> Floor:
    left = struct.pack("<B16sH", _UUID, uuid.UUID(syntax.uuid).bytes_le, syntax.major)
    return Floor(left, struct.pack("<H", syntax.minor))


def tower_octets(floors: Iterable[Floor]) -> bytes:
    written = [
        struct.pack("<H", len(floor.left)) + floor.left + struct.pack("<H", len(floor.right)) + floor.right
        for floor in floors
    ]
    return struct.pack("<H", len(written)) + b"".join(written)
