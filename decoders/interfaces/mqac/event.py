"""IMSMQEvent, and what it calls: [MC-MQAC] 3.16. A client is told once when a message is there."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqac.enumerations import MQMSGCURSOR
from decoders.interfaces.mqac.slots import derived, get, gives, gives_object, method, takes, takes_object
from decoders.ndr.base_types import HRESULT, LONG

_DOC: Final = "An event: tells those who asked that a message is there."
_QUEUE: Final = takes_object("pq", "IMSMQQueue")
_AT: Final = takes("msgcursor", LONG, MQMSGCURSOR)
_SOURCE: Final = takes_object("Queue", "IDispatch")
_CURSOR: Final = takes("Cursor", LONG, MQMSGCURSOR)

EVENT: Final = (
    derived("IMSMQEvent", "6", (), _DOC),
    derived(
        "IMSMQEvent2",
        "3.16.4.1",
        (
            get(
                "Properties",
                0,
                gives_object("ppcolProperties", "IDispatch"),
                "a collection of properties, which nobody implements",
            ),
        ),
        _DOC,
    ),
    derived("IMSMQEvent3", "3.16.4.2", (), _DOC, 8),
)
PRIVATE_EVENT: Final = derived(
    "IMSMQPrivateEvent",
    "3.16.4.3",
    (
        get("Hwnd", None, gives("phwnd", LONG), "the window that events are sent through"),
        method("FireArrivedEvent", (_QUEUE, _AT), "Tells that a message is there."),
        method(
            "FireArrivedErrorEvent",
            (_QUEUE, takes("hrStatus", HRESULT), _AT),
            "Tells that waiting for a message failed.",
        ),
    ),
    "How MSMQ fires an event, for its own use.",
)
EVENTS: Final = derived(
    "_DMSMQEventEvents",
    "3.16.4.4",
    (
        method("Arrived", (_SOURCE, _CURSOR), "Tells the client that a message is there.", dispid=0)._replace(
            returns=None
        ),
        method(
            "ArrivedError",
            (_SOURCE, takes("ErrorCode", LONG), _CURSOR),
            "Tells the client that waiting for a message failed.",
            dispid=1,
        )._replace(returns=None),
    ),
    "What a client serves to be told of events. The IDL has it for Invoke alone.",
)

INTERFACES: Final = (*EVENT, PRIVATE_EVENT, EVENTS)
