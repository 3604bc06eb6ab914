"""Security descriptors in self-relative form: [MS-DTYP] 2.4.4 to 2.4.6."""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import Final

from decoders.limits import MAX_DESCRIPTOR_PROBLEMS
from decoders.ndr.layout import GUID_BYTES
from decoders.ndr.texts import guid_text
from decoders.security.sids import MAX_SID_BYTES, sid_size, sid_text


class Control(enum.IntFlag):
    OD = 0x0001
    GD = 0x0002
    DP = 0x0004
    DD = 0x0008
    SP = 0x0010
    SD = 0x0020
    DT = 0x0040
    SS = 0x0080
    DC = 0x0100
    SC = 0x0200
    DI = 0x0400
    SI = 0x0800
    PD = 0x1000
    PS = 0x2000
    RM = 0x4000
    SR = 0x8000


@dataclass(frozen=True, slots=True)
class DescriptorProblem:
    code: str
    offset: int
    detail: str


PROBLEMS: Final = {
    "descriptor-cut": "The bytes are too few for a security descriptor.",
    "descriptor-header": "The revision is not 1, and nothing was read; or SR is not set, and it was read as if.",
    "descriptor-sid": "There is no security identifier where one should be.",
    "descriptor-acl": "An access control list lies outside of the descriptor, wholly or with its end.",
    "descriptor-ace": "An access control list ends before its last entry does, or an entry is too short.",
    "descriptor-ace-type": "An entry is of a type without a published layout.",
    "descriptor-problems-omitted": "More problems than are kept.",
}


@dataclass(frozen=True, slots=True)
class Ace:
    AceType: int
    AceFlags: int
    Mask: int | None
    """None, like Sid, of a type whose layout nobody published; its bytes are in ApplicationData."""
    Sid: str | None
    ObjectType: str | None = None
    InheritedObjectType: str | None = None
    ApplicationData: bytes = b""


@dataclass(frozen=True, slots=True)
class Acl:
    AclRevision: int
    aces: tuple[Ace, ...]


@dataclass(frozen=True, slots=True)
class SecurityDescriptor:
    """What could be read; `problems` says what could not."""

    Control: int
    owner: str | None
    group: str | None
    sacl: Acl | None
    dacl: Acl | None
    null_dacl: bool
    """There is a DACL, and it is null: everyone may do everything."""
    problems: tuple[DescriptorProblem, ...]


_HEADER: Final = struct.Struct("<BxHIIII")
_ACL: Final = struct.Struct("<BxHHxx")
_ACE: Final = struct.Struct("<BBH")
_MASK: Final = struct.Struct("<I")
_REVISION: Final = 1
_PLAIN_ACES: Final = frozenset({0x00, 0x01, 0x02, 0x03, 0x09, 0x0A, 0x0D, 0x11, 0x12, 0x13})
_OBJECT_ACES: Final = frozenset({0x05, 0x06, 0x07, 0x08, 0x0B, 0x0C, 0x0F})
_KNOWN_ACES: Final = _PLAIN_ACES | _OBJECT_ACES
_LEAST_ACE_BYTES: Final = 16
"""A header, a mask and a SID without sub-authorities: entries of all types have these."""
_OBJECT_TYPE_PRESENT: Final = 0x1
_INHERITED_OBJECT_TYPE_PRESENT: Final = 0x2


def parse_descriptor(raw: bytes) -> SecurityDescriptor:
    """Never raises. `raw` may be longer than the descriptor."""
    problems: list[DescriptorProblem] = []
    if len(raw) < _HEADER.size:
        problems.append(DescriptorProblem("descriptor-cut", len(raw), f"{len(raw)} bytes instead of {_HEADER.size}"))
        return SecurityDescriptor(0, None, None, None, None, False, tuple(problems))
    revision, control, *offsets = _HEADER.unpack_from(raw)
    if revision != _REVISION or not control & Control.SR:
        detail = f"Revision is {revision}, Control 0x{control:04X}"
        problems.append(DescriptorProblem("descriptor-header", 0, detail))
    if revision != _REVISION:
        return SecurityDescriptor(control, None, None, None, None, False, tuple(problems))
    owner, group, sacl, dacl = offsets
    return SecurityDescriptor(
        control,
        owner=_sid(raw, owner, "OwnerSid", problems),
        group=_sid(raw, group, "GroupSid", problems),
        sacl=_acl(raw, sacl if control & Control.SP else 0, "Sacl", problems),
        dacl=_acl(raw, dacl if control & Control.DP else 0, "Dacl", problems),
        null_dacl=bool(control & Control.DP) and not dacl,
        problems=_kept(problems),
    )


def _kept(problems: list[DescriptorProblem]) -> tuple[DescriptorProblem, ...]:
    more = len(problems) - MAX_DESCRIPTOR_PROBLEMS
    omitted = [DescriptorProblem("descriptor-problems-omitted", 0, f"{more} more problems")] if more > 0 else []
    return (*problems[:MAX_DESCRIPTOR_PROBLEMS], *omitted)


def _sid(raw: bytes, at: int, field: str, problems: list[DescriptorProblem]) -> str | None:
    if not at:
        return None
    sid = sid_text(raw[at : at + MAX_SID_BYTES]) if at >= _HEADER.size else None
    if sid is None:
        problems.append(DescriptorProblem("descriptor-sid", at, f"no {field} there"))
    return sid


def _acl(raw: bytes, at: int, field: str, problems: list[DescriptorProblem]) -> Acl | None:
    if not at:
        return None
    if at < _HEADER.size or at + _ACL.size > len(raw):
        problems.append(DescriptorProblem("descriptor-acl", at, f"no {field} there"))
        return None
    revision, size, count = _ACL.unpack_from(raw, at)
    end = min(at + size, len(raw))
    if at + size > len(raw):
        detail = f"{field} has {size} bytes, of which {len(raw) - at} are here"
        problems.append(DescriptorProblem("descriptor-acl", at, detail))
    aces: list[Ace] = []
    here = at + _ACL.size
    for number in range(count):
        ace_size = _ACE.unpack_from(raw, here)[2] if here + _ACE.size <= end else 0
        if ace_size < _LEAST_ACE_BYTES or here + ace_size > end:
            detail = f"{field} has {count} entries, of which {number} can be read"
            problems.append(DescriptorProblem("descriptor-ace", here, detail))
            break
        aces.append(_ace(raw[here : here + ace_size], here, problems))
        here += ace_size
    return Acl(revision, tuple(aces))


def _ace(raw: bytes, at: int, problems: list[DescriptorProblem]) -> Ace:
    kind, flags, _ = _ACE.unpack_from(raw)
    whole = Ace(kind, flags, None, None, ApplicationData=raw[_ACE.size :])
    if kind not in _KNOWN_ACES:
        problems.append(DescriptorProblem("descriptor-ace-type", at, f"type 0x{kind:02X}"))
        return whole
    here = _ACE.size + _MASK.size
    object_type = inherited_object_type = None
    if kind in _OBJECT_ACES:
        present = int.from_bytes(raw[here : here + _MASK.size], "little")
        object_type, here = _guid(raw, here + _MASK.size, present & _OBJECT_TYPE_PRESENT)
        inherited_object_type, here = _guid(raw, here, present & _INHERITED_OBJECT_TYPE_PRESENT)
    size = sid_size(raw[here:])
    if size is None:
        problems.append(DescriptorProblem("descriptor-sid", at + here, "no Sid in the entry"))
        return whole
    mask = _MASK.unpack_from(raw, _ACE.size)[0]
    return Ace(kind, flags, mask, sid_text(raw[here:]), object_type, inherited_object_type, raw[here + size :])


def _guid(raw: bytes, at: int, present: int) -> tuple[str | None, int]:
    """And where what follows begins. Where the entry is too short for it, there is no Sid behind it either."""
    if not present:
        return None, at
    return guid_text(raw[at : at + GUID_BYTES], "<"), at + GUID_BYTES
