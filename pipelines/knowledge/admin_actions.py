"""Steps of one server to rows of `admin_actions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from decoders.dcerpc.call_model import BindingSource
from decoders.registry import DSCOMM, DSCOMM2, QMMGMT
from decoders.status import fault_name, status_name
from pipelines.facts import vocabulary as v
from pipelines.facts.queue_names import queue_names
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.reasons import Reason
from pipelines.knowledge.targets import created, in_directory, machine_in_directory, managed, object_of, opened
from pipelines.sessions.memory import Recent
from pipelines.sessions.model import SessionKind
from pipelines.sessions.naming import asked_by, for_whom, named_by_call, queue_of
from pipelines.sessions.rows import place_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.facts.model import CallFact, Method
    from pipelines.knowledge.askers import Asker
    from pipelines.knowledge.targets import Target
    from pipelines.sessions.steps import CallStep
    from schemas.shared_columns import Naming

Row = dict[str, Any]
MAX_VALUES: Final = 65_536
"""Last known values of objects of one server."""
_MGMT_ACTIONS: Final = frozenset(("CONNECT", "DISCONNECT", "TIDY", "PAUSE", "RESUME", "EOD_RESEND"))


@dataclass(frozen=True, slots=True)
class _Act:
    action: str
    target: Callable[[CallStep], Target]
    sets: bool = False
    """The values in the request hold from now on, if it succeeds."""


class AdminActions:
    def __init__(self, server: str) -> None:
        self._server = server
        self._values: Recent[tuple[str, str], tuple[str, str]] = Recent(MAX_VALUES)
        """(object, property) to its last known value and the call that showed it."""

    def see(self, step: CallStep, asker: Asker | None = None) -> Row | None:
        """`asker`: on whose behalf its client made the call."""
        act = _ACTS.get(step.call.method)
        if act is None:
            return None
        row = self._row(step, act)
        if asker is not None and row["opened_for"] is None:
            row |= asked_by(asker.call)
            row["naming_doubt"] = row["naming_doubt"] or asker.doubt
        return row

    def _row(self, step: CallStep, act: _Act) -> Row:
        call, target = step.call, act.target(step)
        action, detail = act.action, None
        if call.method == v.ACTION:
            action, detail = _managed_action(step)
        session = target.session
        refused = (step.failed or _is_win32_error(call)) and not call.given_up
        outcome = "success" if step.succeeded else "failure" if refused else "unknown"
        return {
            "call_uid": call.call_uid,
            **place_of(call),
            "endpoint": call.endpoint,
            "operation": call.operation,
            "action": action,
            "is_query": action == "query",
            "target_type": target.kind,
            "target": target.name,
            **_queue(act, target),
            "session_uid": session.session_uid if session and session.kind is not SessionKind.HANDSHAKE else None,
            **for_whom(session),
            "username": call.username,
            "domain": call.domain,
            "auth_type": call.auth_type,
            "auth_level": call.auth_level,
            "outcome": outcome,
            "status": call.status,
            "status_name": _named(call),
            "changes": self._changes(step, act, target),
            "detail": detail,
            "doubt": _doubt(call, None if session is None else step.session_doubt or step.number_doubt),
            "request_frames": list(call.request_frames),
            "response_frames": list(call.response_frames),
            "capture_id": call.capture_id,
        }

    def _changes(self, step: CallStep, act: _Act, target: Target) -> list[Row] | None:
        told = (step.call.in_words or {}).get("values")
        if not told:
            return None
        known = queue_names(target.name, self._server, owned=True)
        keys = sorted(known.keys) if known else [str(target.name).lower()]
        holds = step.succeeded and (act.sets or act.action == "query")
        return [self._change(keys, name, new, step.call, holds=holds, sets=act.sets) for name, new in told]

    def _change(self, keys: list[str], name: str, new: str, call: CallFact, *, holds: bool, sets: bool) -> Row:
        found = (self._values.get((key, name)) for key in keys)
        before = next((one for one in found if one is not None), None) if sets else None
        if holds:
            for key in keys:
                self._values.put((key, name), (new, call.call_uid))
        old, by = before or (None, None)
        return {"name": name, "old": old, "new": new, "old_call_uid": by}


def _queue(act: _Act, target: Target) -> Naming:
    if act.target is opened:
        return queue_of(target.session)
    return named_by_call(target.name if target.kind == "queue" else None)


def _managed_action(step: CallStep) -> tuple[str, str | None]:
    asked = step.request.get("lpwszAction")
    if not isinstance(asked, str):
        return "other", "the action was not captured"
    # [MS-MQMR] 3.1.4.2: upper and lower case are the same.
    return (asked.lower(), None) if asked.upper() in _MGMT_ACTIONS else ("other", asked[:200])


def _named(call: CallFact) -> str | None:
    if call.fault is not None:
        return fault_name(call.fault)
    return None if call.status is None else status_name(call.status, call.endpoint or "")


def _is_win32_error(call: CallFact) -> bool:
    """[MS-MQMR] 3: qmmgmt may answer any nonzero Win32 code, which has no severity bit."""
    return call.endpoint == QMMGMT.name and bool(call.status)


def _doubt(call: CallFact, of_session: Reason | None) -> str | None:
    if call.source != BindingSource.BIND:
        return str(Reason.BIND_NOT_SEEN)
    reason = request_hidden(call) or response_hidden(call) or of_session
    return None if reason is None else str(reason)


_ACTS: Final[dict[Method, _Act]] = {
    v.ACTION: _Act("other", managed),
    v.GET_INFO: _Act("query", managed),
    v.PURGE: _Act("purge", opened),
    v.REMOTE_PURGE: _Act("purge", opened),
    v.AC_PURGE: _Act("purge", opened),
    v.CREATE_OBJECT: _Act("create", created, sets=True),
    v.DELETE_OBJECT: _Act("delete", object_of),
    v.SET_PROPERTIES: _Act("set_properties", object_of, sets=True),
    v.SET_SECURITY: _Act("set_security", object_of, sets=True),
    v.GET_PROPERTIES: _Act("query", object_of),
    v.GET_SECURITY: _Act("query", object_of),
    **{
        (DSCOMM.name, f"S_DS{name}{by}"): _Act(
            action, in_directory, sets=action in ("create", "set_properties", "set_security")
        )
        for name, action in (
            ("CreateObject", "create"),
            ("DeleteObject", "delete"),
            ("SetProps", "set_properties"),
            ("SetObjectSecurity", "set_security"),
            ("GetProps", "query"),
            ("GetObjectSecurity", "query"),
        )
        for by in (("", "Guid") if name != "CreateObject" else ("",))
    },
    (DSCOMM2.name, "S_DSGetPropsEx"): _Act("query", in_directory),
    (DSCOMM2.name, "S_DSGetPropsGuidEx"): _Act("query", in_directory),
    (DSCOMM.name, "S_DSQMGetObjectSecurity"): _Act("query", in_directory),
    (DSCOMM.name, "S_DSQMSetMachineProperties"): _Act("set_properties", machine_in_directory, sets=True),
}
