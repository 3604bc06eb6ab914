"""Security descriptors in self-relative form: [MS-DTYP] 2.4.6."""

from __future__ import annotations

import struct
from typing import Final

_OWNER: Final = "S-1-5-21-1004336348-1177238915-682003330-1104"
_GROUP: Final = "S-1-5-21-1004336348-1177238915-682003330-513"
_EVERYONE: Final = "S-1-1-0"
_FULL, _SEND = 0x000F_003F, 0x0002_0024
_SELF_RELATIVE: Final = 0x8004
"""SR and DP."""


def _sid(text: str) -> bytes:
    authority, *rest = map(int, text.split("-")[2:])
    return struct.pack(f"<BB6s{len(rest)}I", 1, len(rest), authority.to_bytes(6, "big"), *rest)


def _allowed(mask: int, sid: str) -> bytes:
    return struct.pack("<BBHI", 0, 0, 8 + len(_sid(sid)), mask) + _sid(sid)


def _descriptor(owner: str, group: str, entries: bytes, count: int) -> bytes:

    dacl = struct.pack("<BBHHH", 2, 0, 8 + len(entries), count, 0) + entries
    parts = dacl, _sid(owner), _sid(group)
    at_dacl, at_owner, at_group = 20, 20 + len(parts[0]), 20 + len(parts[0]) + len(parts[1])
    return struct.pack("<BBHIIII", 1, 0, _SELF_RELATIVE, at_owner, at_group, 0, at_dacl) + b"".join(parts)


USUAL: Final = _descriptor(_OWNER, _GROUP, _allowed(_FULL, _OWNER) + _allowed(_SEND, _EVERYONE), 2)
"""As of a queue that everyone may send to, and only its owner may read."""
