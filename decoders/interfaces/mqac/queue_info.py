"""IMSMQQueueInfo: [MC-MQAC] 3.10. A queue by its names, before it is opened: made, deleted, described."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqac.enumerations import (
    MQACCESS,
    MQAUTHENTICATE,
    MQJOURNAL,
    MQPRIVLEVEL,
    MQSHARE,
    MQTRANSACTIONAL,
)
from decoders.interfaces.mqac.slots import (
    BSTR,
    VARIANT,
    both,
    get,
    gives,
    gives_object,
    gives_same,
    method,
    optional,
    revisions,
    takes,
)
from decoders.ndr.base_types import LONG, SHORT
from decoders.oaut.types import VARIANT_BOOL

_SLOTS: Final = (
    get("QueueGuid", 0, gives("pbstrGuidQueue", BSTR), "the GUID of a public queue"),
    *both("ServiceTypeGuid", 1, "bstrGuidServiceType", BSTR, "the GUID of the service that the queue is for"),
    *both("Label", 2, "bstrLabel", BSTR, "the queue's label"),
    *both("PathName", 3, "bstrPathName", BSTR, "the queue's path name"),
    *both("FormatName", 5, "bstrFormatName", BSTR, "the queue's format name"),
    get("IsTransactional", 6, gives("pisTransactional", SHORT, MQTRANSACTIONAL), "whether the queue is transactional"),
    *both("PrivLevel", 7, "lPrivLevel", LONG, "which encryption the queue asks of messages", MQPRIVLEVEL),
    *both("Journal", 8, "lJournal", LONG, "whether what is received is copied to the queue's journal", MQJOURNAL),
    *both("Quota", 13, "lQuota", LONG, "how many kilobytes the queue may hold"),
    *both("BasePriority", 9, "lBasePriority", LONG, "the priority of a public queue among others"),
    get("CreateTime", 10, gives("pvarCreateTime", VARIANT), "when the queue was created"),
    get("ModifyTime", 11, gives("pvarModifyTime", VARIANT), "when the queue's properties were last changed"),
    *both("Authenticate", 12, "lAuthenticate", LONG, "whether the queue takes signed messages only", MQAUTHENTICATE),
    *both("JournalQuota", 14, "lJournalQuota", LONG, "how many kilobytes the queue's journal may hold"),
    get("IsWorldReadable", 15, gives("pisWorldReadable", SHORT), "whether everyone may read the queue"),
    method("Create", (optional("IsTransactional"), optional("IsWorldReadable")), "Creates the queue of the path name."),
    method("Delete", (), "Deletes the queue."),
    method(
        "Open",
        (takes("Access", LONG, MQACCESS), takes("ShareMode", LONG, MQSHARE), gives_same("ppq", "IMSMQQueue")),
        "Opens the queue.",
    ),
    method("Refresh", (), "Reads the queue's properties again."),
    method("Update", (), "Writes the properties that were set to the queue."),
    get("PathNameDNS", 16, gives("pbstrPathNameDNS", BSTR), "the path name with the computer's DNS name"),
    get(
        "Properties",
        17,
        gives_object("ppcolProperties", "IDispatch"),
        "a collection of properties, which nobody implements",
    ),
    *both("Security", 18, "varSecurity", VARIANT, "the queue's security descriptor, which nobody implements"),
    get("IsTransactional2", 20, gives("pisTransactional", VARIANT_BOOL), "whether the queue is transactional"),
    get("IsWorldReadable2", 21, gives("pisWorldReadable", VARIANT_BOOL), "whether everyone may read the queue"),
    *both("MulticastAddress", 22, "bstrMulticastAddress", BSTR, "the multicast addresses that the queue listens to"),
    get("ADsPath", 19, gives("pbstrADsPath", BSTR), "where a public queue stands in the directory"),
)

INTERFACES: Final = revisions(
    "IMSMQQueueInfo",
    "3.10.4.1",
    (30, 34, 39, 39),
    _SLOTS,
    "A queue by its names: makes, deletes, describes and opens it.",
)
