"""What the IDL of [MS-DCOM] section 6 declares for all of its interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.ndr.base_types import BYTE, GUID, HRESULT, UNSIGNED_LONG, UNSIGNED_SHORT
from decoders.ndr.model import Array, Guid, Member, Pointer, PointerKind, Scalar, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Type

CLSID = Guid("CLSID")
IID = Guid("IID")
OXID = Scalar("OXID", 8)
OID = Scalar("OID", 8)
SETID = Scalar("SETID", 8)
IPID = Guid("IPID")
CID = Guid("CID")
error_status_t = Scalar("error_status_t", 4)

COMVERSION = Struct(
    "COMVERSION",
    (Member("MajorVersion", UNSIGNED_SHORT), Member("MinorVersion", UNSIGNED_SHORT)),
    tag="tagCOMVERSION",
)

ORPC_EXTENT = Struct(
    "ORPC_EXTENT",
    (
        Member("id", GUID),
        Member("size", UNSIGNED_LONG),
        Member("data", Array(BYTE, size_is="(size+7)&~7")),
    ),
    tag="tagORPC_EXTENT",
)

ORPC_EXTENT_ARRAY = Struct(
    "ORPC_EXTENT_ARRAY",
    (
        Member("size", UNSIGNED_LONG),
        Member("reserved", UNSIGNED_LONG),
        Member(
            "extent",
            Pointer(Array(Pointer(ORPC_EXTENT), size_is="(size+1)&~1"), PointerKind.UNIQUE, written=True),
        ),
    ),
    tag="tagORPC_EXTENT_ARRAY",
)

_EXTENSIONS: Final = Member("extensions", Pointer(ORPC_EXTENT_ARRAY, PointerKind.UNIQUE, written=True))

ORPCTHIS = Struct(
    "ORPCTHIS",
    (
        Member("version", COMVERSION),
        Member("flags", UNSIGNED_LONG),
        Member("reserved1", UNSIGNED_LONG),
        Member("cid", CID),
        _EXTENSIONS,
    ),
    tag="tagORPCTHIS",
)

ORPCTHAT = Struct("ORPCTHAT", (Member("flags", UNSIGNED_LONG), _EXTENSIONS), tag="tagORPCTHAT")

DUALSTRINGARRAY = Struct(
    "DUALSTRINGARRAY",
    (
        Member("wNumEntries", UNSIGNED_SHORT),
        Member("wSecurityOffset", UNSIGNED_SHORT),
        Member("aStringArray", Array(UNSIGNED_SHORT, size_is="wNumEntries")),
    ),
    tag="tagDUALSTRINGARRAY",
)

MInterfacePointer = Struct(
    "MInterfacePointer",
    (Member("ulCntData", UNSIGNED_LONG), Member("abData", Array(BYTE, size_is="ulCntData"))),
    tag="tagMInterfacePointer",
)

STDOBJREF = Struct(
    "STDOBJREF",
    (
        Member("flags", UNSIGNED_LONG),
        Member("cPublicRefs", UNSIGNED_LONG),
        Member("oxid", OXID),
        Member("oid", OID),
        Member("ipid", IPID),
    ),
    tag="tagSTDOBJREF",
)

REMQIRESULT = Struct(
    "REMQIRESULT",
    (Member("hResult", HRESULT), Member("std", STDOBJREF)),
    tag="tagREMQIRESULT",
)

REMINTERFACEREF = Struct(
    "REMINTERFACEREF",
    (
        Member("ipid", IPID),
        Member("cPublicRefs", UNSIGNED_LONG),
        Member("cPrivateRefs", UNSIGNED_LONG),
    ),
    tag="tagREMINTERFACEREF",
)

_DECLARED: Final = (
    *(CLSID, IID, OXID, OID, SETID, IPID, CID, COMVERSION, ORPC_EXTENT, ORPC_EXTENT_ARRAY, ORPCTHIS, ORPCTHAT),
    *(DUALSTRINGARRAY, MInterfacePointer, STDOBJREF, REMQIRESULT, REMINTERFACEREF),
)
TYPES: Final[Mapping[str, Type]] = {declared.name: declared for declared in _DECLARED}
"""In the document's order."""


def chosen(*names: str) -> dict[str, Type]:
    """Some of them, in the document's order."""
    return {name: declared for name, declared in TYPES.items() if name in names}
