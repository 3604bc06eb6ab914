"""Packets written down as fast as they are made: captures of many megabytes, by our own writers."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from decoders.interfaces import INTERFACES, operation_of
from decoders.ndr.encoder import encode
from decoders.ndr.model import Direction, Syntax
from tests.builders import rpc

if TYPE_CHECKING:
    from collections.abc import Callable

FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
_ETHERNET = bytes.fromhex("020000000002 020000000001")
_WRAP = (1 << 32) - 1
CLIENT, SERVER = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))


def host(number: int, net: int = 11) -> bytes:
    """An IPv4 address of its own for each number."""
    return bytes((net,)) + number.to_bytes(3, "big")


def frame(src: bytes, dst: bytes, sport: int, dport: int, seq: int, ack: int, flags: int, payload: bytes) -> bytes:
    tcp = struct.pack(">HHIIBBHHH", sport, dport, seq & _WRAP, ack & _WRAP, 0x50, flags, 8192, 0, 0) + payload
    if len(src) == 16:
        return _ETHERNET + b"\x86\xdd" + struct.pack(">IHBB", 6 << 28, len(tcp), 6, 64) + src + dst + tcp
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0) + src + dst
    return _ETHERNET + b"\x08\x00" + ip + tcp


class Tape:
    """A classic pcap of about `size` bytes, a millisecond from packet to packet."""

    def __init__(self, size: int, gap_us: int = 1_000) -> None:
        self._parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 1)]
        self._size, self._bytes, self._gap_us = size, 24, gap_us
        self.now_us = 1_700_000_000_000_000

    def full(self, share: float = 1.0) -> bool:
        return self._bytes >= self._size * share

    def packet(self, octets: bytes) -> None:
        seconds, micros = divmod(self.now_us, 1_000_000)
        self.now_us += self._gap_us
        self._parts += [struct.pack("<IIII", seconds, micros, len(octets), len(octets)), octets]
        self._bytes += 16 + len(octets)

    def octets(self) -> bytes:
        return b"".join(self._parts)


class Line:
    """One TCP connection, written to the tape as it is said."""

    def __init__(
        self, tape: Tape, port: int, server_port: int = 2103, client: bytes = CLIENT, server: bytes = SERVER
    ) -> None:
        self.tape = tape
        self._ends = {True: (client, server, port, server_port), False: (server, client, server_port, port)}
        self.next = {True: 1_000, False: 5_000_000}
        self._call = 0

    def send(self, payload: bytes = b"", flags: int = PSH | ACK, *, by_client: bool = True) -> Line:
        ack = self.next[not by_client] if flags & ACK else 0
        self.tape.packet(frame(*self._ends[by_client], self.next[by_client], ack, flags, payload))
        self.next[by_client] += len(payload) + bool(flags & (SYN | FIN))
        return self

    def lose(self, octets: int, *, by_client: bool = True) -> Line:
        """So many are sent out of sight, and acknowledged in view."""
        self.next[by_client] += octets
        return self

    def open(self) -> Line:
        return self.send(flags=SYN).send(flags=SYN | ACK, by_client=False).send(flags=ACK)

    def close(self) -> Line:
        return self.send(flags=FIN | ACK).send(flags=FIN | ACK, by_client=False).send(flags=ACK)

    def bind(self, interface: str, group: int = 77) -> Line:
        """The server says which association it is."""
        answer = bytearray(rpc.bind_ack())
        struct.pack_into("<I", answer, 20, group)
        return self.send(rpc.bind(interface)).send(bytes(answer), by_client=False)

    def ask(self, opnum: int, stub: bytes) -> int:
        self._call += 1
        self.send(rpc.request(stub, opnum, self._call))
        return self._call

    def answer(self, call: int, stub: bytes) -> Line:
        return self.send(rpc.response(stub, call), by_client=False)

    def call(self, opnum: int, asked: bytes, answered: bytes) -> Line:
        return self.answer(self.ask(opnum, asked), answered)


def stubs(interface: str, opnum: int) -> tuple[Callable[[dict[str, Any]], bytes], Callable[[dict[str, Any]], bytes]]:
    """What encodes requests of an operation, and its answers."""
    operation, types = operation_of(interface, opnum), INTERFACES[interface].types
    assert operation is not None

    def written(direction: Direction) -> Callable[[dict[str, Any]], bytes]:
        return lambda values: encode(operation, direction, values, types, Syntax.NDR, "<", fill=0)

    return written(Direction.IN), written(Direction.OUT)
