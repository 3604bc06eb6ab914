"""Rows of `sessions`, `reads`, `sends`, `transactions` and `message_sightings` of what was done through objects."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from pipelines.com.answers import unsure
from pipelines.facts.reasons import Reason
from pipelines.mqac.naming import naming_of
from pipelines.mqac.sightings import content_of, seen_bytes
from pipelines.sessions.model import ReadOutcome, SessionState
from pipelines.sessions.rows import in_transaction, micros_of, place_of, text_of, uid_of
from schemas.times import micros, nanos
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import CallFact, Moment
    from pipelines.mqac.acts import Read, Sent, Unit
    from pipelines.mqac.objects import MessageState, QueueState

Row = dict[str, Any]
SESSION_ENDPOINT: Final = "IMSMQQueue"
"""Whatever its revision: they share their meaning."""
_RUN_DOWN: Final = frozenset(("unpinged", "pinged_out", "exporter_replaced"))
"""[MS-DCOM] 3.1.2.6: the object is gone without its client's having given it back."""
_MAY_HAVE_ENDED_OTHERWISE: Final = (SessionState.CLOSED, SessionState.RUNDOWN, SessionState.OPEN_AT_END)
_COUNTS: Final = (
    *("peeks", "receives", "unknown_reads", *map(str, ReadOutcome), "purges", "moves", "sends", "sent_bytes"),
    *("message_bytes", "peeked_bytes", "acked_bytes", "nacked_bytes", "rundown_bytes", "unfinished_bytes"),
)
_FOR_NOBODY: Final = {"opened_for": None, "opened_for_username": None, "opened_for_domain": None}
NOTHING_GIVEN: Final = frozenset((ReadOutcome.TIMED_OUT, ReadOutcome.FAILED, ReadOutcome.CANCELLED))


def session_row(queue: QueueState, doubt: Reason | None) -> Row:
    """`doubt`: why it may go on."""
    first = queue.opened or queue.first
    state, closed_at, by = _ended(queue)
    unseen = queue.unseen or doubt
    if unseen is None and queue.closed is not None:
        unseen = unsure(queue.closed)
    if unseen is None and queue.closed is None and state in _MAY_HAVE_ENDED_OTHERWISE:
        unseen = queue.kept() if state is SessionState.CLOSED else queue.missed()
    return {
        "session_uid": queue.session_uid,
        **place_of(first),
        "endpoint": SESSION_ENDPOINT,
        "opened_ts": micros(queue.opened.until.ts_ns) if queue.opened else None,
        "closed_ts": micros_of(closed_at),
        "open_call_uid": uid_of(queue.opened),
        "close_call_uid": by,
        "state": str(state),
        "severed_by": None,
        "doubt": text_of(unseen),
        "counts_doubt": text_of(_uncounted(queue)),
        "handle": None,
        "queue_handle": None,
        "object_uid": queue.object.object_uid,
        **naming_of(queue.queue, queue.naming_doubt),
        "other_names": None,
        "addressed": 0,
        **_FOR_NOBODY,
        "link_uid": None,
        "link_doubt": None,
        "access": queue.access,
        "share_mode": queue.share_mode,
        "client_qm": None,
        "username": first.username,
        "domain": first.domain,
        **{name: queue.counts.get(name, 0) for name in _COUNTS},
        "purges": queue.purges,
        "capture_id": first.capture_id,
    }


def _ended(queue: QueueState) -> tuple[SessionState, Moment | None, str | None]:
    """And when, and by which call."""
    one = queue.object
    if queue.closed is not None:
        return SessionState.CLOSED, queue.closed_at, queue.closed.call_uid
    if one.end == "released":
        return SessionState.CLOSED, one.over, one.over_by
    if one.end in _RUN_DOWN:
        return SessionState.RUNDOWN, one.over, None
    return SessionState.OPEN_AT_END if queue.opened else SessionState.OPEN_NOT_SEEN, None, None


def _uncounted(queue: QueueState) -> Reason | None:
    if queue.uncounted is not None or queue.opened is None:
        return queue.uncounted or Reason.OPEN_NOT_SEEN
    return queue.missed()


def read_rows(read: Read) -> tuple[Row, Row | None]:
    """And the sighting of its message."""
    call, outcome, message = read.call, read.outcome, read.message
    queue, unit = read.queue, read.unit
    content = content_of(message, call.call_uid) if message is not None else {}
    given = message is not None and call.answered is not None
    row = {
        "read_uid": derived_uid("D", call.call_uid),
        "session_uid": queue.session_uid,
        **place_of(call),
        "endpoint": SESSION_ENDPOINT,
        "username": call.username,
        "domain": call.domain,
        **_FOR_NOBODY,
        **naming_of(queue.queue, queue.naming_doubt),
        "given_ts": micros_of(call.until) if given else None,
        "start_call_uid": call.call_uid,
        "end_call_uid": uid_of(unit.ended) if unit is not None and read.at_once is None else None,
        "action": read.action,
        "request_id": None,
        "handle": None,
        "cursor": None,
        "cursor_call_uid": None,
        "lookup_id": None if read.lookup_id is None else Decimal(read.lookup_id),
        "sequential_id": None,
        "outcome": str(outcome),
        "doubt": text_of(read.doubted()),
        "message_bytes": None if read.body is None else read.disclosed,
        "message_sha256": None,
        "message_id": content.get("message_id"),
        "message_uid": content.get("message_uid"),
        "message_label": content.get("label"),
        **in_transaction(unit.uow if unit else None, unit),
        "arrived_ts": content.get("arrived_ts"),
        "ended_ts": None if outcome is ReadOutcome.UNFINISHED else micros_of(_read_ended(read)),
        "capture_id": call.capture_id,
    }
    if message is None:
        return row, None
    seen_as = "received" if read.removes else "peeked"
    return row, _sighting(call, call.until, seen_as, read.action, message, content, read.unseen)


def _read_ended(read: Read) -> Moment | None:
    if read.at_once is not None or read.unit is None:
        return read.call.until
    return read.unit.ended_at


def send_rows(sent: Sent) -> tuple[Row, Row | None]:
    call, unit = sent.call, sent.unit
    content = content_of(sent.message, call.call_uid)
    row = {
        "call_uid": call.call_uid,
        **place_of(call),
        "operation": "Send",
        "username": call.username,
        "domain": call.domain,
        "session_uid": sent.queue.session_uid if sent.queue is not None else None,
        **naming_of(sent.identity),
        "message_id": content["message_id"],
        "message_uid": content["message_uid"],
        "message_label": content["label"],
        "message_bytes": content["body_size"],
        **in_transaction(unit.uow if unit else None, unit),
        "outcome": sent.outcome,
        "doubt": text_of(sent.doubted()),
        "status": sent.code if call.fault is None else None,
        "capture_id": call.capture_id,
    }
    content["destination_queue"] = content["destination_queue"] or (sent.identity.name if sent.identity else None)
    return row, _sighting(call, call.began, "sent", "Send", sent.message, content, sent.unseen)


def _sighting(
    call: CallFact,
    at: Moment,
    seen_as: str,
    operation: str,
    message: MessageState,
    content: Mapping[str, Any],
    doubt: Reason | None,
) -> Row:
    body, size = seen_bytes(message)
    said = {name: value for name, value in content.items() if name != "arrived_ts"}
    return {
        "call_uid": call.call_uid,
        **said,
        "complete": said["complete"] and doubt is None,
        "doubt": text_of(doubt),
        "operation": operation,
        "seen_as": seen_as,
        "message_bytes": size,
        "message_sha256": None,
        "sections": None,
        "body": body,
        "object_uid": message.object.object_uid,
        "ts": micros(at.ts_ns),
        "ts_ns": nanos(at.ts_ns),
        "uid": call.uid,
        "id": call.ends.id,
        "username": call.username,
        "domain": call.domain,
        "capture_id": call.capture_id,
    }


def unit_row(unit: Unit) -> Row:
    of = unit.begun or unit.first
    names = {queue.queue.name for queue in unit.sessions.values()}
    kind = None if unit.internal is None else "internal" if unit.internal else "external"
    return {
        "transaction_uid": unit.uid,
        "transaction": unit.uow,
        **place_of(of),
        "username": of.username,
        "domain": of.domain,
        "began_ts": micros(unit.begun.until.ts_ns) if unit.begun else None,
        "ended_ts": micros_of(unit.ended_at),
        "kind": kind,
        "outcome": str(unit.outcome),
        "doubt": text_of(unit.doubt or unit.missed()),
        "enlistments": 0,
        "reads": unit.reads,
        "sends": unit.sends,
        "moves": 0,
        "rejects": 0,
        "clients": list(unit.clients),
        "queue_names": sorted(name for name in names if name is not None),
        "session_uids": sorted(unit.sessions),
        "begin_call_uid": uid_of(unit.begun),
        "end_call_uid": uid_of(unit.ended),
        "capture_id": of.capture_id,
    }
