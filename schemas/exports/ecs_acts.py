"""Sessions, reads and acts as documents of ECS."""

from __future__ import annotations

from typing import Final

from schemas.exports.converters import first_iso, iso, nanoseconds_of_session, read_outcome, some
from schemas.exports.ecs_parts import UID, WHO_AND_WHERE, base
from schemas.exports.model import Field, Mapping
from schemas.exports.sentences import (
    ACTION_COLUMNS,
    READ_COLUMNS,
    SESSION_COLUMNS,
    action_sentence,
    read_sentence,
    session_sentence,
)
from schemas.tables import ADMIN_ACTIONS, READS, SESSIONS

_ACTS: Final = {"create": "creation", "delete": "deletion", "purge": "deletion"}


def session_types(state: str) -> list[str]:
    """`start` unless its opening was not seen, `end` where it ended; else `info`."""
    found = [*([] if state == "open_not_seen" else ["start"]), *(["end"] if state in ("closed", "rundown") else [])]
    return found or ["info"]


def act_types(action: str, is_query: bool | None) -> list[str]:
    """`access` where it only asks; `creation`, `deletion` (purges too), else `change`."""
    return ["access"] if is_query else [_ACTS.get(action, "change")]


SESSION: Final = Mapping(
    "session",
    SESSIONS.name,
    "A queue that was open, from its opening or the first call seen.",
    (
        Field("@timestamp", ("opened_ts", "ts"), first_iso),
        *base("session", "event", ["session", "network"]),
        Field("event.type", "state", session_types),
        Field("event.id", "session_uid"),
        Field("event.action", always="queue-open"),
        Field("event.start", ("opened_ts", "ts"), first_iso),
        Field("event.end", "closed_ts", iso),
        Field("event.duration", ("opened_ts", "ts", "closed_ts"), nanoseconds_of_session),
        Field("message", SESSION_COLUMNS, session_sentence),
        *WHO_AND_WHERE,
        UID,
        *(
            Field(f"msmq.session.{column}", column)
            for column in (
                *("endpoint", "state", "doubt", "queue_handle", "client_qm", "link_uid", "peeks", "receives", "peeked"),
                *("acked", "nacked", "purges", "moves", "sends", "message_bytes", "open_call_uid", "close_call_uid"),
            )
        ),
        Field("msmq.capture_id", "capture_id"),
    ),
    timed_by="ts",
)

READ: Final = Mapping(
    "read",
    READS.name,
    "A read: when the server gave out the message, else when it was asked for.",
    (
        Field("@timestamp", ("given_ts", "ts"), first_iso),
        *base("read", "event", ["network"]),
        Field("event.type", always=["access"]),
        Field("event.id", "read_uid"),
        Field("event.action", "action"),
        Field("event.outcome", "outcome", read_outcome),
        Field("event.start", "ts", iso),
        Field("event.end", "ended_ts", iso),
        Field("message", READ_COLUMNS, read_sentence),
        *WHO_AND_WHERE,
        UID,
        *(
            Field(f"msmq.read.{column}", column)
            for column in (
                *("session_uid", "endpoint", "outcome", "doubt", "start_call_uid", "end_call_uid"),
                *("message_uid", "message_id", "message_label", "message_bytes", "message_sha256"),
                *("transaction_uid", "transaction_outcome"),
            )
        ),
        Field("msmq.read.arrived_ts", "arrived_ts", iso),
        Field("msmq.capture_id", "capture_id"),
    ),
    timed_by="ts",
)

ACTION: Final = Mapping(
    "act",
    ADMIN_ACTIONS.name,
    "An act that changes or administers, or only asks.",
    (
        Field("@timestamp", "ts", iso),
        *base("act", "event", ["configuration"]),
        Field("event.type", ("action", "is_query"), act_types),
        Field("event.id", "call_uid"),
        Field("event.action", "action"),
        Field("event.outcome", "outcome"),
        Field("message", ACTION_COLUMNS, action_sentence),
        *WHO_AND_WHERE,
        UID,
        *(
            Field(f"msmq.act.{column}", column)
            for column in (
                *("session_uid", "endpoint", "operation", "target_type", "target", "auth_level", "status"),
                *("status_name", "detail", "doubt", "request_frames", "response_frames"),
            )
        ),
        Field("msmq.act.changes", "changes", some),
        Field("msmq.capture_id", "capture_id"),
    ),
    timed_by="ts",
)
