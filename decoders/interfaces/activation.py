"""IActivation, by which Windows NT 4.0 asks for objects: [MS-DCOM] 3.1.2.5.2.1. Always NDR."""

from __future__ import annotations

from typing import Final

from decoders.dcom.activation_properties import MAX_REQUESTED
from decoders.dcom.types import (
    COMVERSION,
    DUALSTRINGARRAY,
    IID,
    IPID,
    ORPCTHAT,
    ORPCTHIS,
    OXID,
    MInterfacePointer,
    chosen,
    error_status_t,
)
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import DWORD, GUID, HRESULT, UNSIGNED_LONG, UNSIGNED_SHORT, WCHAR
from decoders.ndr.model import (
    Array,
    Constant,
    Direction,
    Interface,
    Member,
    Operation,
    Parameter,
    Pointer,
    PointerKind,
    String,
)
from decoders.registry import BY_NAME

INTERFACE: Final = Interface(
    **BY_NAME["IActivation"].identity,
    doc="Creates objects or class factories at a server.",
    operations=(
        Operation(
            0,
            "RemoteActivation",
            (
                reference(Direction.IN, "ORPCthis", ORPCTHIS),
                reference(Direction.OUT, "ORPCthat", ORPCTHAT),
                reference(Direction.IN, "Clsid", GUID),
                pointer(Direction.IN, PointerKind.UNIQUE, "pwszObjectName", String(WCHAR)),
                pointer(Direction.IN, PointerKind.UNIQUE, "pObjectStorage", MInterfacePointer),
                value("ClientImpLevel", DWORD),
                value("Mode", DWORD),
                value("Interfaces", DWORD, (1, MAX_REQUESTED)),
                pointer(Direction.IN, PointerKind.UNIQUE, "pIIDs", Array(IID, size_is="Interfaces")),
                value("cRequestedProtseqs", UNSIGNED_SHORT, (0, MAX_REQUESTED)),
                Parameter(
                    Direction.IN,
                    Member("aRequestedProtseqs", Array(UNSIGNED_SHORT, size_is="cRequestedProtseqs")),
                ),
                reference(Direction.OUT, "pOxid", OXID),
                reference(Direction.OUT, "ppdsaOxidBindings", Pointer(DUALSTRINGARRAY)),
                reference(Direction.OUT, "pipidRemUnknown", IPID),
                reference(Direction.OUT, "pAuthnHint", DWORD),
                reference(Direction.OUT, "pServerVersion", COMVERSION),
                reference(Direction.OUT, "phr", HRESULT),
                reference(Direction.OUT, "ppInterfaceData", Array(Pointer(MInterfacePointer), size_is="Interfaces")),
                reference(Direction.OUT, "pResults", Array(HRESULT, size_is="Interfaces")),
            ),
            error_status_t,
            "3.1.2.5.2.3.1",
            "Creates an object, or with mode 0xFFFFFFFF a class factory.",
        ),
    ),
    types=chosen(
        *("IID", "OXID", "IPID", "CID", "COMVERSION", "ORPC_EXTENT", "ORPC_EXTENT_ARRAY", "ORPCTHIS", "ORPCTHAT"),
        *("DUALSTRINGARRAY", "MInterfacePointer"),
    ),
    binding_handle="hRpc",
    constants=(
        Constant("MAX_REQUESTED_INTERFACES", UNSIGNED_LONG, MAX_REQUESTED),
        Constant("MAX_REQUESTED_PROTSEQS", UNSIGNED_LONG, MAX_REQUESTED),
    ),
)
