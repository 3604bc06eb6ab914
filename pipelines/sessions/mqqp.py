"""qm2qm's calls to sessions and reads: [MS-MQQP] 3.1.4, as the wire shows it.

Two kinds of handle tie calls together. Context handles name a session from open to close and a read from start to end;
plain numbers (hQueue and its like) name the queue in every other call. Both are used again after close: time decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts import vocabulary as v
from pipelines.sessions.closing import Closing
from pipelines.sessions.model import Session, SessionKind
from pipelines.sessions.mqqp_reads import Reads
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import Moment
    from pipelines.sessions.shared_state import OnAnswered, OnAsked, SharedState
    from pipelines.sessions.steps import CallStep


class QueueToQueue:
    def __init__(self, shared: SharedState) -> None:
        self._references, self._links = shared.references, shared.links
        self._reading = shared.reading
        self._reads = reads = Reads(shared)
        closing = Closing(shared, SessionKind.SESSION, "pphContext")
        self.asked: OnAsked = {
            **dict.fromkeys(v.STARTS, reads.start_asked),
            v.END: reads.end_asked,
            v.OPEN: self._open_asked,
            v.CLOSE: closing.asked,
            v.CANCEL: reads.cancel_asked,
            v.CLOSE_CURSOR: self._cursor_asked,
            v.PURGE: self._references.names_queue,
            v.VERSION: self._version_asked,
        }
        self.answered: OnAnswered = {
            **dict.fromkeys(v.STARTS, reads.start_answered),
            v.END: reads.end_answered,
            v.OPEN: self._open_answered,
            v.CLOSE: closing.answered,
            v.CANCEL: reads.cancel_answered,
            v.CLOSE_CURSOR: self._cursor_answered,
            v.PURGE: self._purge_answered,
            v.PORT: self._port_answered,
            v.VERSION: self._version_answered,
        }

    def _open_asked(self, step: CallStep) -> None:
        numbers = _numbers(step)
        opening = step.pair.opening
        for number in numbers:
            if number is not None:
                opening[number] = opening.get(number, 0) + 1
        step.behind = self._links.gave(*numbers)
        step.remote_opens_forgotten = self._links.forgets
        if step.call.status is None and step.call.fault is None:
            self._links.unanswered(step)

    def _open_answered(self, step: CallStep, _: Moment) -> None:
        call, asked = step.call, step.call.request
        opening = step.pair.opening
        for number in _numbers(step):
            if number is not None:
                opening[number] -= 1
                if not opening[number]:
                    del opening[number]
        if call.status != v.MQ_OK or asked is None or not call.response_whole:
            return
        uid = derived_uid("S", call.call_uid)
        handle = (call.response or {}).get("phContext")
        # Where the request is cut, numbers may be missing.
        session = Session(uid, step.pair, call, call, handle, asked.get("hQueue"))
        session.p_queue, session.context = asked.get("pQueue"), asked.get("dwpContext")
        session.client_qm = asked.get("pLicGuid")
        self._references.register(step, session)
        self._links.join(session, step.server_version)
        step.session = session
        if handle is None and step.connection is not None:
            step.connection.association.null_given = True

    def _cursor_asked(self, step: CallStep) -> None:
        self._references.names_queue(step)
        self._reading.close_cursor_asked(step, step.number(step.request, "hCursor"))

    def _cursor_answered(self, step: CallStep, _: Moment) -> None:
        self._reads.settle(step, step.number(step.request, "hQueue"))
        self._reading.close_cursor_answered(step, step.number(step.request, "hCursor"))

    def _purge_answered(self, step: CallStep, _: Moment) -> None:
        self._reads.settle(step, step.number(step.request, "hQueue"))
        if step.session is not None and step.succeeded:
            step.session.purges += 1

    def _version_asked(self, step: CallStep) -> None:
        step.pair.asked_version = step.call

    def _version_answered(self, step: CallStep, _: Moment) -> None:
        if step.connection is not None and step.call.answered is not None:
            step.connection.association.version_answer = step.call

    def _port_answered(self, step: CallStep, _: Moment) -> None:
        if step.request.get("dwPortType") == v.IP_READ and step.response.get("return_value"):
            step.pair.port_answer = step.call


def _numbers(step: CallStep) -> tuple[int | None, int | None]:
    """That an open gives the queue: [MS-MQQP] note <15> has servers go by either."""
    return step.number(step.request, "hQueue"), step.number(step.request, "dwpContext")
