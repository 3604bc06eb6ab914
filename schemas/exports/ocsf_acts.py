"""OCSF's API Activity: sessions, reads and acts. The queue is the resource, the person behind an observable."""

from __future__ import annotations

from typing import Any, Final

from schemas.exports.converters import first_millis, iso, millis, milliseconds_of_session, read_outcome
from schemas.exports.model import Field, Mapping
from schemas.exports.ocsf_parts import STATUS, base, person_behind, queue_touched, user
from schemas.exports.sentences import (
    ACTION_COLUMNS,
    READ_COLUMNS,
    SESSION_COLUMNS,
    action_sentence,
    read_sentence,
    session_sentence,
)
from schemas.tables import ADMIN_ACTIONS, READS, SESSIONS

API_ACTIVITY: Final = 6003
_CREATE, _READ, _UPDATE, _DELETE = range(1, 5)
_OTHER: Final = 99
_ACTS: Final = {"create": _CREATE, "delete": _DELETE, "purge": _DELETE, "other": _OTHER}


def act_activity(action: str, is_query: bool | None) -> int:
    """1 creates, 2 asks, 3 changes, 4 deletes (purges too), 99 another."""
    return _READ if is_query else _ACTS.get(action, _UPDATE)


def act_type(action: str, is_query: bool | None) -> int:
    """Class and activity in one number."""
    return API_ACTIVITY * 100 + act_activity(action, is_query)


def act_status(outcome: str) -> int:
    """1 success, 2 failure, 0 unknown."""
    return STATUS[outcome]


def read_status(outcome: str) -> int:
    """1 a message was read, 2 none was, 0 its end was not seen."""
    return STATUS[read_outcome(outcome)]


def _api(time: str | tuple[str, ...], uid: str) -> tuple[Field, ...]:
    return (
        *base(API_ACTIVITY, time),
        Field("severity_id", always=1),
        Field("metadata.uid", uid),
        Field("actor.app_name", always="message queuing client"),
        Field("actor.user", ("username", "domain"), user),
        Field("api.service.name", "endpoint"),
        Field("src_endpoint.ip", "id.orig_h"),
        Field("src_endpoint.port", "id.orig_p"),
        Field("dst_endpoint.ip", "id.resp_h"),
        Field("dst_endpoint.port", "id.resp_p"),
        Field("resources", "queue_name", queue_touched),
        Field("observables", "opened_for_username", person_behind),
    )


def _unmapped(*columns: str) -> tuple[Field, ...]:
    shared = ("uid", "named_by", "naming_doubt", "opened_for", "opened_for_username", "opened_for_domain", "doubt")
    return tuple(Field(f"unmapped.{column}", column) for column in (*shared, *columns, "capture_id"))


def _always(activity: int, **others: Any) -> tuple[Field, ...]:  # noqa: ANN401 - constants of any type
    fixed = {"activity_id": activity, "type_uid": API_ACTIVITY * 100 + activity} | others
    return tuple(Field(name, always=value) for name, value in fixed.items())


SESSION: Final = Mapping(
    "session",
    SESSIONS.name,
    "A queue that was open, from its opening or the first call seen: API Activity 6003.",
    (
        *_api(("opened_ts", "ts"), "session_uid"),
        *_always(_OTHER, activity_name="Session"),
        Field("api.operation", always="open"),
        Field("start_time", ("opened_ts", "ts"), first_millis),
        Field("end_time", "closed_ts", millis),
        Field("duration", ("opened_ts", "ts", "closed_ts"), milliseconds_of_session),
        Field("message", SESSION_COLUMNS, session_sentence),
        *_unmapped(
            *("state", "queue_handle", "client_qm", "link_uid", "peeks", "receives", "peeked", "acked", "nacked"),
            *("purges", "moves", "sends", "message_bytes", "open_call_uid", "close_call_uid"),
        ),
    ),
    timed_by="ts",
)

READ: Final = Mapping(
    "read",
    READS.name,
    "A read, when the server gave out the message, else when it was asked for: API Activity 6003.",
    (
        *_api(("given_ts", "ts"), "read_uid"),
        *_always(_READ),
        Field("status_id", "outcome", read_status),
        Field("api.operation", always="receive"),
        Field("start_time", "ts", millis),
        Field("end_time", "ended_ts", millis),
        Field("message", READ_COLUMNS, read_sentence),
        Field("unmapped.arrived_ts", "arrived_ts", iso),
        *_unmapped(
            *("session_uid", "action", "outcome", "start_call_uid", "end_call_uid", "message_uid", "message_id"),
            *("message_label", "message_bytes", "message_sha256", "transaction_uid", "transaction_outcome"),
        ),
    ),
    timed_by="ts",
)

ACTION: Final = Mapping(
    "act",
    ADMIN_ACTIONS.name,
    "An act that changes or administers, or only asks: API Activity 6003.",
    (
        *_api("ts", "call_uid"),
        Field("activity_id", ("action", "is_query"), act_activity),
        Field("activity_name", "action"),
        Field("type_uid", ("action", "is_query"), act_type),
        Field("status_id", "outcome", act_status),
        Field("status_detail", "status_name"),
        Field("api.operation", "operation"),
        Field("message", ACTION_COLUMNS, action_sentence),
        *_unmapped(
            *("session_uid", "action", "is_query", "target_type", "target", "auth_level", "status", "detail"),
            *("changes", "request_frames", "response_frames"),
        ),
    ),
    timed_by="ts",
)
