"""Security descriptors in self-relative form: [MS-DTYP] 2.4.6."""

from __future__ import annotations

import struct
from typing import Final

_OWNER: Final = "S-1-5-21-1004336348-1177238915-682003330-1104"
_GROUP: Final = "S-1-5-21-1004336348-1177238915-682003330-513"
_EVERYONE: Final = "S-1-1-0"
_FULL, _SEND = 0x000F_003F, 0x0002_0024
_SELF_RELATIVE, _DACL_PRESENT = 0x8000, 0x0004
OWNER, GROUP, DACL = 0x1, 0x2, 0x4


def _sid(text: str) -> bytes:
    authority, *rest = map(int, text.split("-")[2:])
    return struct.pack(f"<BB6s{len(rest)}I", 1, len(rest), authority.to_bytes(6, "big"), *rest)


def _allowed(mask: int, sid: str) -> bytes:
    return struct.pack("<BBHI", 0, 0, 8 + len(_sid(sid)), mask) + _sid(sid)


def _descriptor(parts: int, owner: str, group: str, entries: bytes, count: int) -> bytes:
    dacl = struct.pack("<BBHHH", 2, 0, 8 + len(entries), count, 0) + entries
    body, at = b"", {}
    for flag, octets in ((DACL, dacl), (OWNER, _sid(owner)), (GROUP, _sid(group))):
        if parts & flag:
            at[flag] = 20 + len(body)
            body += octets
    control = _SELF_RELATIVE | (_DACL_PRESENT if DACL in at else 0)
    return struct.pack("<BBHIIII", 1, 0, control, at.get(OWNER, 0), at.get(GROUP, 0), 0, at.get(DACL, 0)) + body


def usual(parts: int) -> bytes:
    """Those parts of the usual one, by flags of SECURITY_INFORMATION."""
    return _descriptor(parts, _OWNER, _GROUP, _allowed(_FULL, _OWNER) + _allowed(_SEND, _EVERYONE), 2)


USUAL: Final = usual(OWNER | GROUP | DACL)
"""As of a queue that everyone may send to, and only its owner may read."""
