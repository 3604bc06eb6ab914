"""qmcomm's and qmcomm2's calls on the queues of a supporting server, to sessions and reads: [MS-MQMP] 3.1.4 and 3.1.5.

A queue has two names here: a context handle, and pdwQMContext, the number that rpc_ACReceiveMessageEx takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.facts.values import transfer_buffer
from pipelines.sessions.acts import SendStep
from pipelines.sessions.closing import Closing
from pipelines.sessions.model import Read, ReadOutcome, RemoteCursor, Session, SessionKind
from pipelines.sessions.mqmp_opens import Opens
from pipelines.sessions.transactions import doubt_of_unit, enlisted_late, unit_of_work
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import Moment
    from pipelines.sessions.shared_state import OnAnswered, OnAsked, SharedState
    from pipelines.sessions.steps import CallStep
    from pipelines.sessions.units import UnitOfWork


class SupportedQueues:
    def __init__(self, shared: SharedState) -> None:
        self._ending, self._references = shared.ending, shared.references
        self._reading, self._transactions, self._links = shared.reading, shared.transactions, shared.links
        self._opens = Opens(shared)
        closing = Closing(shared, SessionKind.QUEUE, "phQueue")
        self.asked: OnAsked = {
            v.QM_OPEN: self._opens.asked,
            v.AC_CLOSE: closing.asked,
            v.AC_CLOSE_CURSOR: self._cursor_asked,
            v.AC_SET_CURSOR: self._on_proxy,
            v.REMOTE_NAME: self._name_asked,
            **dict.fromkeys(v.ON_QUEUE_HANDLE, self._on_handle),
            v.AC_SEND: self._send_asked,
            v.AC_RECEIVE: self._receive_asked,
        }
        self.answered: OnAnswered = {
            v.QM_OPEN: self._open_answered,
            v.AC_CLOSE: closing.answered,
            v.AC_CLOSE_CURSOR: self._cursor_closed,
            v.AC_CREATE_CURSOR: self._cursor_made,
            v.AC_SET_CURSOR: self._cursor_tied,
            v.AC_NAME: self._named,
            v.AC_PURGE: self._purge_answered,
            v.AC_SEND: self._send_answered,
            v.QM_SEND: self._sent_by_name,
            v.AC_RECEIVE: self._receive_answered,
        }

    def _on_handle(self, step: CallStep) -> None:
        self._references.refer_to_handle(step, step.request.get("hQueue"), SessionKind.QUEUE)

    def _on_proxy(self, step: CallStep) -> None:
        self._references.refer_to_handle(step, step.request.get("hProxy"), SessionKind.QUEUE)
        self._refer_to_cursor(step, step.number(step.request, "hCursor"))

    def _refer_to_cursor(self, step: CallStep, cursor: int | None) -> None:
        if step.session is not None and cursor is not None:
            step.remote_cursor = step.session.remote_cursors.get(cursor)

    def _name_asked(self, step: CallStep) -> None:
        queue = step.number(step.request, "pQueue")
        step.remote_context = None if queue is None else step.pair.remote_contexts.get(queue)

    def _settled(self, step: CallStep) -> None:
        self._references.settle_handle(step, step.request.get("hQueue"), SessionKind.QUEUE)

    def _open_answered(self, step: CallStep, _: Moment) -> None:
        call, asked, handle = step.call, step.call.request, step.response.get("phQueue")
        self._opens.answered(step, opened=step.succeeded and handle is not None)
        # Without a handle the queue lies elsewhere, and the answer says where: [MS-MQMP] 4.2.
        if not step.succeeded or asked is None or handle is None:
            return
        session = Session(derived_uid("S", call.call_uid), step.pair, call, call, handle, None, SessionKind.QUEUE)
        session.context = step.response.get("pdwQMContext")
        session.queue_name = format_name(asked.get("pQueueFormat") or {})
        session.access, session.share_mode = step.number(asked, "dwDesiredAccess"), step.number(asked, "dwShareMode")
        session.remote_handle = asked.get("hRemoteQueue") or None
        if session.remote_handle is not None:
            hosts = step.pair.client, call.server
            session.link_key = self._links.use(*hosts, session.remote_handle, session.queue_name)
        self._references.register(step, session)
        step.session = session

    def _cursor_asked(self, step: CallStep) -> None:
        self._on_handle(step)
        cursor = step.number(step.request, "hCursor")
        self._reading.close_cursor_asked(step, cursor)
        if step.session is not None and cursor is not None:
            step.session.remote_cursors.pop(cursor, None)

    def _cursor_closed(self, step: CallStep, _: Moment) -> None:
        self._settled(step)
        self._reading.close_cursor_answered(step, step.number(step.request, "hCursor"))

    def _cursor_made(self, step: CallStep, _: Moment) -> None:
        self._settled(step)
        made = step.response.get("pcc") or {}
        cursor, session = made.get("hCursor"), step.session
        self._reading.make_cursor(step, cursor)
        if session is None or cursor not in session.cursors:
            return
        session.remote_cursors.pop(cursor, None)
        if step.call.status == v.MQ_INFORMATION_REMOTE_OPERATION:
            session.remote_cursors[cursor] = RemoteCursor(step.call)
            step.pair.remote_contexts.put(made.get("cli_pQMQueue", 0), step.call.call_uid)

    def _cursor_tied(self, step: CallStep, _: Moment) -> None:
        if step.remote_cursor is not None and step.succeeded:
            step.remote_cursor.tied = step.call

    def _named(self, step: CallStep, _: Moment) -> None:
        self._settled(step)
        name = step.response.get("lpwcsFormatName")
        if step.session is not None and step.succeeded and isinstance(name, str) and step.session.queue_name is None:
            step.session.queue_name, step.session.named_by = name.partition("\0")[0] or None, "answer"

    def _purge_answered(self, step: CallStep, _: Moment) -> None:
        self._settled(step)
        if step.session is not None and step.succeeded:
            step.session.purges += 1

    def _send_asked(self, step: CallStep) -> None:
        self._on_handle(step)
        step.transaction = self._transactions.find(unit_of_work(transfer_buffer(step.call.request).get("pUow")))

    def _send_answered(self, step: CallStep, _: Moment) -> None:
        self._settled(step)
        self._sent(step, None)

    def _sent_by_name(self, step: CallStep, _: Moment) -> None:
        """[MS-MQMP] 3.1.5.1: without opening the queue."""
        self._sent(step, format_name(step.request.get("pQueueFormat") or {}))

    def _sent(self, step: CallStep, name: str | None) -> None:
        if step.call.request is None:
            return
        uow = unit_of_work(transfer_buffer(step.call.request).get("pUow"))
        unit = self._transactions.unit(uow, step.call, step.session)
        if unit is not None and step.succeeded:
            unit.sends += 1
        doubt = doubt_of_unit(step.call, uow) or _not_enlisted(unit) or enlisted_late(unit, step.call)
        doubt = doubt or step.session_doubt
        call = slim(step.call) or step.call
        self._transactions.act(SendStep(call, step.pair, step.session, unit, uow, doubt, name))

    def _receive_asked(self, step: CallStep) -> None:
        buffer = transfer_buffer(step.call.request)
        receive = buffer.get("Receive") or {}
        if (context := _context(step)) is not None:
            self._references.refer(step, context)
        read = Read(step.call, step.pair, step.session, action=step.number(receive, "Action"))
        self._transactions.join(read, unit_of_work(buffer.get("pUow")))
        read.transactional = read.uow is not None
        step.transaction = read.transaction
        cursor = step.number(receive, "Cursor")
        self._reading.begin(step, read, cursor)
        read.doubt = read.doubt or doubt_of_unit(step.call, read.uow)
        self._refer_to_cursor(step, cursor)

    def _receive_answered(self, step: CallStep, moment: Moment) -> None:
        if step.read is not None:
            self._received(step, step.read, moment)
            self._transactions.settled(step.read)

    def _received(self, step: CallStep, read: Read, moment: Moment) -> None:
        call = step.call
        number = _context(step)
        if step.session is None and step.succeeded and number is not None:
            sessions = step.pair.by_queue.get(number)
            step.session = (
                sessions[-1] if sessions else self._references.adopt(step, kind=SessionKind.QUEUE, context=number[1])
            )
        self._reading.belongs(read, step.session)
        receive = transfer_buffer(call.request).get("Receive") or {}
        self._reading.note_cursor(step, step.number(receive, "Cursor"))
        if call.answered is None:
            self._reading.not_answered(step, read, moment)
            return
        read.answered = call.answered
        unknown = call.status is None and call.fault is None
        self._reading.note_message(read, call)
        if call.status == v.MQ_OK:
            self._transactions.given(read, call)
            read.arrived = transfer_buffer(call.response).get("pArrivedTime") or None
            if read.is_receive:
                self._taken(read, step, moment)
                return
        if unknown:
            read.doubt = Reason.RESPONSE_NOT_CAPTURED
        outcome = ReadOutcome.UNFINISHED if unknown else self._reading.outcome(step, read)
        self._ending.read(read, outcome, moment)

    def _taken(self, read: Read, step: CallStep, moment: Moment) -> None:
        """One call is the whole of it; only the end of an internal transaction can undo it."""
        read.given_out = True
        if (decided := self._transactions.decided(read)) is not None:
            self._ending.read(read, decided, moment)
        elif not self._transactions.waits(read):
            read.end, read.doubt = step.call, read.doubt or _not_enlisted(read.unit)
            self._ending.read(read, ReadOutcome.ACKED, moment)


def _not_enlisted(unit: UnitOfWork | None) -> Reason | None:
    """Nobody was seen to enlist it: it may be an internal one, which was undone in view."""
    return Reason.OPEN_NOT_SEEN if unit is not None and unit.enlisted is None else None


def _context(step: CallStep) -> tuple[str, int] | None:
    number = step.number(step.request, "hQMContext")
    return None if number is None else ("hQMContext", number)
