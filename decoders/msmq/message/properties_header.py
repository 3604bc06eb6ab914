"""MessagePropertiesHeader, with the body: [MS-MQMQ] 2.2.19.3.

How much room the body takes is MessageSize by 2.2.19.3; but [MS-MQQB] 3.1.7.1.5 sets AllocationBodySize to the size of
an encrypted body, which may be larger. The header behind it tells: the parser reads the packet with the one, and where
that fails with the other.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.message.layout import Layout, terminated

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader


class AcknowledgeFlag(enum.IntEnum):
    """Masks of Flags; the other bits are unused."""

    PA = 0x01
    PR = 0x02
    NA = 0x04
    NR = 0x08


@dataclass(frozen=True, slots=True)
class MessagePropertiesHeader:
    """What was not reached is None."""

    Flags: int
    LabelLength: int
    MessageClass: int
    CorrelationID: bytes
    BodyType: int
    ApplicationTag: int
    MessageSize: int
    AllocationBodySize: int
    PrivacyLevel: int
    HashAlgorithm: int
    EncryptionAlgorithm: int
    ExtensionSize: int
    Label: str | None = None
    ExtensionData: bytes | None = None
    MessageBody: bytes | None = None
    """CutBytes where only its beginning is here."""


_FIXED: Final = Layout(
    "MessagePropertiesHeader",
    ("Flags", "B"),
    ("LabelLength", "B"),
    ("MessageClass", "H"),
    ("CorrelationID", "20s"),
    ("BodyType", "I"),
    ("ApplicationTag", "I"),
    ("MessageSize", "I"),
    ("AllocationBodySize", "I"),
    ("PrivacyLevel", "I"),
    ("HashAlgorithm", "I"),
    ("EncryptionAlgorithm", "I"),
    ("ExtensionSize", "I"),
)
_CHARACTER_BYTES: Final = 2


def read(reader: Reader, members: Members) -> None:
    start = reader.at
    members |= _FIXED.read(reader)
    _read_label(reader, members)
    members["ExtensionData"] = reader.take(members["ExtensionSize"], "ExtensionData")
    size, allocated = members["MessageSize"], members["AllocationBodySize"]
    if allocated < size:
        reader.report("message-size", start, f"AllocationBodySize is {allocated}, MessageSize {size}")
    body_end = reader.at + max(members[reader.body_size], size)
    # Of an SRMP message it is the compound message that is cut short.
    if not reader.srmp:
        reader.place_gap(body_end, "MessageBody")
    members["MessageBody"] = reader.beginning(size, "MessageBody")
    reader.beginning(body_end - reader.at, "MessageBody as AllocationBodySize has it")
    reader.align()


def _read_label(reader: Reader, members: Members) -> None:
    at = reader.at
    raw = reader.take(members["LabelLength"] * _CHARACTER_BYTES, "Label")
    members["Label"] = terminated(reader, raw, "Label", at) if raw else ""
