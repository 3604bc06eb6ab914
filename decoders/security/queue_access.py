"""What an access mask allows with a queue: [MS-MQMQ] 2.2.24, and [MS-DTYP] 2.4.3 for the bits it leaves alone."""

from __future__ import annotations

from typing import Final

QUEUE_RIGHTS: Final = {
    0x0000_0001: "MQSEC_DELETE_MESSAGE",
    0x0000_0002: "MQSEC_PEEK_MESSAGE",
    0x0000_0004: "MQSEC_WRITE_MESSAGE",
    0x0000_0008: "MQSEC_DELETE_JOURNAL_MESSAGE",
    0x0000_0010: "MQSEC_SET_QUEUE_PROPERTIES",
    0x0000_0020: "MQSEC_GET_QUEUE_PROPERTIES",
    0x0001_0000: "MQSEC_DELETE_QUEUE",
    0x0002_0000: "MQSEC_GET_QUEUE_PERMISSIONS",
    0x0004_0000: "MQSEC_CHANGE_QUEUE_PERMISSIONS",
    0x0008_0000: "MQSEC_TAKE_QUEUE_OWNERSHIP",
    0x0010_0000: "SYNCHRONIZE",
    0x0100_0000: "ACCESS_SYSTEM_SECURITY",
    0x0200_0000: "MAXIMUM_ALLOWED",
    0x1000_0000: "GENERIC_ALL",
    0x2000_0000: "GENERIC_EXECUTE",
    0x4000_0000: "GENERIC_WRITE",
    0x8000_0000: "GENERIC_READ",
}
_NAMED: Final = sum(QUEUE_RIGHTS)
EVERYTHING: Final = "everything"
"""What everyone may do where there is no list: [MS-DTYP] 2.4.6."""


def queue_rights(mask: int) -> tuple[str, ...]:
    """A name a bit, lowest first; bits without a name stand together at the end, in hexadecimal."""
    named = tuple(name for bit, name in QUEUE_RIGHTS.items() if mask & bit)
    unnamed = mask & ~_NAMED
    return (*named, f"0x{unnamed:08X}") if unnamed else named
