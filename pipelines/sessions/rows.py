"""Rows of `sessions`, `reads` and `moves`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from pipelines.decode.times import micros, nanos
from pipelines.facts.model import END
from pipelines.facts.vocabulary import ACTIONS, MQ_OK
from pipelines.sessions.model import Kind, ReadOutcome, SessionState
from pipelines.sessions.naming import for_whom, queue_of
from pipelines.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import MoveStep, ReadStep, SessionStep

Row = dict[str, Any]
ENDPOINTS: Final = {Kind.SESSION: "qm2qm", Kind.REMOTE_READ: "RemoteRead", Kind.QUEUE: "qmcomm"}
_ENDPOINTS_OF_READS: Final = {"qm2qm": "qm2qm", "RemoteRead": "RemoteRead", "qmcomm2": "qmcomm", "qmcomm": "qmcomm"}


def place_of(call: CallFact) -> Row:
    return {
        "ts": micros(call.began.ts_ns),
        "ts_ns": nanos(call.began.ts_ns),
        "uid": call.uid,
        "id": call.ends._asdict(),
    }


def session_row(step: SessionStep) -> Row:
    session = step.session
    first = session.first
    outcomes, disclosed = session.outcomes, session.disclosed
    return {
        "session_uid": session.session_uid,
        **place_of(first),
        "endpoint": ENDPOINTS[session.kind],
        "opened_ts": micros(session.opened.until.ts_ns) if session.opened else None,
        "closed_ts": _micros(session.closed_at),
        "open_call_uid": _call_uid(session.opened),
        "close_call_uid": _call_uid(session.closed),
        "state": str(session.state),
        "severed_by": _text(session.severance) if session.state is SessionState.RUNDOWN else None,
        "doubt": _text(session.doubt),
        "handle": session.handle,
        "queue_handle": session.queue_handle,
        **_naming(session),
        "access": session.access,
        "share_mode": session.share_mode,
        "client_qm": session.client_qm,
        "username": first.username,
        "domain": first.domain,
        "peeks": session.peeks,
        "receives": session.receives,
        **{str(outcome): outcomes.get(outcome, 0) for outcome in ReadOutcome},
        "purges": session.purges.count,
        "moves": session.moves,
        "sends": session.sends.count,
        "sent_bytes": session.sent_bytes,
        "message_bytes": sum(disclosed.values()),
        **{
            f"{outcome}_bytes": disclosed.get(outcome, 0)
            for outcome in (ReadOutcome.PEEKED, ReadOutcome.ACKED, ReadOutcome.NACKED, ReadOutcome.RUNDOWN)
        },
        "unfinished_bytes": _other_bytes(session),
        "capture_id": first.capture_id,
    }


def read_row(step: ReadStep) -> Row:
    read, call = step.read, step.call
    action = None if read.action is None else ACTIONS.get(read.action, f"0x{read.action:08x}")
    return {
        "read_uid": derived_uid("D", call.call_uid),
        "session_uid": read.session.session_uid if read.session else None,
        **place_of(call),
        "endpoint": _ENDPOINTS_OF_READS[call.endpoint or ""],
        "username": call.username,
        "domain": call.domain,
        **for_whom(read.session),
        **queue_of(read.session),
        "given_ts": _given(read),
        "start_call_uid": _call_uid(read.start),
        "end_call_uid": _call_uid(read.end or read.cancel),
        "action": action,
        "request_id": read.request_id,
        "handle": read.handle,
        "cursor": read.cursor,
        "cursor_call_uid": _call_uid(read.cursor_made),
        "lookup_id": _decimal(read.lookup_id),
        "sequential_id": _decimal(read.sequential_id) if read.message_bytes else None,
        "outcome": str(read.outcome),
        "doubt": _text(read.doubt),
        "message_bytes": read.message_bytes,
        "message_sha256": read.message_sha256,
        "message_id": read.message_id,
        "message_uid": derived_uid("M", read.message_id or call.call_uid) if read.message_bytes else None,
        "message_label": read.message_label,
        "transaction": read.uow,
        "transaction_uid": None,
        "transaction_outcome": _text(read.transaction_state),
        "arrived_ts": None if read.arrived is None else dt.datetime.fromtimestamp(read.arrived, dt.UTC),
        "ended_ts": None if read.outcome is ReadOutcome.UNFINISHED else _micros(read.finished),
        "capture_id": call.capture_id,
    }


def _given(read: Read) -> int | None:
    """Clocks of captures may go back: nothing is given before it is asked for."""
    if not read.message_bytes or read.answered is None:
        return None
    return _micros(max(read.began, read.answered))


def move_row(step: MoveStep) -> Row:
    call, session, target = step.call, step.session, step.target
    failed = call.fault is not None or call.status not in (None, MQ_OK)
    shown = step.shown.message_id if step.shown else None
    return {
        "call_uid": call.call_uid,
        **place_of(call),
        "username": call.username,
        "domain": call.domain,
        "session_uid": session.session_uid if session else None,
        "target_session_uid": target.session_uid if target else None,
        "queue_name": session.queue_name if session else None,
        "target_queue_name": target.queue_name if target else None,
        "lookup_id": _decimal((call.request or {}).get("LookupId")),
        "message_id": shown,
        "message_uid": derived_uid("M", shown) if shown else None,
        "transaction": step.uow,
        "transaction_uid": None,
        "transaction_outcome": None,
        "outcome": "failure" if failed else "success" if call.status == MQ_OK else "unknown",
        "status": call.status,
        "capture_id": call.capture_id,
    }


def _naming(session: Session) -> Row:
    behind = session.behind
    server = session.first.server
    ends = (behind.pair.client, session.pair.client) if behind else (session.pair.client, server)
    number = session.queue_handle if behind else session.remote_handle
    return {
        **queue_of(session),
        **for_whom(session),
        "other_names": None,
        "addressed": 0,
        "link_uid": None if number is None else derived_uid("L", f"{ends[0]}|{ends[1]}|{number}"),
    }


def _other_bytes(session: Session) -> int:
    """Of a message that left although the read was cancelled, refused or never ended."""
    told = (ReadOutcome.PEEKED, ReadOutcome.ACKED, ReadOutcome.NACKED, ReadOutcome.RUNDOWN)
    return sum(size for outcome, size in session.disclosed.items() if outcome not in told)


def _micros(moment: Moment | None) -> int | None:
    return None if moment is None or moment == END else micros(moment.ts_ns)


def _call_uid(call: CallFact | None) -> str | None:
    return None if call is None else call.call_uid


def _decimal(number: int | None) -> Decimal | None:
    return None if number is None else Decimal(number)


def _text(reason: object) -> str | None:
    return None if reason is None else str(reason)
