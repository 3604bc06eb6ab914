"""IMSMQCollection: [MC-MQAC] 3.15. Values by name, which management answers with."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqac.slots import (
    VARIANT,
    derived,
    get,
    gives,
    gives_object,
    method,
    takes_reference,
    unproven,
)
from decoders.ndr.base_types import LONG

_NEW_ENUM: Final = -4
"""DISPID_NEWENUM: [MS-OAUT] 2.2.32.1 reserves it for this."""

COLLECTION: Final = derived(
    "IMSMQCollection",
    "3.15.4.1",
    (
        *unproven(
            (
                method(
                    "Item",
                    (takes_reference("Index", VARIANT), gives("pvarRet", VARIANT)),
                    "Gets the value of a name.",
                    dispid=0,
                ),
                get("Count", 1, gives("pCount", LONG), "how many values there are"),
            )
        ),
        method("_NewEnum", (gives_object("ppunk", "IUnknown"),), "Gets an enumerator of them.", dispid=_NEW_ENUM),
    ),
    "Values by name.",
)

INTERFACES: Final = (COLLECTION,)
