"""IMSMQQuery and IMSMQQueueInfos: [MC-MQAC] 3.13 and 3.14. A search of the directory, and what it found."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqac.enumerations import RELOPS
from decoders.interfaces.mqac.slots import get, gives_object, gives_same, method, optional, revisions

_CRITERIA: Final = tuple(
    optional(name) for name in ("QueueGuid", "ServiceTypeGuid", "Label", "CreateTime", "ModifyTime")
) + tuple(optional(name, RELOPS) for name in ("RelServiceType", "RelLabel", "RelCreateTime", "RelModifyTime"))
_MULTICAST: Final = (optional("MulticastAddress"), optional("RelMulticastAddress", RELOPS))
_FOUND: Final = gives_same("ppqinfos", "IMSMQQueueInfos")
_PROPERTIES: Final = get(
    "Properties", 0, gives_object("ppcolProperties", "IDispatch"), "a collection of properties, which nobody implements"
)
_LOOKS_UP: Final = "Searches the directory for public queues."

QUERY: Final = revisions(
    "IMSMQQuery",
    "3.13.4.1",
    (1, 2, 3, 3),
    (
        method("LookupQueue", (*_CRITERIA, _FOUND), _LOOKS_UP, until=2),
        _PROPERTIES,
        method("LookupQueue", (*_CRITERIA, *_MULTICAST, _FOUND), _LOOKS_UP),
    ),
    "Searches the directory for public queues.",
)
QUEUE_INFOS: Final = revisions(
    "IMSMQQueueInfos",
    "3.14.4.1",
    (2, 3, 3, 3),
    (
        method("Reset", (), "Begins again."),
        method("Next", (gives_same("ppqinfoNext", "IMSMQQueueInfo"),), "Gets the next queue that was found."),
        _PROPERTIES,
    ),
    "The queues that a search found.",
)

INTERFACES: Final = (*QUERY, *QUEUE_INFOS)
