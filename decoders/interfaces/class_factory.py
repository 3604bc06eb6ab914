"""IClassFactory, which RemoteGetClassObject answers with: [MS-DCOM] 2.2.17 and 4.5 show its one remote call.

ORPCTHIS and ORPCTHAT, the implicit first arguments, are not declared: parameters begin behind them.
"""

from __future__ import annotations

from typing import Final

from decoders.dcom.types import IID, MInterfacePointer, chosen
from decoders.interfaces.parameters import reference
from decoders.ndr.base_types import HRESULT
from decoders.ndr.model import Direction, Interface, Operation, Pointer
from decoders.registry import BY_NAME

INTERFACE: Final = Interface(
    **BY_NAME["IClassFactory"].identity,
    doc="Makes objects of the class it was activated for.",
    operations=(
        Operation(
            3,
            "CreateInstance",
            (
                reference(Direction.IN, "riid", IID, const=True),
                # [iid_is(riid)]: the OBJREF within has that iid.
                reference(Direction.OUT, "ppUnknown", Pointer(MInterfacePointer)),
            ),
            HRESULT,
            "2.2.17",
            "Creates an object.",
            takes_handle_t=False,
        ),
    ),
    types=chosen("IID", "MInterfacePointer"),
)
