"""Who may do what, in words, from a security descriptor as SDDL; what cannot be read so stays as it is."""

from __future__ import annotations

import re
from typing import Final

from decoders.security.queue_access import queue_rights
from decoders.security.sddl import SID_ALIASES
from pipelines.report.words import listed

ENTRIES_TOLD: Final = 12
OWNER: Final = "owner: "
_FULL: Final = 0x000F_003F
"""All that [MS-MQMQ] 2.2.24 has."""
_GENERIC_ALL: Final = 0x1000_0000
_ALIASES: Final = {alias: sid for sid, alias in SID_ALIASES.items()}
_NAMES: Final = {
    "S-1-1-0": "Everyone",
    "S-1-3-0": "Creator owner",
    "S-1-3-1": "Creator group",
    "S-1-3-4": "Owner rights",
    "S-1-5-2": "Network",
    "S-1-5-4": "Interactive",
    "S-1-5-6": "Service",
    "S-1-5-7": "Anonymous",
    "S-1-5-9": "Domain controllers of the forest",
    "S-1-5-10": "Self",
    "S-1-5-11": "Authenticated users",
    "S-1-5-18": "Local system",
    "S-1-5-19": "Local service",
    "S-1-5-20": "Network service",
    "S-1-5-32-544": "Administrators",
    "S-1-5-32-545": "Users",
    "S-1-5-32-546": "Guests",
    "S-1-5-32-547": "Power users",
    "S-1-5-32-548": "Account operators",
    "S-1-5-32-549": "Server operators",
    "S-1-5-32-551": "Backup operators",
}
_OF_DOMAIN: Final = {
    "500": "Administrator",
    "501": "Guest",
    "502": "krbtgt",
    "512": "Domain Admins",
    "513": "Domain Users",
    "514": "Domain Guests",
    "515": "Domain Computers",
    "516": "Domain Controllers",
    "518": "Schema Admins",
    "519": "Enterprise Admins",
}
"""Last number of a SID of a domain: [MS-DTYP] 2.4.2.4."""
RIGHTS: Final = {
    "MQSEC_DELETE_MESSAGE": "receive",
    "MQSEC_PEEK_MESSAGE": "peek",
    "MQSEC_WRITE_MESSAGE": "send",
    "MQSEC_DELETE_JOURNAL_MESSAGE": "receive from the journal",
    "MQSEC_SET_QUEUE_PROPERTIES": "set properties",
    "MQSEC_GET_QUEUE_PROPERTIES": "get properties",
    "MQSEC_DELETE_QUEUE": "delete the queue",
    "MQSEC_GET_QUEUE_PERMISSIONS": "see rights",
    "MQSEC_CHANGE_QUEUE_PERMISSIONS": "change rights",
    "MQSEC_TAKE_QUEUE_OWNERSHIP": "take ownership",
    "SYNCHRONIZE": "wait",
    "ACCESS_SYSTEM_SECURITY": "see and set auditing",
    "MAXIMUM_ALLOWED": "all that is allowed",
    "GENERIC_ALL": "full control",
    "GENERIC_EXECUTE": "generic execute",
    "GENERIC_WRITE": "generic write",
    "GENERIC_READ": "generic read",
}
_LETTERS: Final = {
    "GA": _GENERIC_ALL,
    "GR": 0x8000_0000,
    "GW": 0x4000_0000,
    "GX": 0x2000_0000,
    "SD": 0x0001_0000,
    "RC": 0x0002_0000,
    "WD": 0x0004_0000,
    "WO": 0x0008_0000,
}
_DACL: Final = re.compile(r"D:((?:P|AR|AI)*)(NO_ACCESS_CONTROL|(?:\([^()]*(?:\([^()]*\))?\))*)")
_OWNER: Final = re.compile(r"O:(S-[-\dxA-F]+?|[A-Z]{2})(?=$|[GDS]:)")
_ACE: Final = re.compile(r"\(([^;()]*);([^;]*);([^;]*);([^;]*);([^;]*);([^;()]*)")
_DOMAIN: Final = re.compile(r"S-1-5-21-\d+-\d+-\d+-(?=\d)")
_ALLOWED, _DENIED = "A", "D"


def rights_sentence(sddl: str, *, of_queue: bool = True) -> list[str]:
    """A line for the owner and for each entry of the access list, in its order. Auditing is not told."""
    said = [f"{OWNER}{_name(found[1])}"] if (found := _OWNER.match(sddl)) else []
    dacl = _DACL.search(sddl)
    if dacl is None:
        return said
    if dacl[2] == "NO_ACCESS_CONTROL":
        return [*said, "Everyone: full control, for there is no access list"]
    entries = _ACE.findall(dacl[2])
    if not entries:
        return [*said, "nobody: the access list is empty"]
    told = [_entry(kind, mask, sid, of_queue) for kind, _, mask, _, _, sid in entries[:ENTRIES_TOLD]]
    more = len(entries) - len(told)
    return [*said, *told, *([f"and {more:,} more"] if more else [])]


def shortened(said: str) -> str:
    """Of a domain's accounts only their number in it: for a line among others."""
    return _DOMAIN.sub("\N{HORIZONTAL ELLIPSIS}-", said)


def _entry(kind: str, mask: str, sid: str, of_queue: bool) -> str:
    verb = {_ALLOWED: "", _DENIED: " is denied"}.get(kind, f" ({kind})")
    return f"{_name(sid)}{verb}: {_allowed(mask, of_queue)}"


def _name(sid: str) -> str:
    whole = _ALIASES.get(sid, sid)
    if whole in _NAMES:
        return _NAMES[whole]
    last = whole.rsplit("-", 1)[-1]
    if whole.startswith("S-1-5-21-"):
        return f"{_OF_DOMAIN.get(last, 'account')} {whole}"
    return whole


def _allowed(text: str, of_queue: bool) -> str:
    mask = _mask(text)
    if mask is None:
        return text or "nothing"
    if mask & _GENERIC_ALL or (of_queue and mask & _FULL == _FULL):
        return "full control"
    if not of_queue:
        return text
    return listed([RIGHTS.get(name, name) for name in queue_rights(mask)]) or "nothing"


def _mask(text: str) -> int | None:
    if re.fullmatch(r"0x[0-9a-f]{1,8}", text):
        return int(text, 16)
    letters = [text[place : place + 2] for place in range(0, len(text), 2)]
    return sum(_LETTERS[one] for one in set(letters)) if letters and all(one in _LETTERS for one in letters) else None
