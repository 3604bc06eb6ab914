"""Security identifiers: [MS-DTYP] 2.4.2."""

from __future__ import annotations

import struct
from typing import Final

_REVISION: Final = 1
_FIXED_BYTES: Final = 8
_SUB_AUTHORITY_BYTES: Final = 4
_MAX_SUB_AUTHORITIES: Final = 15
MAX_SID_BYTES: Final = _FIXED_BYTES + _MAX_SUB_AUTHORITIES * _SUB_AUTHORITY_BYTES
_FIRST_IN_HEXADECIMAL: Final = 1 << 32


def sid_size(raw: bytes) -> int | None:
    """Of the SID that `raw` begins with; None where it does not begin with one, or ends inside it."""
    if len(raw) < _FIXED_BYTES or raw[0] != _REVISION or raw[1] > _MAX_SUB_AUTHORITIES:
        return None
    size = _FIXED_BYTES + _SUB_AUTHORITY_BYTES * raw[1]
    return size if size <= len(raw) else None


def sid_text(raw: bytes) -> str | None:
    """`S-1-5-21-...` of the SID that `raw` begins with: [MS-DTYP] 2.4.2.1."""
    if sid_size(raw) is None:
        return None
    authority = int.from_bytes(raw[2:_FIXED_BYTES], "big")
    shown = str(authority) if authority < _FIRST_IN_HEXADECIMAL else f"0x{authority:012X}"
    return "-".join(("S-1", shown, *map(str, struct.unpack_from(f"<{raw[1]}I", raw, _FIXED_BYTES))))
