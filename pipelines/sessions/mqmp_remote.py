"""Remote opens by qmcomm, which tell the queue behind the numbers of qm2qm: [MS-MQMP] 3.1.4.2 to 3.1.4.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.sessions.closing import Closing
from pipelines.sessions.model import Session, SessionKind
from pipelines.sessions.mqmp_opens import Opens
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import Moment
    from pipelines.sessions.shared_state import OnAnswered, OnAsked, SharedState
    from pipelines.sessions.steps import CallStep


class RemoteOpens:
    """They are handshakes, not sessions: the context is closed as soon as qm2qm has opened the queue."""

    def __init__(self, shared: SharedState) -> None:
        self._references, self._links = shared.references, shared.links
        self._opens = Opens(shared)
        closing = Closing(shared, SessionKind.HANDSHAKE, "pphContext")
        self.asked: OnAsked = {
            v.OPEN_REMOTE: self._opens.asked,
            v.CLOSE_REMOTE: closing.asked,
            v.CREATE_REMOTE_CURSOR: self._cursor_asked,
        }
        self.answered: OnAnswered = {
            v.OPEN_REMOTE: self._open_answered,
            v.CLOSE_REMOTE: closing.answered,
            v.CREATE_REMOTE_CURSOR: self._cursor_made,
        }

    def _open_answered(self, step: CallStep, _: Moment) -> None:
        call, asked, told = step.call, step.call.request, step.response
        self._opens.answered(step, opened=step.succeeded and told.get("pphContext") is not None)
        if not step.succeeded or asked is None or not call.response_whole:
            return
        uid = derived_uid("S", call.call_uid)
        handle, queue = told.get("pphContext"), told.get("phQueue", 0)
        session = Session(uid, step.pair, call, call, handle, queue, SessionKind.HANDSHAKE)
        session.p_queue, session.context = told.get("dwpQueue", 0), told.get("pdwContext", 0)
        session.queue_name = format_name(asked.get("pQueueFormat") or {})
        session.access, session.share_mode = step.number(asked, "dwDesiredAccess"), step.number(asked, "dwShareMode")
        self._links.note(session)
        step.view.remote_opens += 1
        if handle is not None:
            self._references.register(step, session)
        step.session = session

    def _cursor_asked(self, step: CallStep) -> None:
        queue = step.number(step.request, "hQueue")
        step.behind = self._links.gave(queue, queue)

    def _cursor_made(self, step: CallStep, _: Moment) -> None:
        queue, cursor = step.number(step.request, "hQueue"), step.response.get("phCursor")
        if step.succeeded and queue is not None and cursor is not None:
            self._links.note_cursor(queue, cursor, step.call)
