"""IRemoteSCMActivator, by which Windows 2000 and later ask for objects: [MS-DCOM] 3.1.2.5.2.2. Always NDR.

What is asked and answered is in the properties: `decoders.dcom.activation_blob` reads them.
"""

from __future__ import annotations

from typing import Final

from decoders.dcom.types import ORPCTHAT, ORPCTHIS, MInterfacePointer, chosen
from decoders.interfaces.parameters import pointer, reference
from decoders.ndr.base_types import HRESULT
from decoders.ndr.model import Direction, Interface, Operation, Pointer, PointerKind
from decoders.registry import BY_NAME

_THIS: Final = reference(Direction.IN, "orpcthis", ORPCTHIS)
_THAT: Final = reference(Direction.OUT, "orpcthat", ORPCTHAT)
_ASKED: Final = pointer(Direction.IN, PointerKind.UNIQUE, "pActProperties", MInterfacePointer)
_ANSWERED: Final = reference(Direction.OUT, "ppActProperties", Pointer(MInterfacePointer))

INTERFACE: Final = Interface(
    **BY_NAME["IRemoteSCMActivator"].identity,
    doc="Creates objects or class factories at a server.",
    operations=(
        Operation(
            3,
            "RemoteGetClassObject",
            (_THIS, _THAT, _ASKED, _ANSWERED),
            HRESULT,
            "3.1.2.5.2.3.2",
            "Asks for a class factory, which then makes objects.",
        ),
        Operation(
            4,
            "RemoteCreateInstance",
            (
                _THIS,
                _THAT,
                pointer(Direction.IN, PointerKind.UNIQUE, "pUnkOuter", MInterfacePointer),
                _ASKED,
                _ANSWERED,
            ),
            HRESULT,
            "3.1.2.5.2.3.3",
            "Creates an object.",
        ),
    ),
    types=chosen("CID", "COMVERSION", "ORPC_EXTENT", "ORPC_EXTENT_ARRAY", "ORPCTHIS", "ORPCTHAT", "MInterfacePointer"),
    binding_handle="rpc",
)
