"""Keytab files, for tests of what reads them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decoders.security.accounts import ServiceKey

VERSION = b"\x05\x02"


def entry(key: ServiceKey, *, wide: bool = True, room: bytes = b"") -> bytes:
    """`wide`: with all 32 bits of the version; `room`: what an older, longer entry left behind it."""
    parts = key.principal.split("/")
    names = b"".join(counted(text.encode()) for text in (key.realm, *parts))
    made = struct.pack(">H", len(parts)) + names + struct.pack(">IIBH", 1, 0, key.kvno & 0xFF, key.etype)
    made += counted(key.key) + (struct.pack(">I", key.kvno) if wide else b"") + room
    return struct.pack(">i", len(made)) + made


def deleted(size: int) -> bytes:
    return struct.pack(">i", -size) + b"\xaa" * size


def counted(data: bytes) -> bytes:
    return struct.pack(">H", len(data)) + data
