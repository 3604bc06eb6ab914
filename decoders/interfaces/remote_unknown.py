"""IRemUnknown, by which a client holds and releases interfaces: [MS-DCOM] 3.1.1.5.6.

ORPCTHIS and ORPCTHAT, the implicit first arguments, are not declared: parameters begin behind them.
"""

from __future__ import annotations

from typing import Final

from decoders.dcom.types import IID, REMINTERFACEREF, REMQIRESULT, chosen
from decoders.interfaces.parameters import reference, value
from decoders.ndr.base_types import GUID, HRESULT, UNSIGNED_LONG, UNSIGNED_SHORT
from decoders.ndr.model import Array, Direction, Interface, Member, Operation, Parameter, Pointer
from decoders.registry import BY_NAME

RIPID: Final = reference(Direction.IN, "ripid", GUID, const=True)
IIDS: Final = (
    value("cIids", UNSIGNED_SHORT),
    reference(Direction.IN, "iids", Array(IID, size_is="cIids")),
)
_REFERENCES: Final = (
    value("cInterfaceRefs", UNSIGNED_SHORT),
    Parameter(Direction.IN, Member("InterfaceRefs", Array(REMINTERFACEREF, size_is="cInterfaceRefs"))),
)

OPERATIONS: Final = (
    Operation(
        3,
        "RemQueryInterface",
        (
            RIPID,
            value("cRefs", UNSIGNED_LONG),
            *IIDS,
            reference(Direction.OUT, "ppQIResults", Pointer(Array(REMQIRESULT, size_is="cIids"))),
        ),
        HRESULT,
        "3.1.1.5.6.1.1",
        "Asks for further interfaces of an object.",
        takes_handle_t=False,
    ),
    Operation(
        4,
        "RemAddRef",
        (*_REFERENCES, reference(Direction.OUT, "pResults", Array(HRESULT, size_is="cInterfaceRefs"))),
        HRESULT,
        "3.1.1.5.6.1.2",
        "Takes more references on interfaces.",
        takes_handle_t=False,
    ),
    Operation(
        5,
        "RemRelease",
        _REFERENCES,
        HRESULT,
        "3.1.1.5.6.1.3",
        "Gives references on interfaces back.",
        takes_handle_t=False,
    ),
)
TYPE_NAMES: Final = "IID", "OXID", "OID", "IPID", "STDOBJREF", "REMQIRESULT", "REMINTERFACEREF"

INTERFACE: Final = Interface(
    **BY_NAME["IRemUnknown"].identity,
    doc="Counts references to the interfaces of an exporter's objects.",
    operations=OPERATIONS,
    types=chosen(*TYPE_NAMES),
)
