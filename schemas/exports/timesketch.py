"""Timesketch: events with a message, a time, what the time means, and our columns under Zeek's names.

An act is one event, at the time at which it happened on the wire: calls, and findings about them, are told with it.
"""

from __future__ import annotations

from typing import Final

from schemas.exports import sentences as told
from schemas.exports.attached_findings import findings_of
from schemas.exports.converters import both, decided, endpoint_name, operation_name
from schemas.exports.model import Condition, Field, Lookup, Mapping
from schemas.exports.timesketch_parts import (
    BY,
    CONNECTION,
    NAMED,
    OF_CALL,
    by_script,
    call_time_means,
    changing,
    event,
    finding_marks,
    no_message_seen,
    not_seen_sent,
    of_message_queuing,
    opening_not_seen,
    same,
    tags_and_findings,
)
from schemas.tables import (
    ADMIN_ACTIONS,
    CALLS,
    COM_CALLS,
    COM_OBJECTS,
    FINDINGS,
    MESSAGES,
    MOVES,
    READS,
    REJECTIONS,
    SENDS,
    SESSIONS,
    TRANSACTIONS,
)

_ACTS: Final = (
    Lookup("call_uid", ADMIN_ACTIONS.name, "call_uid", where=Condition("is_query", changing)),
    *(Lookup("call_uid", table.name, "call_uid") for table in (MOVES, SENDS, REJECTIONS)),
    *(Lookup("call_uid", READS.name, key) for key in ("start_call_uid", "end_call_uid")),
    *(Lookup("call_uid", SESSIONS.name, key) for key in ("open_call_uid", "close_call_uid")),
    Lookup("call_uid", TRANSACTIONS.name, "end_call_uid"),
)
"""Events that tell the call that they are."""
_CALLS: Final = Lookup("call_uid", CALLS.name, "call_uid", where=Condition("interface_uuid", of_message_queuing))
_BY_SCRIPT: Final = Lookup("call_uid", COM_CALLS.name, "call_uid", where=Condition("via", by_script))

CALL: Final = Mapping(
    "call",
    CALLS.name,
    "A call.",
    (
        *event("rpc_call", "ts", told.CALL_COLUMNS, told.call_sentence),
        *tags_and_findings("outcome", "call_uid"),
        Field("timestamp_desc", ("fault", "outcome"), call_time_means),
        *CONNECTION,
        *same("community_id", "call_uid", "rtt_us"),
        Field("endpoint", ("endpoint", "interface_uuid"), endpoint_name),
        Field("operation", ("operation", "opnum", "interface_uuid"), operation_name),
        *same("username", "domain", "auth_level", "encrypted", "decode_state"),
        *same("status", "status_name", "fault", "fault_name", "request_frames", "response_frames", "capture_id"),
    ),
    Condition("interface_uuid", of_message_queuing),
    timed_by="ts",
    lookups=OF_CALL,
    unless=_ACTS,
)

SCRIPTED: Final = Mapping(
    "call by script",
    COM_CALLS.name,
    "A call of a COM object by the name of its member, as scripts make them.",
    (
        *event("com_call", "ts", told.COM_CALL_COLUMNS, told.com_call_sentence, "COM Call"),
        *tags_and_findings("outcome", "call_uid"),
        *CONNECTION,
        *same("call_uid", "object_uid"),
        Field("class", "com_objects.class"),
        *same("interface", "member", "kind", "via", "username", "domain", "hresult", "hresult_name", "exception"),
        *same("doubt", "capture_id"),
    ),
    Condition("via", by_script),
    timed_by="ts",
    lookups=(*OF_CALL, Lookup("object_uid", COM_OBJECTS.name, "object_uid")),
    unless=(_CALLS, *_ACTS),
)


def _session(name: str, time: str, means: str, doc: str, call: str, only: Condition | None = None) -> Mapping:
    return Mapping(
        name,
        SESSIONS.name,
        doc,
        (
            *event("session", time, told.SESSION_COLUMNS, told.session_sentence, means),
            *(tags_and_findings("state", call) if call else (Field("tag", "state", both),)),
            *CONNECTION,
            *same("session_uid", "endpoint", *NAMED, "queue_handle", *BY, "opened_for", "client_qm", "doubt"),
            *same("peeks", "receives", "acked", "nacked", "purges", "moves", "sends", "message_bytes", "capture_id"),
        ),
        only,
        timed_by=time,
        lookups=(findings_of(call),) if call else (),
    )


def _read(name: str, time: str, means: str, doc: str, only: Condition | None = None) -> Mapping:
    calls = ("start_call_uid", "end_call_uid")
    return Mapping(
        name,
        READS.name,
        doc,
        (
            *event("read", time, told.READ_COLUMNS, told.read_sentence, means),
            *tags_and_findings("outcome", *calls),
            *CONNECTION,
            *same("read_uid", "session_uid", "endpoint", *NAMED, *BY, "opened_for", *calls, "action"),
            *same("message_uid", "message_id", "message_label", "message_bytes", "message_sha256"),
            *same("transaction_uid", "transaction_outcome", "doubt", "capture_id"),
        ),
        only,
        timed_by=time,
        lookups=tuple(findings_of(call) for call in calls),
    )


ARRIVAL: Final = Mapping(
    "arrival",
    READS.name,
    "A message that was read later, when it arrived in the queue, as the server says. It accuses nobody: readers are "
    "not told here.",
    (
        *event(
            *("arrival", "arrived_ts", ("id.resp_h", "message_label", "queue_name"), told.arrival_sentence),
            "Message Arrival",
        ),
        Field("tag", always=["arrived"]),
        *same("id.resp_h", *NAMED, "message_uid", "message_id", "message_label", "message_bytes", "message_sha256"),
        *same("capture_id"),
    ),
    timed_by="arrived_ts",
    once=("id.resp_h", "message_uid", "arrived_ts"),
)

SENT: Final = Mapping(
    "sent message",
    MESSAGES.name,
    "A message, when its sender says that it was sent.",
    (
        *event(
            *("message", "sent_ts", ("message_uid", "label", "destination_queue"), told.message_sentence),
            "Message Sent",
        ),
        Field("tag", "message_class", both),
        *same("message_uid", "message_id", "label", "destination_queue", "response_queue", "source_qm", "sender_id"),
        *same("body_size", "body_sha256", "sightings"),
    ),
    Condition("calls", not_seen_sent),
    timed_by="sent_ts",
)

SEND: Final = Mapping(
    "send",
    SENDS.name,
    "A message sent through a supporting server.",
    (
        *event("send", "ts", told.SEND_COLUMNS, told.send_sentence, "Message Send"),
        *tags_and_findings("outcome", "call_uid"),
        *CONNECTION,
        *same("call_uid", "session_uid", "operation", *NAMED, "username", "domain", "message_uid", "message_id"),
        *same("message_label", "message_bytes", "transaction_uid", "transaction_outcome", "status", "capture_id"),
    ),
    timed_by="ts",
    lookups=OF_CALL,
)

MOVE: Final = Mapping(
    "move",
    MOVES.name,
    "A message moved to another queue.",
    (
        *event("move", "ts", told.MOVE_COLUMNS, told.move_sentence, "Message Move"),
        *tags_and_findings("outcome", "call_uid"),
        *CONNECTION,
        *same("call_uid", "session_uid", "queue_name", "target_queue_name", "username", "domain"),
        *same("message_uid", "message_id", "transaction_uid", "transaction_outcome", "status", "capture_id"),
    ),
    timed_by="ts",
    lookups=OF_CALL,
)

REJECTION: Final = Mapping(
    "rejection",
    REJECTIONS.name,
    "A message that its reader rejected.",
    (
        *event("rejection", "ts", told.REJECTION_COLUMNS, told.rejection_sentence, "Message Rejection"),
        *tags_and_findings("outcome", "call_uid"),
        *CONNECTION,
        *same("call_uid", "session_uid", *NAMED, "username", "domain", "message_uid", "message_id", "message_class"),
        *same("transaction_uid", "transaction_outcome", "status", "capture_id"),
    ),
    timed_by="ts",
    lookups=OF_CALL,
)

TRANSACTION: Final = Mapping(
    "transaction",
    TRANSACTIONS.name,
    "A transaction that was decided.",
    (
        *event("transaction", "ended_ts", told.TRANSACTION_COLUMNS, told.transaction_sentence, "Transaction End"),
        *tags_and_findings("outcome", "end_call_uid"),
        *CONNECTION,
        *same("transaction_uid", "transaction", "kind", "username", "domain", "doubt", "queue_names", "end_call_uid"),
        *same("reads", "sends", "moves", "rejects", "capture_id"),
    ),
    timed_by="ended_ts",
    lookups=(findings_of("end_call_uid"),),
)

FINDING: Final = Mapping(
    "finding",
    FINDINGS.name,
    "A finding about no call that has an event.",
    (
        *event("finding", "ts", told.FINDING_COLUMNS, told.finding_sentence, "Finding"),
        Field("tag", ("level", "verdict", "attack"), finding_marks),
        *CONNECTION,
        Field("findings", "count"),
        *same("rule_id", "level", "verdict", "party", "title", "spec", "call_uid", "session_uid", *NAMED, *BY),
        *same("opened_for", "attack", "evidence.request_frames", "evidence.response_frames"),
        Field("capture_id", "evidence.capture_id"),
    ),
    Condition("verdict", decided),
    timed_by="ts",
    unless=(_CALLS, _BY_SCRIPT, *_ACTS),
)

ACTION: Final = Mapping(
    "administration",
    ADMIN_ACTIONS.name,
    "An act that changes a queue, a queue manager or the directory.",
    (
        *event("admin_action", "ts", told.ACTION_COLUMNS, told.action_sentence, "Administration"),
        *tags_and_findings("outcome", "call_uid"),
        *CONNECTION,
        *same("call_uid", "session_uid", "endpoint", "operation", "action", "target_type", "target", *NAMED, *BY),
        *same("auth_level", "opened_for", "changes", "detail", "status", "status_name"),
        *same("doubt", "request_frames", "response_frames", "capture_id"),
    ),
    Condition("is_query", changing),
    timed_by="ts",
    lookups=OF_CALL,
)

EVENTS: Final = (
    CALL,
    SCRIPTED,
    _session("session start", "opened_ts", "Session Start", "A queue opened.", "open_call_uid"),
    _session(
        *("session first seen", "ts", "Session First Seen", "A queue found open.", ""),
        Condition("opened_ts", opening_not_seen),
    ),
    _session(
        "session end", "closed_ts", "Session End", "A queue closed, or its last connection ended.", "close_call_uid"
    ),
    _read("read", "given_ts", "Message Read", "A message that left the server: when the server gave it out."),
    _read(
        *("read asked for", "ts", "Message Asked For", "A read that brought no message, or none that was seen."),
        Condition("given_ts", no_message_seen),
    ),
    ARRIVAL,
    SENT,
    SEND,
    MOVE,
    REJECTION,
    TRANSACTION,
    FINDING,
    ACTION,
)
