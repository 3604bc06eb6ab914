"""IP addresses as bytes, as two 64-bit columns, and as text."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from decoders.net.model import Column

MAPPED: Final = 0xFFFF_0000_0000
"""RFC 4291 2.5.5.2: the low half of ::ffff:0.0.0.0, where IPv4 addresses are kept."""

_ROW: Final = np.dtype([("version", "u1"), ("high", ">u8"), ("low", ">u8")])


def to_pair(address: bytes) -> tuple[int, int]:
    """The columns (high, low) of an address of 4 or 16 bytes."""
    value = int.from_bytes(address, "big")
    return (0, value | MAPPED) if len(address) == 4 else (value >> 64, value & (1 << 64) - 1)


def to_text(address: bytes) -> str:
    # inet_ntop and not ipaddress: the latter changed how it prints ::ffff:a.b.c.d between Python 3.11 and 3.13.
    return socket.inet_ntop(socket.AF_INET if len(address) == 4 else socket.AF_INET6, address)


def is_address(text: str) -> bool:
    """As `to_text` writes it."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            return socket.inet_ntop(family, socket.inet_pton(family, text)) == text
        except (OSError, ValueError):
            continue
    return False


def distinct(high: Column, low: Column, ip_version: Column) -> tuple[Column, list[bytes]]:
    """Dictionary encoding of an address column: int32 codes, and each address once, 4 or 16 bytes."""
    rows = np.empty(len(low), _ROW)
    rows["version"], rows["high"], rows["low"] = ip_version, high, low
    # One opaque value a row is what unique() sorts fastest.
    found, codes = np.unique(rows.view(f"V{_ROW.itemsize}"), return_inverse=True)
    raw = [item.tobytes() for item in found]
    return codes.astype(np.int32), [item[13:] if item[0] == 4 else item[1:] for item in raw]
