"""Rows of `sessions` and `reads`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Protocol

from pipelines.facts.model import END
from pipelines.facts.vocabulary import ACTIONS
from pipelines.sessions.counting import counts_doubt
from pipelines.sessions.model import ReadOutcome, SessionKind, SessionState, TransactionState
from pipelines.sessions.naming import for_whom, naming, queue_of
from schemas.times import micros, nanos
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import ReadStep, SessionStep

Row = dict[str, Any]
ENDPOINTS: Final = {SessionKind.SESSION: "qm2qm", SessionKind.REMOTE_READ: "RemoteRead", SessionKind.QUEUE: "qmcomm"}
_ENDPOINTS_OF_READS: Final = {"qm2qm": "qm2qm", "RemoteRead": "RemoteRead", "qmcomm2": "qmcomm", "qmcomm": "qmcomm"}


def place_of(call: CallFact) -> Row:
    return {
        "ts": micros(call.began.ts_ns),
        "ts_ns": nanos(call.began.ts_ns),
        "uid": call.uid,
        "id": call.ends.id,
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
        "closed_ts": micros_of(session.closed_at),
        "open_call_uid": uid_of(session.opened),
        "close_call_uid": uid_of(session.closed),
        "state": str(session.state),
        "severed_by": text_of(session.severance) if session.state is SessionState.RUNDOWN else None,
        "doubt": text_of(session.doubt),
        "counts_doubt": text_of(counts_doubt(session)),
        "handle": session.handle,
        "queue_handle": session.queue_handle,
        **naming(session),
        "access": session.access,
        "share_mode": session.share_mode,
        "client_qm": session.client_qm,
        "username": first.username,
        "domain": first.domain,
        "peeks": session.peeks,
        "receives": session.receives,
        "unknown_reads": session.unknown_reads,
        **{str(outcome): outcomes.get(outcome, 0) for outcome in ReadOutcome},
        "purges": session.purges,
        "moves": session.moves,
        "sends": session.sends,
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
        "start_call_uid": uid_of(read.start),
        "end_call_uid": uid_of(read.end or read.cancel),
        "action": action,
        "request_id": read.request_id,
        "handle": read.handle,
        "cursor": read.cursor,
        "cursor_call_uid": uid_of(read.cursor_made),
        "lookup_id": decimal_of(read.lookup_id),
        "sequential_id": decimal_of(read.sequential_id) if read.message_bytes else None,
        "outcome": str(read.outcome),
        "doubt": text_of(read.doubt),
        "message_bytes": read.message_bytes,
        "message_sha256": read.message_sha256,
        "message_id": read.message_id,
        "message_uid": derived_uid("M", read.message_id or call.call_uid) if read.message_bytes else None,
        "message_label": read.message_label,
        **in_transaction(read.uow, read.unit),
        "arrived_ts": None if read.arrived is None else dt.datetime.fromtimestamp(read.arrived, dt.UTC),
        "ended_ts": None if read.outcome is ReadOutcome.UNFINISHED else micros_of(read.finished),
        "capture_id": call.capture_id,
    }


def _given(read: Read) -> int | None:
    """Clocks of captures may go back: nothing is given before it is asked for."""
    if not read.message_bytes or read.answered is None:
        return None
    return micros_of(max(read.began, read.answered))


class Decided(Protocol):
    """Something that things are done in, and that undoes them or not."""

    @property
    def uid(self) -> str: ...

    outcome: TransactionState


def in_transaction(uow: str | None, unit: Decided | None) -> Row:
    """The columns IN_TRANSACTION."""
    return {
        "transaction": uow,
        "transaction_uid": unit.uid if unit else None,
        "transaction_outcome": None if uow is None else str(unit.outcome if unit else TransactionState.UNKNOWN),
    }


def _other_bytes(session: Session) -> int:
    """Of a message that left although the read was cancelled, refused or never ended."""
    told = (ReadOutcome.PEEKED, ReadOutcome.ACKED, ReadOutcome.NACKED, ReadOutcome.RUNDOWN)
    return sum(size for outcome, size in session.disclosed.items() if outcome not in told)


def micros_of(moment: Moment | None) -> int | None:
    return None if moment is None or moment == END else micros(moment.ts_ns)


def uid_of(call: CallFact | None) -> str | None:
    return None if call is None else call.call_uid


def decimal_of(number: int | None) -> Decimal | None:
    return None if number is None else Decimal(number)


def text_of(reason: object) -> str | None:
    return None if reason is None else str(reason)
