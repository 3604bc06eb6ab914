"""IMSMQDestination and IMSMQPrivateDestination: [MC-MQAC] 3.12. Where messages are sent to: one queue or many."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqac.slots import (
    BSTR,
    VARIANT,
    both,
    derived,
    get,
    gives,
    gives_object,
    method,
    putref,
    takes_object,
)
from decoders.oaut.types import VARIANT_BOOL

_IADS: Final = "an object of the directory, which nobody implements"
_LIST: Final = "a list of destinations, which nobody implements"

DESTINATION: Final = derived(
    "IMSMQDestination",
    "3.12.4.1",
    (
        method("Open", (), "Opens it for sending."),
        method("Close", (), "Closes it."),
        get("IsOpen", 1, gives("pfIsOpen", VARIANT_BOOL), "whether it is open"),
        get("IADs", 2, gives_object("ppIADs", "IDispatch"), _IADS),
        putref("IADs", 2, takes_object("pIADs", "IDispatch"), _IADS),
        *both("ADsPath", 3, "bstrADsPath", BSTR, "its path in the directory"),
        *both("PathName", 4, "bstrPathName", BSTR, "its path name"),
        *both("FormatName", 5, "bstrFormatName", BSTR, "its format name"),
        get("Destinations", 6, gives_object("ppDestinations", "IDispatch"), _LIST),
        putref("Destinations", 6, takes_object("pDestinations", "IDispatch"), _LIST),
        get(
            "Properties",
            0,
            gives_object("ppcolProperties", "IDispatch"),
            "a collection of properties, which nobody implements",
        ),
    ),
    "Where messages are sent to: one queue or many.",
)
PRIVATE_DESTINATION: Final = derived(
    "IMSMQPrivateDestination",
    "3.12.4.2",
    both("Handle", 7, "varHandle", VARIANT, "the handle of the open queue"),
    "The handle of a destination, for MSMQ's own use.",
)

INTERFACES: Final = (DESTINATION, PRIVATE_DESTINATION)
