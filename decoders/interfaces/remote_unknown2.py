"""IRemUnknown2, which adds one call to IRemUnknown: [MS-DCOM] 3.1.1.5.7."""

from __future__ import annotations

from typing import Final

from decoders.dcom.types import MInterfacePointer, chosen
from decoders.interfaces.parameters import reference
from decoders.interfaces.remote_unknown import IIDS, OPERATIONS, RIPID, TYPE_NAMES
from decoders.ndr.base_types import HRESULT
from decoders.ndr.model import Array, Direction, Interface, Operation, Pointer
from decoders.registry import BY_NAME

INTERFACE: Final = Interface(
    # With IRemUnknown's operations, so that its calls have tables of their own.
    **(BY_NAME["IRemUnknown2"].identity | {"base": "IUnknown"}),
    doc="Counts references to the interfaces of an exporter's objects.",
    operations=(
        *OPERATIONS,
        Operation(
            6,
            "RemQueryInterface2",
            (
                RIPID,
                *IIDS,
                reference(Direction.OUT, "phr", Array(HRESULT, size_is="cIids")),
                reference(Direction.OUT, "ppMIF", Array(Pointer(MInterfacePointer), size_is="cIids")),
            ),
            HRESULT,
            "3.1.1.5.7.1.1",
            "Asks for further interfaces of an object, which may travel by value.",
            takes_handle_t=False,
        ),
    ),
    types=chosen(*TYPE_NAMES, "MInterfacePointer"),
)
