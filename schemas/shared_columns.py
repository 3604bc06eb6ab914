"""Columns that several tables have: one name, one type, one meaning."""

from __future__ import annotations

from typing import TypedDict

import pyarrow as pa

from schemas.model import INT, LONG, STRING, U16, Column
from schemas.relations import Reference
from schemas.vocabulary import NAMED_BY, NAMING_DOUBTS, REASONS, TRANSACTION_OUTCOMES

ID_TYPE = pa.struct(
    [pa.field("orig_h", STRING), pa.field("orig_p", INT), pa.field("resp_h", STRING), pa.field("resp_p", INT)]
)


class ConnectionId(TypedDict):
    """The column `id`."""

    orig_h: str
    orig_p: int
    resp_h: str
    resp_p: int


ENDS = (
    *(Column(host, STRING, "Address.", required=True) for host in ("orig_h", "resp_h")),
    *(Column(port, INT, "Port.", required=True, low=0, high=U16) for port in ("orig_p", "resp_p")),
)

UID = Column(
    "uid",
    STRING,
    "Connection id, derived from addresses, ports and first packet: the same in every run over the same packets.",
    required=True,
)
CALL_UID = Column(
    "call_uid",
    STRING,
    "Call id, derived from the connection and the place of the call's first PDU: the same in every run.",
    required=True,
)
COMMUNITY_ID = Column("community_id", STRING, "Community ID v1 of the connection, seed 0.", required=True)
ID = Column("id", ID_TYPE, "Addresses and ports; orig is the RPC client, as in Zeek.", required=True)
CAPTURE_ID = Column("capture_id", STRING, "SHA-256 of the capture file.", required=True)
PATH = Column("path", STRING, "Path of the capture file as it was read.", required=True)
FRAME = Column("frame", LONG, "Frame number in the capture, counted from 1 as Wireshark does.", required=True, low=1)
USERNAME = Column(
    "username",
    STRING,
    "Account that authenticates the connection. NTLM tells it in the clear, claimed and not proven; Kerberos in the "
    "ticket, see --secrets.",
)
DOMAIN = Column("domain", STRING, "Its domain.")
OPENED_FOR = Column(
    "opened_for",
    STRING,
    "Address that called R_QMOpenRemoteQueue for this session of qm2qm, the application's mostly; or that called an "
    "object of MSMQ's at the host which then made this call.",
)
OPENED_FOR_USERNAME = Column(
    "opened_for_username",
    STRING,
    "Account that authenticates that connection, as `username`: whom a machine acted for.",
)
OPENED_FOR_DOMAIN = Column("opened_for_domain", STRING, "Its domain.")
QUEUE_NAME = Column(
    "queue_name", STRING, "Name of the queue; null where nothing names it. `naming_doubt` says whether it is certain."
)
NAMING = (
    QUEUE_NAME,
    Column(
        "named_by",
        STRING,
        "How the queue is known: `open`: its opening names it; `answer`: the server told its name; `remote_open`: the "
        "R_QMOpenRemoteQueue that gave a session of qm2qm its context does, [MS-MQMP] 3.1.4.2; `call`: this call names "
        "it; `messages`: all messages read from it were addressed to it; `object`: a name was put into, or read from, "
        "the MSMQQueueInfo that opened it or the object that stands for it.",
        values=NAMED_BY,
    ),
    Column(
        "naming_doubt",
        STRING,
        "Why `queue_name` and `opened_for` are not certain, or not known: a word of `findings.reason`, or "
        "one that `mqtrail schema sessions` explains. Null where they are certain.",
        values=(*REASONS, *NAMING_DOUBTS),
    ),
)
"""Which queue, and how well that is known."""
FOR_WHOM = (OPENED_FOR, OPENED_FOR_USERNAME, OPENED_FOR_DOMAIN)


class Naming(TypedDict):
    """The columns NAMING."""

    queue_name: str | None
    named_by: str | None
    naming_doubt: str | None


class ForWhom(TypedDict):
    """The columns FOR_WHOM."""

    opened_for: str | None
    opened_for_username: str | None
    opened_for_domain: str | None


SESSION_UID = Column(
    "session_uid", STRING, "Id of an opened queue, derived from its first call: the same in every run.", required=True
)
MESSAGE_ID = Column(
    "message_id", STRING, "Id of the message, `{GUID of its queue manager}\\number`; null where it is not told."
)
MESSAGE_UID = Column(
    "message_uid",
    STRING,
    "Message, derived from its id or, where none is told, from the call it was seen in: the same in every run.",
    required=True,
)
TRANSACTION = Column("transaction", STRING, "Unit of work (XACTUOW) in hexadecimal; null outside transactions.")
TRANSACTION_UID = Column(
    "transaction_uid", STRING, "Row of `transactions`, derived from the first call of it: the same in every run."
)
TRANSACTION_OUTCOME = Column(
    "transaction_outcome",
    STRING,
    "What became of it. Seen of qmcomm's internal transactions; an external one is decided elsewhere: unknown.",
    values=TRANSACTION_OUTCOMES,
)
IN_TRANSACTION = (TRANSACTION, TRANSACTION_UID, TRANSACTION_OUTCOME)
DOUBT = Column(
    "doubt", STRING, "Why this row may be wrong, in the words of `findings.reason`; else null.", values=REASONS
)

OF_FLOW = Reference("uid", "flows", "uid")
OF_CALL = Reference("call_uid", "calls", "call_uid")
OF_SESSION = Reference("session_uid", "sessions", "session_uid")
OF_TRANSACTION = Reference("transaction_uid", "transactions", "transaction_uid")
OF_CAPTURE = Reference("capture_id", "captures", "capture_id")
