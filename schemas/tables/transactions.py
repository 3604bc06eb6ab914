"""transactions: units of work that a server took part in."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.relations import NotAbove, Reference
from schemas.shared_columns import (
    CAPTURE_ID,
    DOMAIN,
    DOUBT,
    ID,
    OF_CAPTURE,
    OF_FLOW,
    UID,
    USERNAME,
)
from schemas.vocabulary import TRANSACTION_KINDS, TRANSACTION_OUTCOMES

TRANSACTION_OUTCOMES_MEAN = {
    "committed": "The server was told to commit it, and did.",
    "aborted": "The server was told to abort it, and did.",
    "rundown": "Its association ended with it open, so the server aborted it ([MS-MQMP] 3.1.7.3).",
    "unknown": "Decided on another wire, as external ones are, or out of sight.",
}
MAX_LISTED = 1_000

TRANSACTIONS = Table(
    "transactions",
    "One unit of work on one server, over all connections: what was read, sent, moved and rejected in it.",
    (
        Column("transaction_uid", STRING, "Derived from the first call of it: the same in every run.", required=True),
        Column(
            "transaction",
            STRING,
            "Unit of work (XACTUOW) in hexadecimal; of an MSMQTransaction object, which does not tell it, its OXID and "
            "OID.",
            required=True,
        ),
        UID,
        ID,
        Column("ts", TIMESTAMP, "Time of its first call seen."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        USERNAME,
        DOMAIN,
        Column("began_ts", TIMESTAMP, "When the server was enlisted in it; null where that was not seen."),
        Column("ended_ts", TIMESTAMP, "When it was decided; null where that was not seen."),
        Column(
            "kind",
            STRING,
            "`internal`: the server itself decides it; `external`: a coordinator does. Null: no enlistment seen.",
            values=TRANSACTION_KINDS,
        ),
        Column(
            "outcome",
            STRING,
            "What became of it; the names stand below.",
            required=True,
            values=TRANSACTION_OUTCOMES,
        ),
        DOUBT,
        Column("enlistments", LONG, "Calls that enlisted the server in it, and succeeded.", required=True, low=0),
        Column("reads", LONG, "Messages read in it, to be removed or not.", required=True, low=0),
        Column("sends", LONG, "Messages sent in it.", required=True, low=0),
        Column("moves", LONG, "Messages moved in it.", required=True, low=0),
        Column("rejects", LONG, "Messages that a consumer rejected in it.", required=True, low=0),
        Column("clients", pa.list_(STRING), "Addresses that took part, the first 1,000.", required=True),
        Column("queue_names", pa.list_(STRING), "Queues touched in it, the first 1,000.", required=True),
        Column("session_uids", pa.list_(STRING), "Sessions touched in it, the first 1,000.", required=True),
        Column("begin_call_uid", STRING, "Call that enlisted the server; null where that was not seen."),
        Column("end_call_uid", STRING, "Call that decided it."),
        CAPTURE_ID,
    ),
    key=("transaction_uid",),
    relations=(
        NotAbove("ts", "began_ts"),
        NotAbove("began_ts", "ended_ts"),
        Reference("begin_call_uid", "calls", "call_uid"),
        Reference("end_call_uid", "calls", "call_uid"),
        OF_FLOW,
        OF_CAPTURE,
    ),
)
