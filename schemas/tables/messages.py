"""message_sightings and messages: what is known of each message, and where it was seen."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from schemas.model import BINARY, BOOL, INT, LONG, STRING, TIMESTAMP, U8, U16, U32, UNSIGNED_LONG, Column, Table
from schemas.relations import NotAbove
from schemas.shared_columns import (
    CALL_UID,
    CAPTURE_ID,
    DOMAIN,
    DOUBT,
    ID,
    MESSAGE_ID,
    MESSAGE_UID,
    NAMING,
    OF_CALL,
    OF_CAPTURE,
    OF_FLOW,
    OPENED_FOR_USERNAME,
    UID,
    USERNAME,
)
from schemas.vocabulary import MESSAGE_OPERATIONS, SEEN_AS

_TRANSACTION = pa.struct(
    [
        pa.field("sequence_id", UNSIGNED_LONG),
        pa.field("sequence_number", LONG),
        pa.field("previous_number", LONG),
        pa.field("first", BOOL),
        pa.field("last", BOOL),
        pa.field("index", LONG),
        pa.field("unit_of_work", STRING),
    ]
)

CONTENT = (
    Column("message_class", STRING, "Class by name, e.g. `MQMSG_CLASS_NORMAL`; a number where it has none."),
    Column("label", STRING, "Label."),
    Column("priority", INT, "Priority.", low=0, high=U8),
    Column("delivery", STRING, "`express`: kept in memory; `recoverable`: on disk. A number where it is neither."),
    Column("sent_ts", TIMESTAMP, "When it was sent, as the sender's queue manager says."),
    Column("time_to_reach_queue", LONG, "Seconds from then on that it may take to its queue.", low=0, high=U32),
    Column("time_to_be_received", LONG, "Seconds from then on in which it may be received.", low=0, high=U32),
    Column("destination_queue", STRING, "Queue that it was sent to, as a format name."),
    Column("admin_queue", STRING, "Queue for acknowledgments."),
    Column("response_queue", STRING, "Queue for answers."),
    Column("destinations", pa.list_(STRING), "All queues that it was sent to, where these are several."),
    Column("connector_type", STRING, "GUID of the connector application that is to interpret it."),
    Column("correlation_id", STRING, "Correlation id in hexadecimal; null where it is zero."),
    Column("acknowledged_message_id", STRING, "Message that this one acknowledges."),
    Column("body_type", STRING, "Type of the body by name, e.g. `VT_BSTR`."),
    Column("body_size", LONG, "Bytes of the body.", low=0, high=U32),
    Column("body_sha256", STRING, "SHA-256 of the body as it was sent; null where it is not all there."),
    Column("extension_size", LONG, "Bytes of the extension.", low=0, high=U32),
    Column("application_tag", LONG, "The application's own number.", low=0, high=U32),
    Column("acknowledge", pa.list_(STRING), "Acknowledgments asked for."),
    Column("journaling", pa.list_(STRING), "Copies kept at the source: `deadletter`, `journal`."),
    Column("tracing", BOOL, "Its route is reported."),
    Column("sender_id_type", STRING, "`none`, `sid`, `qm` (a queue manager's GUID); a number where it is another."),
    Column("sender_id", STRING, "Sender that the message names: claimed, unless a signature proves it."),
    Column("signature_size", LONG, "Bytes of the signature; 0 where there is none.", low=0, high=U32),
    Column("certificate_size", LONG, "Bytes of the sender's certificate; 0 where there is none.", low=0, high=U32),
    Column("privacy_level", STRING, "Encryption asked for: `none`, `40-bit`, `128-bit`, `AES`."),
    Column("encryption_algorithm", STRING, "Its algorithm."),
    Column("body_encrypted", BOOL, "The body is encrypted here."),
    Column("hash_algorithm", STRING, "Algorithm of the signature's hash."),
    Column("provider_name", STRING, "Cryptographic provider of the sender."),
    Column(
        "transaction_header",
        _TRANSACTION,
        "Place in its transaction: [MS-MQMQ] 2.2.20.5; of qmcomm2 also its unit of work.",
    ),
    Column("source_qm", STRING, "GUID of the queue manager that it comes from."),
    Column("hop_count", INT, "Routing servers that it passed.", low=0, high=U8),
    Column("soap", BOOL, "It has a SOAP envelope."),
    Column("srmp", BOOL, "It came over HTTP."),
    Column("subqueue", STRING, "Subqueue that it lies in."),
    Column("abort_count", LONG, "Transactions in which it was read that were aborted.", low=0, high=U32),
    Column("move_count", LONG, "How often it was moved.", low=0, high=U32),
    Column("came_from", STRING, "Address that the queue's host received it from."),
    Column("dead_letter_queue", STRING, "Queue for it if it cannot be delivered."),
)
"""Of [MS-MQMQ] 2.2.20 and [MS-MQRR] 2.2.5, or of CACTransferBufferV2 ([MS-MQMP] 2.2.3.3)."""

SIGHTINGS = Table(
    "message_sightings",
    "One message seen in one call: read, peeked at or sent. Not of sealed calls.",
    (
        CALL_UID,
        MESSAGE_UID,
        Column("ts", TIMESTAMP, "When the message went over the wire."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        ID,
        Column("operation", STRING, "Call that carried it.", required=True, values=MESSAGE_OPERATIONS),
        Column(
            "object_uid",
            STRING,
            "The message as an object of MSMQ's, whose properties came one by one, see `com_objects`; else null.",
        ),
        Column("seen_as", STRING, "`received`, `peeked`, `read` (by an unknown action) or `sent`.", values=SEEN_AS[:4]),
        Column("message_bytes", LONG, "Bytes of the packet, or of the body in a call of qmcomm2.", low=0),
        Column("message_sha256", STRING, "SHA-256 of the packet; null where it is not all there, or none."),
        Column("sections", INT, "Sections of RemoteRead in which it came.", low=0, high=U16),
        Column("complete", BOOL, "The whole message was sent and captured."),
        USERNAME,
        DOMAIN,
        MESSAGE_ID,
        *CONTENT,
        DOUBT,
        Column("body", BINARY, "The body, with --keep-payload only."),
        CAPTURE_ID,
    ),
    key=("call_uid",),
    relations=(OF_CALL, OF_FLOW, OF_CAPTURE),
)

_SEEN = pa.struct(
    [
        pa.field("ts", TIMESTAMP),
        pa.field("call_uid", STRING),
        pa.field("uid", STRING),
        pa.field("operation", STRING),
        pa.field("seen_as", STRING),
        pa.field("orig_h", STRING),
        pa.field("resp_h", STRING),
        pa.field("username", STRING),
        pa.field("domain", STRING),
        pa.field("opened_for_username", STRING),
        pa.field("queue_name", STRING),
        pa.field("naming_doubt", STRING),
        pa.field("outcome", STRING),
    ]
)

MESSAGES = Table(
    "messages",
    "One message, however often it was seen. Its values are those of the first complete sighting, else of the first.",
    (
        MESSAGE_UID,
        MESSAGE_ID,
        Column("first_ts", TIMESTAMP, "When it was first seen."),
        Column("last_ts", TIMESTAMP, "When it was last seen."),
        Column("sightings", LONG, "How often it was seen: read, peeked at, sent or moved.", required=True, low=1),
        Column(
            "calls",
            pa.list_(_SEEN),
            "The calls it was seen in, the earliest 1,000 of them: who called, on which queue, and what came of it, as "
            "`outcome` in `reads`, `sends` and `moves` has it.",
            required=True,
        ),
        Column("queue_names", pa.list_(STRING), "Queues that it was read from, sent to or moved from.", required=True),
        Column(
            "bodies",
            LONG,
            "Different bodies seen under its id: more than one is a forgery, or two queue managers with one GUID.",
            required=True,
            low=0,
        ),
        Column("complete", BOOL, "It was seen whole at least once."),
        *CONTENT,
    ),
    key=("message_uid",),
    relations=(NotAbove("first_ts", "last_ts"),),
)
MAX_CALLS_TOLD = 1_000

SEEN = Table(
    "seen",
    "A sighting, a move of a message that was seen before, or, without `seen_as`, what sessions make of a sighting. It "
    "passes from those tables to `messages`; times are in microseconds.",
    (
        MESSAGE_UID,
        CALL_UID,
        UID,
        Column("operation", STRING, "As in `message_sightings`."),
        Column("seen_as", STRING, "The same."),
        Column("orig_h", STRING, "Of the column `id`.", required=True),
        Column("resp_h", STRING, "Of the column `id`.", required=True),
        MESSAGE_ID,
        USERNAME,
        DOMAIN,
        OPENED_FOR_USERNAME,
        *NAMING[::2],
        Column("outcome", STRING, "As in `reads`, `sends` and `moves`."),
        Column("ts", LONG, "When the message went over the wire."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("complete", BOOL, "As in `message_sightings`."),
        *(replace(column, type=LONG) if column.type == TIMESTAMP else column for column in CONTENT),
    ),
    no_key="It is no table of its own.",
)
