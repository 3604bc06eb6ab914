"""IMSMQManagement and what is derived from it: [MC-MQAC] 3.3 to 3.5. The state of an active queue.

Neither the document nor a type library that we have tells their DISPIDs.
"""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqac.enumerations import FOREIGN_STATUS, QUEUE_STATE, QUEUE_TYPE, XACT_STATUS
from decoders.interfaces.mqac.slots import (
    BSTR,
    VARIANT,
    derived,
    get,
    gives,
    gives_object,
    method,
    optional,
    unproven,
)
from decoders.ndr.base_types import LONG
from decoders.oaut.types import VARIANT_BOOL

MANAGEMENT: Final = derived(
    "IMSMQManagement",
    "3.3.4.1",
    unproven(
        (
            method(
                "Init",
                (optional("Machine"), optional("Pathname"), optional("FormatName")),
                "Says which queue it is about.",
                dispid=0,
            ),
            get("FormatName", 1, gives("pbstrFormatName", BSTR), "the queue's format name"),
            get("Machine", 2, gives("pbstrMachine", BSTR), "the queue manager's computer"),
            get("MessageCount", 3, gives("plMessageCount", LONG), "how many messages the queue holds"),
            get("ForeignStatus", 4, gives("plForeignStatus", LONG, FOREIGN_STATUS), "whether the queue is foreign"),
            get("QueueType", 5, gives("plQueueType", LONG, QUEUE_TYPE), "what kind of queue it is"),
            get("IsLocal", 6, gives("pfIsLocal", VARIANT_BOOL), "whether the queue is at that computer"),
            get(
                "TransactionalStatus",
                7,
                gives("plTransactionalStatus", LONG, XACT_STATUS),
                "whether the queue is transactional",
            ),
            get("BytesInQueue", 8, gives("pvBytesInQueue", VARIANT), "how many bytes the queue holds"),
        )
    ),
    "The state of an active queue.",
)
OUTGOING_QUEUE_MANAGEMENT: Final = derived(
    "IMSMQOutgoingQueueManagement",
    "3.5.4.1",
    unproven(
        (
            get("State", None, gives("plState", LONG, QUEUE_STATE), "whether the queue is connected"),
            get("NextHops", None, gives("pvNextHops", VARIANT), "the addresses that messages go to next"),
            method(
                "EodGetSendInfo",
                (gives_object("ppCollection", "IMSMQCollection"),),
                "Gets how far transactional messages were sent.",
            ),
            method("Resume", (), "Lets messages go on."),
            method("Pause", (), "Stops messages from being sent."),
            method("EodResend", (), "Sends the transactional messages again that are not acknowledged."),
        )
    ),
    "The state of an outgoing queue: pauses it, resumes it, sends again.",
    16,
)
QUEUE_MANAGEMENT: Final = derived(
    "IMSMQQueueManagement",
    "3.4.4.1",
    unproven(
        (
            get(
                "JournalMessageCount", None, gives("plJournalMessageCount", LONG), "how many messages the journal holds"
            ),
            get("BytesInJournal", None, gives("pvBytesInJournal", VARIANT), "how many bytes the journal holds"),
            method("EodGetReceiveInfo", (gives("pvCollection", VARIANT),), "Gets how far transactional messages came."),
        )
    ),
    "The state of a queue of that computer, and of its journal.",
    16,
)

INTERFACES: Final = (MANAGEMENT, OUTGOING_QUEUE_MANAGEMENT, QUEUE_MANAGEMENT)
