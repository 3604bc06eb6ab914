"""IMSMQQueue: [MC-MQAC] 3.11. An open queue, its cursor, and what is read from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces.mqac.enumerations import MQACCESS, MQMSGCURSOR, MQSHARE, MQTRANSACTION
from decoders.interfaces.mqac.slots import (
    VARIANT,
    get,
    gives,
    gives_object,
    gives_same,
    method,
    optional,
    revisions,
    takes,
    takes_same,
)
from decoders.ndr.base_types import LONG, SHORT
from decoders.oaut.types import VARIANT_BOOL

if TYPE_CHECKING:
    from decoders.interfaces.mqac.slots import ByRevision, Slot
    from decoders.ndr.model import Parameter

_TRANSACTION: Final = optional("Transaction", MQTRANSACTION)
_WANTED: Final = (optional("WantDestinationQueue"), optional("WantBody"))
_TIMEOUT: Final = optional("ReceiveTimeout")
_CONNECTOR: Final = optional("WantConnectorType")
_MESSAGE: Final = gives_same("ppmsg", "IMSMQMessage")
_LOOKUP_ID: Final = takes("LookupId", VARIANT)


def _old(name: str, doc: str, *before: Parameter) -> Slot:
    """Of the first revision, which gives a message of the first revision in all."""
    first = gives_object("ppmsg", "IMSMQMessage")
    return method(name, (*before, *_WANTED, _TIMEOUT, first), doc, until=1)


def _new(name: str, doc: str, *before: Parameter) -> Slot:
    return method(name, (*before, *_WANTED, _TIMEOUT, _CONNECTOR, _MESSAGE), doc)


def _by_id(name: str, doc: str, *before: Parameter | ByRevision) -> Slot:
    return method(name, (*before, *_WANTED, _CONNECTOR, _MESSAGE), doc)


_RECEIVES: Final = "Takes the first message out of the queue."
_PEEKS: Final = "Reads the first message and leaves it there."
_RECEIVES_CURRENT: Final = "Takes the message at the cursor out of the queue."
_PEEKS_NEXT: Final = "Moves the cursor on and reads the message there."
_PEEKS_CURRENT: Final = "Reads the message at the cursor."

_SLOTS: Final = (
    get("Access", 1, gives("plAccess", LONG, MQACCESS), "what the queue was opened for"),
    get("ShareMode", 2, gives("plShareMode", LONG, MQSHARE), "whether others may receive too"),
    get("QueueInfo", 3, gives_same("ppqinfo", "IMSMQQueueInfo"), "the object that describes the queue"),
    get("Handle", 0, gives("plHandle", LONG), "the queue's handle in 32 bits"),
    get("IsOpen", 4, gives("pisOpen", SHORT), "whether the queue is open"),
    method("Close", (), "Closes the queue."),
    _old("Receive", _RECEIVES, _TRANSACTION),
    _old("Peek", _PEEKS),
    method(
        "EnableNotification",
        (takes_same("Event", "IMSMQEvent", 3), optional("Cursor", MQMSGCURSOR), _TIMEOUT),
        "Asks for one event when a message is there.",
    ),
    method("Reset", (), "Puts the cursor before the first message."),
    _old("ReceiveCurrent", _RECEIVES_CURRENT, _TRANSACTION),
    _old("PeekNext", _PEEKS_NEXT),
    _old("PeekCurrent", _PEEKS_CURRENT),
    _new("Receive", _RECEIVES, _TRANSACTION),
    _new("Peek", _PEEKS),
    _new("ReceiveCurrent", _RECEIVES_CURRENT, _TRANSACTION),
    _new("PeekNext", _PEEKS_NEXT),
    _new("PeekCurrent", _PEEKS_CURRENT),
    get(
        "Properties",
        5,
        gives_object("ppcolProperties", "IDispatch"),
        "a collection of properties, which nobody implements",
    ),
    get("Handle2", 6, gives("pvarHandle", VARIANT), "the queue's handle"),
    _by_id("ReceiveByLookupId", "Takes the message of an id out of the queue.", _LOOKUP_ID, _TRANSACTION),
    _by_id("ReceiveNextByLookupId", "Takes the message behind that of an id out.", _LOOKUP_ID, _TRANSACTION),
    _by_id("ReceivePreviousByLookupId", "Takes the message before that of an id out.", _LOOKUP_ID, _TRANSACTION),
    _by_id("ReceiveFirstByLookupId", "Takes the first message out of the queue.", _TRANSACTION),
    _by_id("ReceiveLastByLookupId", "Takes the last message out of the queue.", _TRANSACTION),
    _by_id("PeekByLookupId", "Reads the message of an id.", _LOOKUP_ID),
    _by_id("PeekNextByLookupId", "Reads the message behind that of an id.", _LOOKUP_ID),
    _by_id("PeekPreviousByLookupId", "Reads the message before that of an id.", _LOOKUP_ID),
    _by_id("PeekFirstByLookupId", "Reads the first message."),
    _by_id("PeekLastByLookupId", "Reads the last message."),
    method("Purge", (), "Deletes all messages of the queue."),
    get("IsOpen2", 7, gives("pisOpen", VARIANT_BOOL), "whether the queue is open"),
    _by_id(
        "ReceiveByLookupIdAllowPeek",
        "Takes the message of an id out, and lets others see it until that is committed.",
        _LOOKUP_ID,
        _TRANSACTION,
    ),
)

INTERFACES: Final = revisions(
    "IMSMQQueue", "3.11.4.1", (13, 19, 32, 33), _SLOTS, "An open queue: reads, receives and purges its messages."
)
