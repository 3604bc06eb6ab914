"""UserHeader: [MS-MQMQ] 2.2.19.2, and what [MS-MQRR] 2.2.5.1 makes of its second field."""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.message.addresses import HostAddress
from decoders.msmq.message.layout import GUID, Layout, bits, read_guid
from decoders.msmq.message.queue_names import DIRECT, QueueName, read_queue_name
from decoders.msmq.message.reader import Form
from decoders.ndr.texts import guid_text

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader


class UserFlag(enum.IntEnum):
    """Masks of Flags; the other bits are reserved."""

    RC = 0x0000_001F
    DM = 0x0000_0060
    JN = 0x0000_0100
    JP = 0x0000_0200
    DQ = 0x0000_1C00
    AQ = 0x0000_E000
    RQ = 0x0007_0000
    SH = 0x0008_0000
    TH = 0x0010_0000
    MP = 0x0020_0000
    CQ = 0x0040_0000
    MQ = 0x0080_0000
    AH = 0x0200_0000
    HH = 0x1000_0000


@dataclass(frozen=True, slots=True)
class UserHeader:
    """The queues and ConnectorType are None where they were not reached, or are not there."""

    SourceQueueManager: str
    QueueManagerAddress: str | None
    """None where an address stands in its place."""
    address: HostAddress | None
    TimeToBeReceived: int
    SentTime: int
    MessageID: int
    Flags: int
    DestinationQueue: QueueName | None = None
    AdminQueue: QueueName | None = None
    ResponseQueue: QueueName | None = None
    ConnectorType: str | None = None


_FIXED: Final = Layout(
    "UserHeader",
    ("SourceQueueManager", GUID),
    ("QueueManagerAddress", "16s"),
    ("TimeToBeReceived", "I"),
    ("SentTime", "I"),
    ("MessageID", "I"),
    ("Flags", "I"),
)
_ADDRESS: Final = struct.Struct("<HHI8s")
_QUEUES: Final = (
    ("DestinationQueue", UserFlag.DQ),
    ("AdminQueue", UserFlag.AQ),
    ("ResponseQueue", UserFlag.RQ),
)


def read(reader: Reader, members: Members) -> None:
    fixed = _FIXED.read(reader)
    flags, place = fixed["Flags"], fixed["QueueManagerAddress"]
    is_address = reader.form is Form.MQRR and bits(flags, UserFlag.DQ) == DIRECT
    fixed["QueueManagerAddress"] = None if is_address else guid_text(place, "<")
    fixed["address"] = HostAddress(*_ADDRESS.unpack(place)) if is_address else None
    members |= fixed
    reader.srmp = bool(flags & UserFlag.AH)
    if not flags & UserFlag.MP:
        reader.report("message-flags", 60, "Flags.MP is not set: no MessagePropertiesHeader")
    for field, mask in _QUEUES:
        members[field] = read_queue_name(reader, field, bits(flags, mask))
    if flags & UserFlag.CQ:
        members["ConnectorType"] = read_guid(reader, "ConnectorType")
    reader.align()
