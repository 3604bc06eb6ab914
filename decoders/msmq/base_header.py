"""BaseHeader, with which every packet of message queuing begins: [MS-MQMQ] 2.2.19.1. `message` reads the rest."""

from __future__ import annotations

import struct
from typing import Final

SIGNATURE: Final = b"LIOR"
_TO_PACKET_SIZE: Final = struct.Struct("<4x4sI")
HEAD_BYTES: Final = _TO_PACKET_SIZE.size


def packet_size(message: bytes | memoryview) -> int | None:
    """PacketSize, by which a message tells its own length; None where it does not begin as one."""
    if len(message) < HEAD_BYTES:
        return None
    signature, size = _TO_PACKET_SIZE.unpack_from(message)
    return int(size) if signature == SIGNATURE else None
