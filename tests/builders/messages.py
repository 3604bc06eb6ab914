"""Messages as packets: an encoder of [MS-MQMQ] 2.2.20 and [MS-MQRR] 2.2.5 that shares nothing with the parser.

`build_message(label="a", body=b"b")` is a whole packet, `build_sections(10, ...)` the same as RemoteRead sends it to a
client that asked for ten bytes of the body. What a packet leaves out by default is None or empty.
"""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass, field
from typing import Any

from decoders.msmq.message import Section

INFINITE = 0xFFFFFFFF
SOURCE = "557358d1-9150-9595-4997-b6e611ea26c6"
NIL = "00000000-0000-0000-0000-000000000000"
SID = bytes.fromhex("010500000000000515000000ad4a9ebd36d9fa3d63a656dae8030000")


def pad(raw: bytes, fill: int = 0xCD) -> bytes:
    """To a multiple of four, with what memory happens to hold."""
    return raw + bytes([fill]) * (-len(raw) % 4)


def guid(text: str) -> bytes:
    return uuid.UUID(text).bytes_le


def wide(text: str) -> bytes:
    return f"{text}\0".encode("utf-16-le", "surrogatepass")


@dataclass(frozen=True)
class Queue:
    """A kind of [MS-MQMQ] 2.2.19.2 with what it needs."""

    kind: int = 0
    guid: str | None = None
    number: int | None = None
    direct: str | None = None

    def encoded(self) -> bytes:
        raw = b"" if self.guid is None else guid(self.guid)
        raw += b"" if self.number is None else struct.pack("<I", self.number)
        if self.direct is None:
            return raw
        return raw + pad(struct.pack("<H", len(wide(self.direct))) + wide(self.direct))


def direct(name: str) -> Queue:
    return Queue(7, direct=name)


@dataclass(frozen=True)
class Address:
    length: int
    kind: int
    scope: int
    octets: bytes

    def encoded(self, room: int) -> bytes:
        return struct.pack("<HHI", self.length, self.kind, self.scope) + self.octets[:room].ljust(room, b"\0")


@dataclass(frozen=True)
class Transaction:
    sequence_id: int = 1
    number: int = 1
    previous: int = 0
    flags: int = 0
    connector: str | None = None

    def encoded(self) -> bytes:
        flags = self.flags | (self.connector is not None)
        raw = struct.pack("<IQII", flags, self.sequence_id, self.number, self.previous)
        return raw + (b"" if self.connector is None else guid(self.connector))


@dataclass(frozen=True)
class Security:
    flags: int = 0x81
    sender: bytes = SID
    key: bytes = b""
    signature: bytes = b""
    certificate: bytes = b""
    provider: tuple[int, str] | None = None

    def encoded(self) -> bytes:
        info = b"" if self.provider is None else struct.pack("<I", self.provider[0]) + wide(self.provider[1])
        items = (self.sender, self.key, self.signature, self.certificate, info)
        return struct.pack("<HHHHII", self.flags, *map(len, items)) + b"".join(map(pad, items))


@dataclass(frozen=True)
class Srmp:
    envelope: str
    compound: bytes
    body_at: int = 0
    body_size: int = 0

    def encoded_envelope(self) -> bytes:
        text = wide(self.envelope)
        return pad(struct.pack("<HHI", 0x00C8, 0, len(text) // 2) + text)

    def encoded_compound(self) -> bytes:
        return struct.pack("<HHIII", 500, 0, len(self.compound), self.body_size, self.body_at) + self.compound


@dataclass(frozen=True)
class Several:
    """A name is (1, guid), (2, guid, number), (3, text) or (6, guid)."""

    destination: tuple[tuple[Any, ...], ...]
    administration: tuple[tuple[Any, ...], ...] = ()
    response: tuple[tuple[Any, ...], ...] = ()
    signature: bytes = b""

    def encoded(self) -> bytes:
        lists = zip((0x64, 0xC8, 0x12C), (self.destination, self.administration, self.response), strict=True)
        addresses = b"".join(self._list(identifier, names) for identifier, names in lists)
        return addresses + pad(struct.pack("<HHI", 0x15E, 0, len(self.signature)) + self.signature)

    @staticmethod
    def _list(identifier: int, names: tuple[tuple[Any, ...], ...]) -> bytes:
        raw = bytes(12)
        for kind, value, *number in names:
            raw += struct.pack("<H", kind)
            raw = raw + wide(value) if kind == 3 else pad(raw) + guid(value)
            raw += b"".join(struct.pack("<I", each) for each in number)
        return pad(struct.pack("<IHHI", len(raw), identifier, 0, len(names)) + raw[12:])


@dataclass(frozen=True)
class Trailers:
    subqueue: str = ""
    target: str = ""
    aborts: int = 0
    moves: int = 0
    acknowledgement_class: int = 0
    dead_letter: str | None = None
    address: Address = field(default_factory=lambda: Address(0, 0, 0, b""))

    def encoded(self) -> bytes:
        counters = struct.pack("<IIII", self.acknowledgement_class << 1, self.aborts, self.moves, 0)
        names = b"".join(name.encode("utf-16-le").ljust(64, b"\0") for name in (self.subqueue, self.target))
        rest = struct.pack("<I", 148) + counters + names
        if self.dead_letter is not None:
            path = pad(wide(self.dead_letter), 0)
            rest += struct.pack("<I", 4 + len(path)) + path
        rest += struct.pack("<I", 28) + self.address.encoded(16)
        flags = 0x12 | (self.dead_letter is not None)
        return struct.pack("<IIB3x", 12, len(rest), flags) + rest


@dataclass(frozen=True)
class MessageParts:
    source: str = SOURCE
    manager: str | Address = NIL
    """In MS-MQRR an Address where the destination is a direct name."""
    version: int = 0x10
    priority: int = 3
    tracing: bool = False
    time_to_reach_queue: int = INFINITE
    time_to_be_received: int = INFINITE
    sent_time: int = 1_141_966_310
    number: int = 1
    hops: int = 0
    delivery: int = 0
    journaling: int = 0
    """1 negative, 2 positive."""
    destination: Queue = field(default_factory=lambda: direct(r"OS:srv01\private$\orders"))
    admin: Queue = field(default_factory=Queue)
    response: Queue = field(default_factory=Queue)
    connector: str | None = None
    transaction: Transaction | None = None
    security: Security | None = None
    acknowledge: int = 0
    label: str = ""
    message_class: int = 0
    correlation: bytes = bytes(20)
    body_type: int = 8
    tag: int = 0
    privacy: int = 0
    hash_algorithm: int = 0x8004
    encryption: int = 0x6801
    extension: bytes = b""
    body: bytes = b""
    allocated: int | None = None
    """AllocationBodySize, which is also the room the body gets; None: the body's size."""
    debug: str | None = None
    """The queue's GUID; empty for a DebugHeader without one."""
    srmp: Srmp | None = None
    soap: tuple[str, str] | None = None
    several: Several | None = None
    session: tuple[int, int, int, int, int, int] | None = None
    trailers: Trailers | None = None

    def packet(self) -> bytes:
        """PacketSize counts everything but the SessionHeader."""
        counted = self.in_front_of_body() + self.behind_headers()
        session = b"" if self.session is None else struct.pack("<HHIHHHxx", *self.session)
        trailers = b"" if self.trailers is None else self.trailers.encoded()
        return self._sized(len(counted) + len(trailers), counted) + session + trailers

    def in_front_of_body(self) -> bytes:
        base = struct.pack("<BBH4sII", self.version, 0x5A, self._base_flags(), b"LIOR", 0, self.time_to_reach_queue)
        raw = base + self._user()
        raw += b"" if self.transaction is None else self.transaction.encoded()
        raw += b"" if self.security is None else self.security.encoded()
        return raw + self._properties()

    def behind_headers(self) -> bytes:
        """The body, with the padding that its header needs, and the headers behind it."""
        room = self.body.ljust(len(self.body) if self.allocated is None else self.allocated, b"\xee")
        start = len(self.in_front_of_body())
        return room + bytes([0xCD]) * (-(start + len(room)) % 4) + self.behind_body()

    def behind_body(self) -> bytes:
        return self.in_front_of_compound() + self.behind_compound(self._compound())

    def in_front_of_compound(self) -> bytes:
        raw = b"" if self.debug is None else struct.pack("<HH", bool(self.debug), 0)
        raw += guid(self.debug) if self.debug else b""
        return raw + (b"" if self.srmp is None else self.srmp.encoded_envelope())

    def behind_compound(self, compound: bytes) -> bytes:
        raw = pad(compound)
        for identifier, text in zip((0x0320, 0x0384), self.soap or (), strict=False):
            raw += pad(struct.pack("<HHI", identifier, 0, len(wide(text)) // 2) + wide(text))
        return raw + (b"" if self.several is None else self.several.encoded())

    def _compound(self) -> bytes:
        return b"" if self.srmp is None else self.srmp.encoded_compound()

    @staticmethod
    def _sized(size: int, raw: bytes) -> bytes:
        return raw[:8] + struct.pack("<I", size) + raw[12:]

    def _base_flags(self) -> int:
        flags = self.priority | (self.session is not None) << 4 | (self.debug is not None) << 5
        return flags | self.tracing << 8

    def _user_flags(self) -> int:
        present = {
            19: self.security,
            20: self.transaction,
            22: self.connector,
            23: self.several,
            25: self.srmp,
            28: self.soap,
        }
        flags = sum(1 << bit for bit, part in present.items() if part is not None) | 1 << 21
        flags |= self.hops | self.delivery << 5 | self.journaling << 8
        return flags | self.destination.kind << 10 | self.admin.kind << 13 | self.response.kind << 16

    def _user(self) -> bytes:
        manager = self.manager.encoded(8) if isinstance(self.manager, Address) else guid(self.manager)
        numbers = (self.time_to_be_received, self.sent_time, self.number, self._user_flags())
        raw = guid(self.source) + manager + struct.pack("<IIII", *numbers)
        raw += b"".join(queue.encoded() for queue in (self.destination, self.admin, self.response))
        return raw + (b"" if self.connector is None else guid(self.connector))

    def _properties(self) -> bytes:
        label = wide(self.label) if self.label else b""
        room = len(self.body) if self.allocated is None else self.allocated
        head = struct.pack("<BBH20s", self.acknowledge, len(label) // 2, self.message_class, self.correlation)
        sizes = struct.pack("<IIII", self.body_type, self.tag, len(self.body), room)
        algorithms = struct.pack("<III", self.privacy, self.hash_algorithm, self.encryption)
        return head + sizes + algorithms + struct.pack("<I", len(self.extension)) + label + self.extension


def build_message(**options: Any) -> bytes:  # noqa: ANN401
    return MessageParts(**options).packet()


def build_sections(most: int, **options: Any) -> list[Section]:  # noqa: ANN401
    """For a client that asks for `most` bytes of the body or, over HTTP, of the compound message."""
    parts = MessageParts(**options)
    whole = parts.packet()
    head, body, kinds = whole[: len(parts.in_front_of_body())], parts.body, (1, 2)
    behind = parts.behind_body()
    if parts.srmp is not None:
        padded = parts.behind_headers()[: -len(behind)]
        head, body, kinds = head + padded + parts.in_front_of_compound(), parts.srmp.encoded_compound(), (3, 4)
        behind = parts.behind_compound(b"")
    if most >= len(body):
        return [Section(0, len(whole), whole)]
    behind += b"" if parts.trailers is None else parts.trailers.encoded()
    first = Section(kinds[0], len(head) + len(body), head + body[:most])
    return [first, Section(kinds[1], len(behind), behind)] if behind else [first]
