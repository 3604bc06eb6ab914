"""The options of an interface description block that change the meaning of its packets."""

from __future__ import annotations

import struct

from ingest.containers.model import ByteOrder, Interface

_END, _TSRESOL, _TSOFFSET = 0, 9, 14
DEFAULT_TICKS = 1_000_000
MAX_EXPONENT = {10: 19, 2: 63}
"""Finer resolutions do not fit the 64 bits that pcapng has for a time."""


def interface_of(block: bytes, order: ByteOrder) -> Interface:
    link_type, _reserved, snap_len = struct.unpack_from(f"{order}HHI", block, 8)
    options = _options(block[16:-4], order)
    return Interface(
        link_type=link_type,
        snap_len=snap_len,
        ticks_per_second=_ticks(options.get(_TSRESOL, b"")),
        offset_seconds=struct.unpack(f"{order}q", value)[0] if len(value := options.get(_TSOFFSET, b"")) == 8 else 0,
    )


def _ticks(value: bytes) -> int:
    if len(value) != 1:
        return DEFAULT_TICKS
    base, exponent = (2, value[0] & 0x7F) if value[0] & 0x80 else (10, value[0])
    return base**exponent if exponent <= MAX_EXPONENT[base] else DEFAULT_TICKS


def _options(data: bytes, order: ByteOrder) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from(f"{order}HH", data, at)
        value = data[at + 4 : at + 4 + length]
        if code == _END or len(value) < length:
            break
        found.setdefault(code, value)
        at += 4 + length + -length % 4
    return found
