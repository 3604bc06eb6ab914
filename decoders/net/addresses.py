"""IP addresses as bytes, as two 64-bit columns, and as text."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from decoders.net.model import Column

MAPPED: Final = 0xFFFF_0000_0000
"""RFC 4291 2.5.5.2: the low half of ::ffff:0.0.0.0, where IPv4 addresses are kept."""

_FAMILIES: Final = {4: socket.AF_INET, 6: socket.AF_INET6}
_SIZES: Final = {4: 4, 6: 16}


def to_pair(address: bytes) -> tuple[int, int]:
    """The columns (high, low) of an address of 4 or 16 bytes."""
    value = int.from_bytes(address, "big")
    return (0, value | MAPPED) if len(address) == 4 else (value >> 64, value & (1 << 64) - 1)


def to_bytes(high: int, low: int, ip_version: int) -> bytes:
    """4 or 16 bytes, as they stood in the packet."""
    return (high << 64 | low).to_bytes(16, "big")[-_SIZES[ip_version] :]


def to_text(high: int, low: int, ip_version: int) -> str:
    # inet_ntop and not ipaddress: the latter changed how it prints ::ffff:a.b.c.d between Python 3.11 and 3.13.
    return socket.inet_ntop(_FAMILIES[ip_version], to_bytes(high, low, ip_version))


def to_texts(high: Column, low: Column, ip_version: Column) -> tuple[Column, list[str]]:
    """Dictionary encoding of an address column: int32 codes, and the text of each. Formats each address once."""
    if not len(low):
        return np.zeros(0, np.int32), []
    high_codes = np.unique(high, return_inverse=True)[1]
    low_values, low_codes = np.unique(low, return_inverse=True)
    keys = (high_codes * np.int64(len(low_values)) + low_codes) * 2 + (ip_version == 6)
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    texts = [to_text(int(high[row]), int(low[row]), int(ip_version[row])) for row in first]
    return codes.astype(np.int32), texts
