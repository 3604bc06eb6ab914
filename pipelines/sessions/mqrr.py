"""RemoteRead's calls to sessions and reads: [MS-MQRR] 3.1.4. A context handle names the queue in every call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.sessions.acts import MoveStep, RejectStep
from pipelines.sessions.closing import Closing
from pipelines.sessions.model import Kind, Session
from pipelines.sessions.mqrr_reads import RemoteReads
from pipelines.sessions.transactions import unit_of_work
from pipelines.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import Moment
    from pipelines.sessions.desk import Desk, OnAnswered, OnAsked
    from pipelines.sessions.steps import CallStep


class RemoteRead:
    def __init__(self, desk: Desk) -> None:
        self._ending, self._references = desk.ending, desk.references
        self._reading, self._transactions = desk.reading, desk.transactions
        reads = RemoteReads(desk)
        # [MS-MQRR] 3.1.4.3: the server forgets what was still to be acknowledged, and the message stays.
        closing = Closing(desk, Kind.REMOTE_READ, "pphContext", lets_go=True)
        self.asked: OnAsked = {
            **dict.fromkeys(v.REMOTE_OPENS, self._open_asked),
            **dict.fromkeys(v.REMOTE_STARTS, reads.start_asked),
            **dict.fromkeys(v.REMOTE_ENDS, reads.end_asked),
            v.REMOTE_CANCEL: reads.cancel_asked,
            v.REMOTE_CLOSE: closing.asked,
            v.REMOTE_CREATE_CURSOR: self._on_handle,
            v.REMOTE_CLOSE_CURSOR: self._cursor_asked,
            v.REMOTE_PURGE: self._on_handle,
            v.MOVE: self._move_asked,
            v.SET_CLASS: self._on_handle,
        }
        self.answered: OnAnswered = {
            **dict.fromkeys(v.REMOTE_STARTS, reads.start_answered),
            **dict.fromkeys(v.REMOTE_ENDS, reads.end_answered),
            **dict.fromkeys(v.REMOTE_OPENS, self._open_answered),
            v.REMOTE_CANCEL: reads.cancel_answered,
            v.REMOTE_CLOSE: closing.answered,
            v.REMOTE_CREATE_CURSOR: self._cursor_made,
            v.REMOTE_CLOSE_CURSOR: self._cursor_closed,
            v.REMOTE_PURGE: self._purge_answered,
            v.MOVE: self._move_answered,
            v.SET_CLASS: self._class_set,
        }

    def _on_handle(self, step: CallStep) -> None:
        self._references.refer_to_handle(step, step.request.get("phContext"), Kind.REMOTE_READ)

    def _settled(self, step: CallStep, _: Moment) -> None:
        self._references.settle_handle(step, step.request.get("phContext"), Kind.REMOTE_READ)

    def _open_asked(self, step: CallStep) -> None:
        if step.connection is not None and step.call.request_whole:
            association = step.connection.association
            step.introduction = association.introduction
            association.introduction = association.introduction or step.call

    def _open_answered(self, step: CallStep, _: Moment) -> None:
        call, asked, handle = step.call, step.call.request, step.response.get("pphContext")
        if not step.succeeded or asked is None or handle is None:
            return
        session = Session(derived_uid("S", call.call_uid), step.pair, call, call, handle, None, Kind.REMOTE_READ)
        session.queue_name = format_name(asked.get("pQueueFormat") or {})
        session.access, session.share_mode = asked.get("dwAccess", 0), asked.get("dwShareMode", 0)
        session.client_qm = asked.get("pClientId")
        session.move_context = step.response.get("pMoveContext")
        self._references.register(step, session)
        step.session = session

    def _cursor_made(self, step: CallStep, moment: Moment) -> None:
        self._settled(step, moment)
        self._reading.make_cursor(step, step.response.get("phCursor"))

    def _cursor_asked(self, step: CallStep) -> None:
        self._on_handle(step)
        self._reading.close_cursor_asked(step, step.request.get("hCursor", 0))

    def _cursor_closed(self, step: CallStep, moment: Moment) -> None:
        self._settled(step, moment)
        self._reading.close_cursor_answered(step, step.request.get("hCursor", 0))

    def _purge_answered(self, step: CallStep, moment: Moment) -> None:
        self._settled(step, moment)
        if step.session is not None and step.succeeded:
            step.session.purges += 1

    def _move_asked(self, step: CallStep) -> None:
        self._references.refer_to_handle(step, step.request.get("phContextFrom"), Kind.REMOTE_READ)
        targets = step.pair.by_queue.get(("ullContextTo", step.request.get("ullContextTo", 0)))
        step.target = targets[-1] if targets else None
        self._transactions.refer(step, unit_of_work(step.request.get("pTransactionId")))

    def _move_answered(self, step: CallStep, _: Moment) -> None:
        self._references.settle_handle(step, step.request.get("phContextFrom"), Kind.REMOTE_READ)
        if step.call.request is None:
            return
        session = step.session
        shown = session.shown.get(step.request.get("LookupId", 0)) if session is not None else None
        uow = unit_of_work(step.request.get("pTransactionId"))
        unit = self._transactions.unit(uow, step.call, session)
        if unit is not None and step.succeeded:
            unit.moves += 1
        self._transactions.act(MoveStep(step.call, step.pair, session, unit, uow, None, step.target, shown))

    def _class_set(self, step: CallStep, moment: Moment) -> None:
        self._settled(step, moment)
        if step.call.request is None:
            return
        session = step.session
        shown = session.shown.get(step.request.get("LookupId", 0) & v.SEQUENTIAL) if session is not None else None
        uow = shown.uow if shown is not None else None
        unit = self._transactions.unit(uow, step.call, session)
        act = RejectStep(step.call, step.pair, session, unit, uow, None, shown)
        if unit is not None and step.succeeded and act.rejects:
            unit.rejects += 1
        self._transactions.act(act)
