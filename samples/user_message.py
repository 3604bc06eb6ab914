"""The UserMessage packet of [MS-MQMQ] 2.2.20: BaseHeader, UserHeader and MessagePropertiesHeader, nothing optional."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uuid

INFINITE = 0xFFFFFFFF
PRIORITY_DEFAULT = 3
DESTINATION_DIRECT = 7 << 10
HAS_MESSAGE_PROPERTIES = 1 << 21
VT_LPWSTR = 31
SHA1, RC2 = 0x8004, 0x6602


@dataclass(frozen=True)
class Message:
    """What an application handed to its queue manager, and what the receiving one notes."""

    number: int
    label: str
    body: bytes
    sent: int
    lookup_id: int
    body_type: int = 0

    def packet(self, source: uuid.UUID, destination: str) -> bytes:
        """BaseHeader.PacketSize counts every byte, so the other headers are built first."""
        rest = self._user_header(source, destination) + self._properties_header()
        size = 16 + len(rest)
        base = struct.pack("<BBHIII", 0x10, 0, PRIORITY_DEFAULT, 0x524F494C, size, INFINITE)
        return base + rest

    def _user_header(self, source: uuid.UUID, destination: str) -> bytes:
        """2.2.19.2; with a direct destination QueueManagerAddress is all zero."""
        flags = DESTINATION_DIRECT | HAS_MESSAGE_PROPERTIES
        fixed = source.bytes_le + bytes(16) + struct.pack("<IIII", INFINITE, self.sent, self.number, flags)
        name = f"{destination}\0".encode("utf-16-le")
        return _padded(fixed + struct.pack("<H", len(name)) + name)

    def _properties_header(self) -> bytes:
        """2.2.19.3; LabelLength counts characters with the terminator, the body follows without alignment."""
        label = f"{self.label}\0".encode("utf-16-le") if self.label else b""
        fixed = struct.pack("<BBH20s", 0, len(label) // 2, 0, bytes(20))
        sizes = struct.pack("<IIII", self.body_type, 0, len(self.body), len(self.body))
        return _padded(fixed + sizes + struct.pack("<IIII", 0, SHA1, RC2, 0) + label + self.body)


def _padded(header: bytes) -> bytes:
    return header + bytes(-len(header) % 4)
