"""Calls that change or administer something, or ask about it: rows of `admin_actions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.status import fault_name, status_name
from pipelines.calls.act_values import MAX_TEXT
from pipelines.facts.queue_names import queue_names
from pipelines.mqac.naming import naming_of, unseen_since_named
from pipelines.sessions.memory import Recent
from pipelines.sessions.naming import named_by_call
from pipelines.sessions.rows import place_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.facts.reasons import Reason
    from pipelines.mqac.objects import Known, QueueIdentity, QueueState
    from pipelines.mqac.steps import MqacStep

Row = dict[str, Any]
MAX_VALUES: Final = 65_536
"""Last known values of queues of one server."""


class Values:
    """Properties of queues as calls showed them, whichever object they were asked of."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._known: Recent[tuple[str, str], tuple[str, str]] = Recent(MAX_VALUES)
        """(queue, property) to its last known value and the call that showed it."""

    def remember(self, queue: QueueIdentity, name: str, value: Known) -> None:
        for key in self._keys(queue):
            self._known.put((key, name), (_cut(value), value.call_uid))

    def changes(self, queue: QueueIdentity, told: Mapping[str, Known], *, holds: bool) -> list[Row] | None:
        """`holds`: from now on they are so."""
        return [self._change(queue, name, value, holds=holds) for name, value in told.items()] or None

    def _change(self, queue: QueueIdentity, name: str, value: Known, *, holds: bool) -> Row:
        found = (self._known.get((key, name)) for key in self._keys(queue))
        old, by = next((one for one in found if one is not None), (None, None))
        if holds:
            self.remember(queue, name, value)
        return {"name": name, "old": old, "new": _cut(value), "old_call_uid": by}

    def _keys(self, queue: QueueIdentity) -> Iterator[str]:
        for name in queue.names:
            found = queue_names(name, self._server, owned=True)
            if found is not None:
                yield from sorted(found.keys)

    @staticmethod
    def answers(name: str, value: Known | None) -> list[Row] | None:
        """Of a question. That an object answers it says nothing yet."""
        if value is None or value.value.reference is not None:
            return None
        return [{"name": name, "old": None, "new": _cut(value), "old_call_uid": None}]


def _cut(value: Known) -> str:
    text = value.text or ""
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."


def act_row(
    step: MqacStep,
    action: str,
    kind: str | None,
    target: QueueIdentity | str | None,
    *,
    changes: list[Row] | None = None,
    detail: str | None = None,
    session: QueueState | None = None,
    doubt: Reason | None = None,
) -> Row:
    call = step.call
    named = named_by_call(None)
    name = target if isinstance(target, str) else None
    if session is not None:
        named = naming_of(session.queue, session.naming_doubt)
    elif target is not None and not isinstance(target, str):
        named = naming_of(target, unseen_since_named(step, target))
    return {
        "call_uid": call.call_uid,
        **place_of(call),
        "endpoint": step.endpoint,
        "operation": _operation(step),
        "action": action,
        "is_query": action == "query",
        "target_type": kind,
        "target": name or named["queue_name"],
        **named,
        "session_uid": session.session_uid if session is not None else None,
        "opened_for": None,
        "opened_for_username": None,
        "opened_for_domain": None,
        "username": call.username,
        "domain": call.domain,
        "auth_type": call.auth_type,
        "auth_level": call.auth_level,
        "outcome": "success" if step.succeeded else "failure" if step.failed else "unknown",
        "status": None if call.fault is not None else step.code,
        "status_name": _status_name(step),
        "changes": changes,
        "detail": detail,
        "doubt": text_of(step.doubt or doubt),
        "request_frames": list(call.request_frames),
        "response_frames": list(call.response_frames),
        "capture_id": call.capture_id,
    }


_PREFIXES: Final = {"get": "get_", "put": "put_", "putref": "putref_"}


def _operation(step: MqacStep) -> str:
    return _PREFIXES.get(step.member.kind, "") + step.member.member


def _status_name(step: MqacStep) -> str | None:
    if step.call.fault is not None:
        return fault_name(step.call.fault)
    return None if step.code is None else status_name(step.code, step.endpoint)
