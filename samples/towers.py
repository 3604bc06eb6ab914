"""Protocol towers of the endpoint mapper, C706 appendix L: how a server says on which port an interface listens."""

from __future__ import annotations

import socket
import struct
import uuid
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NDR_SYNTAX = ("8a885d04-1ceb-11c9-9fe8-08002b104860", "2.0")


def build_tower(interface: tuple[str, str], port: int, host: str) -> bytes:
    """Five floors: interface, transfer syntax, connection-oriented RPC, TCP port, IP address."""
    floors = (
        _syntax_floor(*interface),
        _syntax_floor(*NDR_SYNTAX),
        (b"\x0b", struct.pack("<H", 0)),
        (b"\x07", struct.pack(">H", port)),
        (b"\x09", socket.inet_aton(host)),
    )
    return struct.pack("<H", len(floors)) + b"".join(
        struct.pack("<H", len(left)) + left + struct.pack("<H", len(right)) + right for left, right in floors
    )


def read_tower(octets: bytes) -> Iterator[tuple[str, str | int]]:
    """The facts of such a tower; a request carries port 0 and address 0.0.0.0."""
    (floors,) = struct.unpack_from("<H", octets)
    at = 2
    for floor in range(floors):
        left, at = _part(octets, at)
        right, at = _part(octets, at)
        match left[0], floor:
            case 0x0D, 0:
                yield "interface_uuid", str(uuid.UUID(bytes_le=left[1:17]))
                yield "interface_version", f"{int.from_bytes(left[17:], 'little')}.{int.from_bytes(right, 'little')}"
            case 0x07, _:
                yield "port", int.from_bytes(right, "big")
            case 0x09, _:
                yield "host", socket.inet_ntoa(right)


def _syntax_floor(syntax: str, version: str) -> tuple[bytes, bytes]:
    major, minor = (int(part) for part in version.split("."))
    return b"\x0d" + uuid.UUID(syntax).bytes_le + struct.pack("<H", major), struct.pack("<H", minor)


def _part(octets: bytes, at: int) -> tuple[bytes, int]:
    (length,) = struct.unpack_from("<H", octets, at)
    return octets[at + 2 : at + 2 + length], at + 2 + length


def handles(purpose: str) -> Iterator[bytes]:
    """Context handles of 20 bytes that are the same in every run: attributes 0, then a UUID by name."""
    for number in count(1):
        yield bytes(4) + uuid.uuid5(uuid.NAMESPACE_DNS, f"{purpose}-{number}.mqtrail.example").bytes_le
