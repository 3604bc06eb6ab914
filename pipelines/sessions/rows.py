"""Rows of `sessions` and `reads`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pipelines.decode.times import micros, nanos
from pipelines.facts.model import END
from pipelines.facts.vocabulary import ACTIONS
from pipelines.sessions.model import ReadOutcome
from pipelines.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import ReadStep, SessionStep

Row = dict[str, Any]


def session_row(step: SessionStep) -> Row:
    session = step.session
    first = session.first
    outcomes, disclosed = session.outcomes, session.disclosed
    return {
        "session_uid": session.session_uid,
        "uid": first.uid,
        "id": first.ends._asdict(),
        "endpoint": first.endpoint,
        "ts": micros(first.began.ts_ns),
        "ts_ns": nanos(first.began.ts_ns),
        "opened_ts": micros(session.opened.until.ts_ns) if session.opened else None,
        "closed_ts": _micros(session.closed_at),
        "state": str(session.state),
        "doubt": _text(session.doubt),
        "handle": session.handle,
        "queue_handle": session.queue_handle,
        "queue_name": None,
        "client_qm": session.client_qm,
        "username": first.username,
        "domain": first.domain,
        "peeks": session.peeks,
        "receives": session.receives,
        **{str(outcome): outcomes.get(outcome, 0) for outcome in ReadOutcome if outcome is not ReadOutcome.PEEKED},
        "purges": session.purges,
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
        "ts": micros(call.began.ts_ns),
        "ts_ns": nanos(call.began.ts_ns),
        "uid": call.uid,
        "id": call.ends._asdict(),
        "start_call_uid": _call_uid(read.start),
        "end_call_uid": _call_uid(read.end or read.cancel),
        "action": action,
        "request_id": read.request_id,
        "handle": read.handle,
        "lookup_id": _decimal(read.lookup_id),
        "sequential_id": _decimal(read.sequential_id) if read.message_bytes else None,
        "outcome": str(read.outcome),
        "doubt": _text(read.doubt),
        "message_bytes": read.message_bytes,
        "message_sha256": read.message_sha256,
        "message_label": None,
        "arrived_ts": None if read.arrived is None else dt.datetime.fromtimestamp(read.arrived, dt.UTC),
        "ended_ts": None if read.outcome is ReadOutcome.UNFINISHED else _micros(read.finished),
        "capture_id": call.capture_id,
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
