"""Security descriptors as text, in the language that Windows' tools speak: [MS-DTYP] 2.5.1.1.

Two things are left as they are on the wire. Names for rights are those that mean the same of every object; a mask with
any other bit is a number, since the letters for those bits are a directory's. And a conditional expression, or a
resource's attribute, stands as octets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.security.descriptors import Control, parse_descriptor

if TYPE_CHECKING:
    from decoders.security.descriptors import Ace, Acl, DescriptorProblem, SecurityDescriptor

SID_ALIASES: Final = {
    "S-1-1-0": "WD",
    "S-1-3-0": "CO",
    "S-1-3-1": "CG",
    "S-1-3-4": "OW",
    "S-1-5-2": "NU",
    "S-1-5-4": "IU",
    "S-1-5-6": "SU",
    "S-1-5-7": "AN",
    "S-1-5-9": "ED",
    "S-1-5-10": "PS",
    "S-1-5-11": "AU",
    "S-1-5-12": "RC",
    "S-1-5-18": "SY",
    "S-1-5-19": "LS",
    "S-1-5-20": "NS",
    "S-1-5-32-544": "BA",
    "S-1-5-32-545": "BU",
    "S-1-5-32-546": "BG",
    "S-1-5-32-547": "PU",
    "S-1-5-32-548": "AO",
    "S-1-5-32-549": "SO",
    "S-1-5-32-550": "PO",
    "S-1-5-32-551": "BO",
    "S-1-5-32-552": "RE",
    "S-1-5-32-554": "RU",
    "S-1-5-32-555": "RD",
    "S-1-5-32-556": "NO",
    "S-1-5-32-558": "MU",
    "S-1-5-32-559": "LU",
    "S-1-5-32-568": "IS",
    "S-1-5-32-569": "CY",
    "S-1-5-32-573": "ER",
    "S-1-5-32-574": "CD",
    "S-1-5-32-575": "RA",
    "S-1-5-32-576": "ES",
    "S-1-5-32-577": "MS",
    "S-1-5-32-578": "HA",
    "S-1-5-32-579": "AA",
    "S-1-5-32-580": "RM",
    "S-1-5-33": "WR",
    "S-1-5-84-0-0-0-0-0": "UD",
    "S-1-15-2-1": "AC",
    "S-1-16-4096": "LW",
    "S-1-16-8192": "ME",
    "S-1-16-8448": "MP",
    "S-1-16-12288": "HI",
    "S-1-16-16384": "SI",
}
"""Those of a domain are not here: `DA` would not say of which."""

_ACE_TYPES: Final = {
    0x00: "A",
    0x01: "D",
    0x02: "AU",
    0x05: "OA",
    0x06: "OD",
    0x07: "OU",
    0x09: "XA",
    0x0A: "XD",
    # 2.5.1.1 has the numbers of ZA and XU the other way round; 2.4.4.1 decides.
    0x0B: "ZA",
    0x0D: "XU",
    0x11: "ML",
    0x12: "RA",
    0x13: "SP",
}
_ACE_FLAGS: Final = {0x01: "OI", 0x02: "CI", 0x04: "NP", 0x08: "IO", 0x10: "ID", 0x40: "SA", 0x80: "FA"}
_RIGHTS: Final = {
    0x1000_0000: "GA",
    0x8000_0000: "GR",
    0x4000_0000: "GW",
    0x2000_0000: "GX",
    0x0001_0000: "SD",
    0x0002_0000: "RC",
    0x0004_0000: "WD",
    0x0008_0000: "WO",
}
_NAMED_RIGHTS: Final = sum(_RIGHTS)
_DACL_FLAGS: Final = {Control.PD: "P", Control.DC: "AR", Control.DI: "AI"}
_SACL_FLAGS: Final = {Control.PS: "P", Control.SC: "AR", Control.SI: "AI"}
_NULL_ACL: Final = "NO_ACCESS_CONTROL"
"""As Windows writes it; the grammar has no word for it."""


def descriptor_sddl(raw: bytes) -> tuple[str, tuple[DescriptorProblem, ...]]:
    """What could be read of a self-relative descriptor, and what was wrong with the rest."""
    descriptor = parse_descriptor(raw)
    return sddl_text(descriptor), descriptor.problems


def sddl_text(descriptor: SecurityDescriptor) -> str:
    parts = []
    if descriptor.owner is not None:
        parts.append(f"O:{sid_string(descriptor.owner)}")
    if descriptor.group is not None:
        parts.append(f"G:{sid_string(descriptor.group)}")
    if descriptor.null_dacl:
        parts.append(f"D:{_letters(_DACL_FLAGS, descriptor.Control)}{_NULL_ACL}")
    elif descriptor.dacl is not None:
        parts.append(f"D:{_letters(_DACL_FLAGS, descriptor.Control)}{_acl(descriptor.dacl)}")
    if descriptor.sacl is not None:
        parts.append(f"S:{_letters(_SACL_FLAGS, descriptor.Control)}{_acl(descriptor.sacl)}")
    return "".join(parts)


def sid_string(sid: str) -> str:
    return SID_ALIASES.get(sid, sid)


def rights_string(mask: int) -> str:
    return f"0x{mask:x}" if mask & ~_NAMED_RIGHTS else _letters(_RIGHTS, mask)


def _acl(acl: Acl) -> str:
    return "".join(f"({_ace(ace)})" for ace in acl.aces)


def _ace(ace: Ace) -> str:
    fields = [
        _ACE_TYPES.get(ace.AceType, f"0x{ace.AceType:02X}"),
        _letters(_ACE_FLAGS, ace.AceFlags),
        "" if ace.Mask is None else rights_string(ace.Mask),
        ace.ObjectType or "",
        ace.InheritedObjectType or "",
        "" if ace.Sid is None else sid_string(ace.Sid),
    ]
    # Entries are filled up with zeros.
    if any(ace.ApplicationData):
        fields.append(f"(#{ace.ApplicationData.hex()})")
    return ";".join(fields)


def _letters(names: dict[int, str] | dict[Control, str], value: int) -> str:
    return "".join(name for mask, name in names.items() if value & mask)
