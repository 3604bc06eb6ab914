"""qm2qm's calls to sessions and reads: [MS-MQQP] 3.1.4, as the wire shows it.

Two kinds of handle tie calls together. Context handles name a session from open to close and a read from start to end;
plain numbers (hQueue and its like) name the queue in every other call. Both are used again after close: time decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.sessions.ending import Ending
from pipelines.sessions.model import Read, ReadOutcome, Session
from pipelines.sessions.registry import Registry
from pipelines.sessions.steps import descriptor
from pipelines.uids import derived_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.facts.model import Moment
    from pipelines.sessions.model import Association, Pair
    from pipelines.sessions.steps import CallStep, Step

Values = dict[str, Any]
MAX_SESSIONS: Final = 4_096
"""Open ones of one client. Past it the oldest ends, in doubt: a peer may name any number of queues."""
MAX_OUTSTANDING: Final = 4_096
MAX_CURSORS: Final = 1_024
_CANCELLED: Final = frozenset((v.MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT, v.MQ_ERROR_OPERATION_CANCELLED))


class Queues:
    def __init__(self) -> None:
        self._registry = Registry()
        self._ending = Ending(self._registry)
        self._on_asked: Final[dict[str, Callable[[CallStep], None]]] = {
            **dict.fromkeys(v.STARTS, self._start_asked),
            v.END: self._end_asked,
            v.OPEN: self._open_asked,
            v.CLOSE: self._close_asked,
            v.CANCEL: self._cancel_asked,
            v.CLOSE_CURSOR: self._cursor_asked,
            v.PURGE: self._names_queue,
            v.VERSION: self._version_asked,
        }
        self._on_answered: Final[dict[str, Callable[[CallStep, Moment], None]]] = {
            **dict.fromkeys(v.STARTS, self._start_answered),
            v.END: self._end_answered,
            v.OPEN: self._open_answered,
            v.CLOSE: self._close_answered,
            v.CANCEL: self._cancel_answered,
            v.CLOSE_CURSOR: self._cursor_answered,
            v.PURGE: self._purge_answered,
            v.PORT: self._port_answered,
        }

    def asked(self, step: CallStep) -> None:
        """Find what the call refers to, and note what it begins."""
        handler = self._on_asked.get(step.call.operation or "")
        if handler is not None and step.call.request is not None:
            handler(step)

    def answered(self, step: CallStep, moment: Moment) -> None:
        """What the answer, or its absence, changes; the steps that this ends are told after the call's own."""
        handler = self._on_answered.get(step.call.operation or "")
        if handler is not None:
            handler(step, moment)
        if step.session is not None:
            step.session.last = step.call

    def told(self) -> Iterator[Step]:
        return self._ending.told()

    def severed(self, pair: Pair, over: list[Association], moment: Moment) -> Iterator[Step]:
        for association in over:
            self._ending.severed(pair, association, moment)
        return self._ending.told()

    def capture_ended(self, pair: Pair) -> Iterator[Step]:
        self._ending.capture_ended(pair)
        return self._ending.told()

    # What calls refer to

    def _names_queue(self, step: CallStep) -> None:
        self._refer(step, step.request.get("hQueue", 0))

    def _refer(self, step: CallStep, queue_handle: int) -> None:
        """Find the session of a queue handle; where the client has none open, one whose opening was not seen."""
        pair = step.pair
        sessions = pair.by_queue.get(queue_handle)
        if sessions:
            association = step.connection.association if step.connection else None
            own = [session for session in sessions if session.association is association]
            step.session = own[-1] if own else sessions[-1]
            step.other_association = not own
            return
        step.first_seen = True
        step.opening = queue_handle in pair.opening
        step.past_session = pair.past_sessions.get(queue_handle)
        step.foreign = self._registry.session_of_another(pair, queue_handle)

    def _adopt(self, step: CallStep, queue_handle: int | None, handle: str | None = None) -> Session:
        """A session for a call that the server accepted although its opening was not seen."""
        uid = derived_uid("S", step.call.call_uid)
        session = Session(uid, step.pair, step.call, None, handle, queue_handle)
        self._register(step, session)
        return session

    def _register(self, step: CallStep, session: Session) -> None:
        standing = step.pair.by_queue.get(session.queue_handle or 0)
        if session.opened is not None and standing and standing[-1].opened is None:
            self._ending.superseded(standing[-1], session.first.until)
        self._registry.enlist(session)
        if step.connection is not None:
            session.association = step.connection.association
            sessions = session.association.sessions
            sessions[id(session)] = session
            if len(sessions) > MAX_SESSIONS:
                self._ending.forgotten(next(iter(sessions.values())), session.first.until)

    # Starts

    def _start_asked(self, step: CallStep) -> None:
        desc = step.desc or {}
        queue_handle = desc.get("hRemoteQueue", 0)
        self._refer(step, queue_handle)
        action = desc.get("ulAction", 0)
        read = Read(
            step.call,
            step.pair,
            step.session,
            action=action,
            request_id=desc.get("dwRequestID", 0),
            lookup_id=step.request.get("LookupId"),
            timeout_ms=desc.get("ulTimeout", 0),
            is_peek=action not in v.RECEIVING,
        )
        step.read = read
        session = step.session
        if session is not None and read.request_id is not None:
            step.rival = session.outstanding.get(read.request_id)
            self._outstand(session, read)
        cursor = desc.get("hCursor", 0)
        if session is not None and cursor and not step.other_association:
            step.closed_cursor = session.closed_cursors.get(cursor)
            if len(session.cursors) < MAX_CURSORS:
                session.cursors.setdefault(cursor, step.call)
        if step.connection is not None:
            read.association = step.connection.association
            read.association.reads[id(read)] = read

    def _outstand(self, session: Session, read: Read) -> None:
        session.open_reads += 1
        if read.request_id is not None and len(session.outstanding) < MAX_OUTSTANDING:
            session.outstanding.setdefault(read.request_id, read)

    def _start_answered(self, step: CallStep, moment: Moment) -> None:
        read, call = step.read, step.call
        if read is None:
            return
        self._settle_session(step, (step.desc or {}).get("hRemoteQueue", 0))
        if read.session is None and step.session is not None:
            read.session = step.session
            self._outstand(step.session, read)
        self._note_cursor(step)
        if call.answered is None:
            # Its connection ends with it: then it is known how.
            return
        read.answered = call.answered
        desc = descriptor(call.response) or {}
        read.sequential_id = ((call.response or {}).get("lpRemoteReadDesc2") or {}).get("SequentialId")
        buffer = desc.get("lpBuffer") or {}
        handle = (call.response or {}).get("pphContext")
        succeeded, unknown = call.status == v.MQ_OK, call.status is None and call.fault is None
        if buffer.get("size"):
            read.message_bytes, read.message_sha256 = buffer["size"], buffer.get("sha256")
        if succeeded:
            read.arrived = desc.get("dwArriveTime") or None
        if unknown:
            read.doubt = Reason.RESPONSE_NOT_CAPTURED
        if (succeeded or unknown) and not read.is_peek and handle is not None:
            self._registry.hold(read, handle)
            return
        # A handle that no end may be called with; kept to recognise it.
        read.handle = handle
        outcome = ReadOutcome.UNFINISHED if unknown else _start_outcome(step, read)
        self._ending.read(read, outcome, moment)

    def _settle_session(self, step: CallStep, queue_handle: int) -> None:
        """After the answer: a queue that the server knows is open, whoever saw the opening."""
        if step.session is None and step.call.status == v.MQ_OK:
            sessions = step.pair.by_queue.get(queue_handle)
            step.session = sessions[-1] if sessions else self._adopt(step, queue_handle)

    def _note_cursor(self, step: CallStep) -> None:
        cursor, session = (step.desc or {}).get("hCursor", 0), step.session
        if not cursor or session is None or step.other_association:
            return
        if step.succeeded:
            session.closed_cursors.drop(cursor)
            if step.first_seen:
                session.cursors.setdefault(cursor, step.call)
        elif session.cursors.get(cursor) is step.call:
            # Refused: it proves no cursor.
            del session.cursors[cursor]

    # Ends and cancels

    def _end_asked(self, step: CallStep) -> None:
        handle = step.request.get("pphContext")
        if handle is None:
            return
        read = step.pair.reads.get(handle)
        if read is not None:
            step.session = read.session
            # Of two ends under way, the second is one too many.
            read.end_asked = True
            if read.given_up is None or read.given_up.operation != v.END:
                step.read, read.given_up = read, step.call
            else:
                step.past_read = read
            return
        step.past_read = step.pair.past_reads.get(handle)
        step.foreign_read = self._registry.read_of_another(step.pair, handle)

    def _end_answered(self, step: CallStep, moment: Moment) -> None:
        read, call = step.read, step.call
        if step.failed and read is not None and read.given_up is call:
            read.given_up = None
        if step.failed or call.request is None or call.request.get("pphContext") is None:
            return
        acked = call.request.get("dwAck") == v.RR_ACK
        outcome = ReadOutcome.ACKED if acked else ReadOutcome.NACKED
        if read is None:
            if call.status != v.MQ_OK or step.past_read is not None or step.foreign_read is not None:
                return
            # Its start was not seen; that a message left the queue is worth a row all the same.
            read = step.read = Read(None, step.pair, None, handle=call.request["pphContext"])
            read.end = call
            self._ending.read(read, outcome, moment)
            return
        if read.is_over:
            return
        read.end = call
        self._ending.read(read, outcome, moment, unanswered=call.status is None)

    def _cancel_asked(self, step: CallStep) -> None:
        self._names_queue(step)
        request_id = step.request.get("dwRequestID", 0)
        if step.session is not None:
            step.read = step.session.outstanding.get(request_id)
            if step.read is not None:
                step.read.given_up = step.read.given_up or step.call
                step.read.end_asked = True
            else:
                step.past_read = step.session.finished.get(request_id)

    def _cancel_answered(self, step: CallStep, moment: Moment) -> None:
        self._settle_session(step, step.request.get("hQueue", 0))
        read = step.read
        if read is None or not step.succeeded or read.is_over:
            return
        read.cancel = step.call
        if read.holds_message:
            read.end = step.call
            self._ending.read(read, ReadOutcome.CANCELLED, moment)

    # Sessions

    def _open_asked(self, step: CallStep) -> None:
        step.pair.opening.append(step.request.get("hQueue", 0))

    def _open_answered(self, step: CallStep, _: Moment) -> None:
        call, asked = step.call, step.call.request
        if asked is not None:
            step.pair.opening.remove(asked.get("hQueue", 0))
        if call.status != v.MQ_OK or asked is None or not call.response_whole:
            return
        uid = derived_uid("S", call.call_uid)
        handle = (call.response or {}).get("phContext")
        session = Session(uid, step.pair, call, call, handle, asked.get("hQueue", 0))
        session.p_queue, session.context = asked.get("pQueue", 0), asked.get("dwpContext", 0)
        session.client_qm = asked.get("pLicGuid")
        self._register(step, session)
        step.session = session

    def _close_asked(self, step: CallStep) -> None:
        handle = step.request.get("pphContext")
        if handle is None:
            return
        step.session = step.pair.by_handle.get(handle)
        if step.session is not None:
            step.session.close_asked = True
            return
        step.past_session = step.pair.past_sessions.get(handle)
        step.foreign = self._registry.session_of_another(step.pair, handle)

    def _close_answered(self, step: CallStep, moment: Moment) -> None:
        call, session = step.call, step.session
        handle = step.request.get("pphContext")
        if step.failed or handle is None:
            return
        if session is None:
            if call.status != v.MQ_OK or step.past_session is not None or step.foreign is not None:
                return
            session = step.session = self._adopt(step, None, handle)
        if session.is_over or session.closed is not None:
            return
        session.closed = call
        self._ending.closed(session, moment, unanswered=call.status is None)

    def _cursor_asked(self, step: CallStep) -> None:
        self._names_queue(step)
        cursor = step.request.get("hCursor", 0)
        if step.session is not None:
            step.closed_cursor = step.session.closed_cursors.get(cursor)
        if step.session is not None and cursor in step.session.cursors:
            del step.session.cursors[cursor]
            step.session.cursors_closed += 1

    def _cursor_answered(self, step: CallStep, _: Moment) -> None:
        self._settle_session(step, step.request.get("hQueue", 0))
        if step.session is not None and step.succeeded:
            step.session.closed_cursors.put(step.request.get("hCursor", 0), step.call)

    def _purge_answered(self, step: CallStep, _: Moment) -> None:
        self._settle_session(step, step.request.get("hQueue", 0))
        if step.session is not None and step.succeeded:
            step.session.purges += 1

    def _version_asked(self, step: CallStep) -> None:
        step.pair.asked_version = step.call

    def _port_answered(self, step: CallStep, _: Moment) -> None:
        if step.request.get("dwPortType") == v.IP_READ and step.response.get("return_value"):
            step.pair.port_answer = step.call


def _start_outcome(step: CallStep, read: Read) -> ReadOutcome:
    status = step.call.status
    if status == v.MQ_OK:
        # A receive without a handle cannot be ended: the server's fault, see the rules.
        return ReadOutcome.PEEKED if read.is_peek else ReadOutcome.UNFINISHED
    if status == v.MQ_ERROR_IO_TIMEOUT:
        return ReadOutcome.TIMED_OUT
    if status in _CANCELLED or read.cancel is not None:
        return ReadOutcome.CANCELLED
    return ReadOutcome.FAILED
