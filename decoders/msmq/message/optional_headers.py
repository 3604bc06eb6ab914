"""TransactionHeader, DebugHeader and SessionHeader: [MS-MQMQ] 2.2.20.5, 2.2.20.8, 2.2.20.4."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.message.layout import Layout, bits, read_guid

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader


class TransactionFlag(enum.IntEnum):
    """Masks of TransactionHeader.Flags."""

    CG = 0x0000_0001
    FA = 0x0000_0002
    FM = 0x0000_0004
    LM = 0x0000_0008
    ID = 0x00FF_FFF0


@dataclass(frozen=True, slots=True)
class TransactionHeader:
    Flags: int
    TxSequenceID: int
    """Ordinal in the lower half, TimeStamp in the upper one, as [MS-MQMQ] 2.2.18.1.2 compares them."""
    TxSequenceNumber: int
    PreviousTxSequenceNumber: int
    ConnectorQMGuid: str | None = None


@dataclass(frozen=True, slots=True)
class DebugHeader:
    Flags: int
    QueueIdentifier: str | None = None
    """The public queue that reports go to."""


@dataclass(frozen=True, slots=True)
class SessionHeader:
    AckSequenceNumber: int
    RecoverableMsgAckSeqNumber: int
    RecoverableMsgAckFlags: int
    UserMsgSequenceNumber: int
    RecoverableMsgSeqNumber: int
    WindowSize: int


_TRANSACTION: Final = Layout(
    "TransactionHeader",
    ("Flags", "I"),
    ("TxSequenceID", "Q"),
    ("TxSequenceNumber", "I"),
    ("PreviousTxSequenceNumber", "I"),
)
_DEBUG: Final = Layout("DebugHeader", ("Flags", "H"), ("", "2x"))
_DEBUG_QUEUE_TYPE: Final = 0x0003
_NO_QUEUE, _PUBLIC_QUEUE = 0, 1
_SESSION: Final = Layout(
    "SessionHeader",
    ("AckSequenceNumber", "H"),
    ("RecoverableMsgAckSeqNumber", "H"),
    ("RecoverableMsgAckFlags", "I"),
    ("UserMsgSequenceNumber", "H"),
    ("RecoverableMsgSeqNumber", "H"),
    ("WindowSize", "H"),
    ("", "2x"),
)
SESSION_BYTES: Final = _SESSION.size


def read_transaction(reader: Reader, members: Members) -> None:
    members |= _TRANSACTION.read(reader)
    if members["Flags"] & TransactionFlag.CG:
        members["ConnectorQMGuid"] = read_guid(reader, "ConnectorQMGuid")


def read_debug(reader: Reader, members: Members) -> None:
    at = reader.at
    members |= _DEBUG.read(reader)
    queue_type = bits(members["Flags"], _DEBUG_QUEUE_TYPE)
    if queue_type not in (_NO_QUEUE, _PUBLIC_QUEUE):
        reader.stop("message-queue-kind", at, f"DebugHeader.QueueIdentifier of kind {queue_type}")
    if queue_type == _PUBLIC_QUEUE:
        members["QueueIdentifier"] = read_guid(reader, "QueueIdentifier")


def read_session(reader: Reader, members: Members) -> None:
    members |= _SESSION.read(reader)
