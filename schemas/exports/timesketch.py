"""Timesketch: events with a message, a time, what the time means, and our columns under Zeek's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.well_known import MSMQ, MSMQ_COM
from schemas.exports.converters import both, decided, endpoint_name, iso, listed, micros, operation_name
from schemas.exports.model import Condition, Field, Mapping
from schemas.exports.sentences import (
    CALL_COLUMNS,
    action_told,
    call_told,
    finding_told,
    message_told,
    move_told,
    read_told,
    session_told,
)
from schemas.tables import ADMIN_ACTIONS, CALLS, FINDINGS, MESSAGES, MOVES, READS, SESSIONS

if TYPE_CHECKING:
    from collections.abc import Callable


def of_message_queuing(interface_uuid: str | None) -> bool:
    """Calls of message queuing's interfaces."""
    return interface_uuid in MSMQ or interface_uuid in MSMQ_COM


def call_time_means(fault: int | None, _: str) -> str:
    """`RPC Fault` or `RPC Call`."""
    return "RPC Call" if fault is None else "RPC Fault"


def opening_not_seen(opened: object) -> bool:
    """Sessions whose opening was not captured."""
    return opened is None


def changing(is_query: object) -> bool:
    """Acts that do more than ask."""
    return not is_query


def marks(level: str, verdict: str, attack: list[str]) -> list[str]:
    """Level, verdict and techniques."""
    return both(level, verdict, *attack)


_ENDS: Final = ("id.orig_h", "id.resp_h", "id.resp_p")


def _event(
    kind: str, time: str, columns: tuple[str, ...], told: Callable[..., str], means: str, tag: Field
) -> tuple[Field, ...]:
    """What Timesketch wants of every event."""
    return (
        Field("message", columns, told),
        Field("datetime", time, iso),
        Field("timestamp", time, micros),
        *((Field("timestamp_desc", always=means),) if means else ()),
        Field("data_type", always=f"windows:msmq:{kind}"),
        tag,
    )


def _same(*columns: str) -> tuple[Field, ...]:
    return tuple(Field(column, column) for column in columns)


_CONNECTION: Final = _same("uid", "id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p")
_OUTCOME: Final = Field("tag", "outcome", listed)

CALL: Final = Mapping(
    "call",
    CALLS.name,
    "A call.",
    (
        *_event("rpc_call", "ts", CALL_COLUMNS, call_told, "", _OUTCOME),
        Field("timestamp_desc", ("fault", "outcome"), call_time_means),
        *_CONNECTION,
        *_same("community_id", "call_uid", "rtt_us"),
        Field("endpoint", ("endpoint", "interface_uuid"), endpoint_name),
        Field("operation", ("operation", "opnum", "interface_uuid"), operation_name),
        *_same("username", "domain", "auth_level", "encrypted", "decode_state"),
        *_same("status", "status_name", "fault", "fault_name", "request_frames", "response_frames", "capture_id"),
    ),
    Condition("interface_uuid", of_message_queuing),
    timed_by="ts",
)


def _session(name: str, time: str, means: str, doc: str, only: Condition | None = None) -> Mapping:
    told = (*_ENDS, "queue_name", "queue_handle", "state")
    return Mapping(
        name,
        SESSIONS.name,
        doc,
        (
            *_event("session", time, told, session_told, means, Field("tag", "state", listed)),
            *_CONNECTION,
            *_same("session_uid", "endpoint", "queue_name", "queue_handle", "username", "domain"),
            *_same("opened_for", "opened_for_username", "client_qm", "doubt", "peeks", "receives", "acked", "nacked"),
            *_same("purges", "moves", "sends", "message_bytes", "capture_id"),
        ),
        only,
        timed_by=time,
    )


ARRIVAL: Final = Mapping(
    "arrival",
    READS.name,
    "The message of a read, when the server says that it arrived.",
    (
        *_event(
            *("message", "arrived_ts", (*_ENDS, "message_label", "action", "outcome"), read_told),
            *("Message Arrival", _OUTCOME),
        ),
        *_CONNECTION,
        *_same("read_uid", "session_uid", "endpoint", "action", "message_id", "message_label", "message_bytes"),
        *_same("message_sha256", "doubt", "capture_id"),
    ),
    timed_by="arrived_ts",
)

SENT: Final = Mapping(
    "sent message",
    MESSAGES.name,
    "A message, when its sender says that it was sent.",
    (
        *_event(
            *("message", "sent_ts", ("message_uid", "label", "destination_queue"), message_told),
            *("Message Sent", Field("tag", "message_class", listed)),
        ),
        *_same("message_uid", "message_id", "label", "destination_queue", "response_queue", "source_qm", "sender_id"),
        *_same("body_size", "body_sha256", "sightings"),
    ),
    timed_by="sent_ts",
)

MOVE: Final = Mapping(
    "move",
    MOVES.name,
    "A message moved to another queue.",
    (
        *_event(
            *("move", "ts", (*_ENDS, "queue_name", "target_queue_name", "outcome"), move_told),
            *("Message Move", _OUTCOME),
        ),
        *_CONNECTION,
        *_same("call_uid", "session_uid", "queue_name", "target_queue_name", "message_id", "status", "capture_id"),
    ),
    timed_by="ts",
)

FINDING: Final = Mapping(
    "finding",
    FINDINGS.name,
    "A finding.",
    (
        *_event(
            *("finding", "ts", (*_ENDS, "level", "title"), finding_told),
            *("Finding", Field("tag", ("level", "verdict", "attack"), marks)),
        ),
        *_CONNECTION,
        *_same("rule_id", "level", "verdict", "party", "title", "spec", "count", "call_uid", "session_uid", "username"),
        *_same("attack", "evidence.request_frames", "evidence.response_frames"),
        Field("capture_id", "evidence.capture_id"),
    ),
    Condition("verdict", decided),
    timed_by="ts",
)

ACTION: Final = Mapping(
    "administration",
    ADMIN_ACTIONS.name,
    "An act that changes a queue, a queue manager or the directory.",
    (
        *_event(
            *("admin_action", "ts", (*_ENDS, "action", "target", "outcome"), action_told),
            *("Administration", _OUTCOME),
        ),
        *_CONNECTION,
        *_same("call_uid", "session_uid", "endpoint", "operation", "action", "target_type", "target", "queue_name"),
        *_same("username", "domain", "auth_level", "opened_for", "changes", "detail", "status", "status_name"),
        *_same("doubt", "request_frames", "response_frames", "capture_id"),
    ),
    Condition("is_query", changing),
    timed_by="ts",
)

EVENTS: Final = (
    CALL,
    _session("session start", "opened_ts", "Session Start", "A queue opened."),
    _session(
        *("session first seen", "ts", "Session First Seen", "A queue found open."),
        Condition("opened_ts", opening_not_seen),
    ),
    _session("session end", "closed_ts", "Session End", "A queue closed, or its last connection ended."),
    ARRIVAL,
    SENT,
    MOVE,
    FINDING,
    ACTION,
)
