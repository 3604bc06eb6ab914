"""RemoteRead's calls to sessions and reads: [MS-MQRR] 3.1.4. A context handle names the queue in every call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.readable import not_whole
from pipelines.sessions.acts import MoveStep, RejectStep
from pipelines.sessions.closing import Closing
from pipelines.sessions.model import Session, SessionKind
from pipelines.sessions.mqrr_reads import RemoteReads
from pipelines.sessions.transactions import doubt_of_unit, enlisted_late, unit_of_work
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import Moment
    from pipelines.sessions.model import Read
    from pipelines.sessions.shared_state import OnAnswered, OnAsked, SharedState
    from pipelines.sessions.steps import CallStep


class RemoteRead:
    def __init__(self, shared: SharedState) -> None:
        self._ending, self._references = shared.ending, shared.references
        self._reading, self._transactions = shared.reading, shared.transactions
        reads = RemoteReads(shared)
        # [MS-MQRR] 3.1.4.3: the server forgets what was still to be acknowledged, and the message stays.
        closing = Closing(shared, SessionKind.REMOTE_READ, "pphContext", lets_go=True)
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
        self._references.refer_to_handle(step, step.request.get("phContext"), SessionKind.REMOTE_READ)

    def _settled(self, step: CallStep, _: Moment) -> None:
        self._references.settle_handle(step, step.request.get("phContext"), SessionKind.REMOTE_READ)

    def _open_asked(self, step: CallStep) -> None:
        if step.connection is not None and step.call.request_whole:
            association = step.connection.association
            step.introduction = association.introduction
            association.introduction = association.introduction or step.call

    def _open_answered(self, step: CallStep, _: Moment) -> None:
        call, asked, handle = step.call, step.call.request, step.response.get("pphContext")
        if not step.succeeded or asked is None or handle is None:
            return
        session = Session(derived_uid("S", call.call_uid), step.pair, call, call, handle, None, SessionKind.REMOTE_READ)
        session.queue_name = format_name(asked.get("pQueueFormat") or {})
        session.access, session.share_mode = step.number(asked, "dwAccess"), step.number(asked, "dwShareMode")
        session.client_qm = asked.get("pClientId")
        step.pair.remote_reader = session.client_qm or step.pair.remote_reader
        session.move_context = step.response.get("pMoveContext")
        self._references.register(step, session)
        step.session = session

    def _cursor_made(self, step: CallStep, moment: Moment) -> None:
        self._settled(step, moment)
        self._reading.make_cursor(step, step.response.get("phCursor"))

    def _cursor_asked(self, step: CallStep) -> None:
        self._on_handle(step)
        self._reading.close_cursor_asked(step, step.number(step.request, "hCursor"))

    def _cursor_closed(self, step: CallStep, moment: Moment) -> None:
        self._settled(step, moment)
        self._reading.close_cursor_answered(step, step.number(step.request, "hCursor"))

    def _purge_answered(self, step: CallStep, moment: Moment) -> None:
        self._settled(step, moment)
        if step.session is not None and step.succeeded:
            step.session.purges += 1

    def _move_asked(self, step: CallStep) -> None:
        self._references.refer_to_handle(step, step.request.get("phContextFrom"), SessionKind.REMOTE_READ)
        target = step.number(step.request, "ullContextTo")
        targets = None if target is None else step.pair.by_queue.get(("ullContextTo", target))
        step.target = targets[-1] if targets else None
        self._transactions.refer(step, unit_of_work(step.request.get("pTransactionId")))

    def _move_answered(self, step: CallStep, _: Moment) -> None:
        self._references.settle_handle(step, step.request.get("phContextFrom"), SessionKind.REMOTE_READ)
        if step.call.request is None:
            return
        session = step.session
        shown = _shown(step)
        uow = unit_of_work(step.request.get("pTransactionId"))
        unit = self._transactions.unit(uow, step.call, session)
        if unit is not None and step.succeeded:
            unit.moves += 1
        doubt = doubt_of_unit(step.call, uow) or enlisted_late(unit, step.call) or step.session_doubt
        self._transactions.act(MoveStep(step.call, step.pair, session, unit, uow, doubt, step.target, shown))

    def _class_set(self, step: CallStep, moment: Moment) -> None:
        self._settled(step, moment)
        if step.call.request is None:
            return
        session = step.session
        shown = _shown(step, v.SEQUENTIAL)
        uow = shown.uow if shown is not None else None
        unit = self._transactions.unit(uow, step.call, session)
        doubt = step.session_doubt if step.call.request_whole else not_whole(step.call)
        act = RejectStep(step.call, step.pair, session, unit, uow, doubt, shown)
        if unit is not None and step.succeeded and act.rejects:
            unit.rejects += 1
        self._transactions.act(act)


def _shown(step: CallStep, bits: int = -1) -> Read | None:
    """The read of the same queue that showed the message that the call names, by these bits of its number."""
    number = step.number(step.request, "LookupId")
    return None if step.session is None or number is None else step.session.shown.get(number & bits)
