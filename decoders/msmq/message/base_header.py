"""BaseHeader: [MS-MQMQ] 2.2.19.1."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.base_header import SIGNATURE
from decoders.msmq.message.layout import Layout

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader

VERSION: Final = 0x10
MAX_PACKET_SIZE: Final = 0x0040_0000
INFINITE: Final = 0xFFFF_FFFF
_SIGNATURE_AT: Final = 4


class BaseFlag(enum.IntEnum):
    """Masks of Flags; the other bits are reserved."""

    PR = 0x0007
    IN = 0x0008
    SH = 0x0010
    DH = 0x0020
    TR = 0x0100


@dataclass(frozen=True, slots=True)
class BaseHeader:
    VersionNumber: int
    Flags: int
    PacketSize: int
    """Without the SessionHeader."""
    TimeToReachQueue: int
    """Seconds from SentTime on; in MS-MQRR 2.2.5.1 the time itself, in Unix seconds. INFINITE in both."""


_FIXED: Final = Layout(
    "BaseHeader",
    ("VersionNumber", "B"),
    ("", "x"),
    ("Flags", "H"),
    ("", "4x"),
    ("PacketSize", "I"),
    ("TimeToReachQueue", "I"),
)


def read(reader: Reader, members: Members) -> None:
    signature = reader.data[_SIGNATURE_AT : _SIGNATURE_AT + len(SIGNATURE)]
    if len(signature) == len(SIGNATURE) and signature != SIGNATURE:
        reader.stop("message-signature", _SIGNATURE_AT, f"{signature.hex()} instead of {SIGNATURE.hex()}")
    members |= _FIXED.read(reader)
    if members["Flags"] & BaseFlag.IN:
        reader.stop("message-internal", 0, "Flags.IN is set")
    if members["VersionNumber"] != VERSION:
        reader.report("message-version", 0, f"version 0x{members['VersionNumber']:02X}")
    reader.end = _end(reader, members["PacketSize"])


def _end(reader: Reader, told: int) -> int:
    if not _FIXED.size <= told <= MAX_PACKET_SIZE:
        reader.report("message-size", 8, f"PacketSize is {told}")
    if told < _FIXED.size:
        return reader.size
    if reader.missing:
        # Nothing says whether a server corrects PacketSize when it leaves out a part of the body.
        return max(told, reader.size)
    return min(told, max(reader.size, MAX_PACKET_SIZE))
