"""IObjectExporter, the object resolver of a machine: [MS-DCOM] 3.1.2.5.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcom.types import COMVERSION, DUALSTRINGARRAY, IPID, OID, OXID, SETID, chosen, error_status_t
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import DWORD, UNSIGNED_SHORT
from decoders.ndr.model import Array, Direction, Interface, Operation, Pointer, PointerKind
from decoders.registry import BY_NAME

if TYPE_CHECKING:
    from decoders.ndr.model import Parameter, Type


def _out(name: str, to: Type) -> Parameter:
    return pointer(Direction.OUT, PointerKind.REF, name, to)


_VERSION: Final = _out("pComVersion", COMVERSION)
_RESOLVE: Final = (
    reference(Direction.IN, "pOxid", OXID),
    value("cRequestedProtseqs", UNSIGNED_SHORT),
    pointer(Direction.IN, PointerKind.REF, "arRequestedProtseqs", Array(UNSIGNED_SHORT, size_is="cRequestedProtseqs")),
    _out("ppdsaOxidBindings", Pointer(DUALSTRINGARRAY)),
    _out("pipidRemUnknown", IPID),
    _out("pAuthnHint", DWORD),
)


def _set(name: str, count: str) -> Parameter:
    return pointer(Direction.IN, PointerKind.UNIQUE, name, Array(OID, size_is=count))


INTERFACE: Final = Interface(
    **BY_NAME["IObjectExporter"].identity,
    doc="Says where an object's server listens, and keeps remote objects alive.",
    operations=(
        Operation(
            0,
            "ResolveOxid",
            _RESOLVE,
            error_status_t,
            "3.1.2.5.1.1",
            "Asks where an object exporter listens.",
        ),
        Operation(
            1,
            "SimplePing",
            (reference(Direction.IN, "pSetId", SETID),),
            error_status_t,
            "3.1.2.5.1.2",
            "Keeps the objects of a ping set alive.",
        ),
        Operation(
            2,
            "ComplexPing",
            (
                reference(Direction.IN | Direction.OUT, "pSetId", SETID),
                value("SequenceNum", UNSIGNED_SHORT),
                value("cAddToSet", UNSIGNED_SHORT),
                value("cDelFromSet", UNSIGNED_SHORT),
                _set("AddToSet", "cAddToSet"),
                _set("DelFromSet", "cDelFromSet"),
                reference(Direction.OUT, "pPingBackoffFactor", UNSIGNED_SHORT),
            ),
            error_status_t,
            "3.1.2.5.1.3",
            "Makes or changes a ping set, and keeps its objects alive.",
        ),
        Operation(
            3,
            "ServerAlive",
            (),
            error_status_t,
            "3.1.2.5.1.4",
            "Asks whether the object resolver answers.",
        ),
        Operation(
            4,
            "ResolveOxid2",
            (*_RESOLVE, _VERSION),
            error_status_t,
            "3.1.2.5.1.5",
            "Asks where an object exporter listens, and which version of DCOM it has.",
        ),
        Operation(
            5,
            "ServerAlive2",
            (_VERSION, _out("ppdsaOrBindings", Pointer(DUALSTRINGARRAY)), _out("pReserved", DWORD)),
            error_status_t,
            "3.1.2.5.1.6",
            "Asks for the object resolver's own bindings and version; needs no authentication.",
        ),
    ),
    types=chosen("OXID", "OID", "SETID", "IPID", "COMVERSION", "DUALSTRINGARRAY"),
    binding_handle="hRpc",
)
