"""qm2qm's calls to sessions and reads: [MS-MQQP] 3.1.4, as the wire shows it.

Two kinds of handle tie calls together. Context handles name a session from open to close and a read from start to end;
plain numbers (hQueue and its like) name the queue in every other call. Both are used again after close: time decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.sessions.ending import Ending
from pipelines.sessions.model import Session
from pipelines.sessions.reads import Reads
from pipelines.sessions.references import References
from pipelines.sessions.registry import Registry
from pipelines.uids import derived_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.facts.model import Moment
    from pipelines.sessions.model import Association, Pair
    from pipelines.sessions.steps import CallStep, Step, Values


class Queues:
    def __init__(self) -> None:
        self._registry = Registry()
        self._ending = Ending(self._registry)
        self._references = References(self._registry, self._ending)
        reads = Reads(self._registry, self._ending, self._references)
        self._on_asked: Final[dict[str, Callable[[CallStep], None]]] = {
            **dict.fromkeys(v.STARTS, reads.start_asked),
            v.END: reads.end_asked,
            v.OPEN: self._open_asked,
            v.CLOSE: self._close_asked,
            v.CANCEL: reads.cancel_asked,
            v.CLOSE_CURSOR: self._cursor_asked,
            v.PURGE: self._references.names_queue,
            v.VERSION: self._version_asked,
        }
        self._on_answered: Final[dict[str, Callable[[CallStep, Moment], None]]] = {
            **dict.fromkeys(v.STARTS, reads.start_answered),
            v.END: reads.end_answered,
            v.OPEN: self._open_answered,
            v.CLOSE: self._close_answered,
            v.CANCEL: reads.cancel_answered,
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

    def told(self) -> Iterator[Step]:
        return self._ending.told()

    def severed(self, pair: Pair, over: list[Association], moment: Moment) -> Iterator[Step]:
        for association in over:
            self._ending.severed(pair, association, moment)
        return self._ending.told()

    def capture_ended(self, pair: Pair) -> Iterator[Step]:
        self._ending.capture_ended(pair)
        return self._ending.told()

    def _open_asked(self, step: CallStep) -> None:
        step.pair.opening += _numbers(step.request)

    def _open_answered(self, step: CallStep, _: Moment) -> None:
        call, asked = step.call, step.call.request
        for number in _numbers(asked) if asked is not None else ():
            step.pair.opening.remove(number)
        if call.status != v.MQ_OK or asked is None or not call.response_whole:
            return
        uid = derived_uid("S", call.call_uid)
        handle = (call.response or {}).get("phContext")
        session = Session(uid, step.pair, call, call, handle, asked.get("hQueue", 0))
        session.p_queue, session.context = asked.get("pQueue", 0), asked.get("dwpContext", 0)
        session.client_qm = asked.get("pLicGuid")
        self._references.register(step, session)
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
            session = step.session = self._references.adopt(step, None, handle)
        if session.is_over or session.closed is not None:
            return
        session.closed = call
        self._ending.closed(session, moment, unanswered=call.status is None)

    def _cursor_asked(self, step: CallStep) -> None:
        self._references.names_queue(step)
        cursor = step.request.get("hCursor", 0)
        if step.session is not None:
            step.closed_cursor = step.session.closed_cursors.get(cursor)
        if step.session is not None and cursor in step.session.cursors:
            del step.session.cursors[cursor]
            step.session.cursors_closed += 1

    def _cursor_answered(self, step: CallStep, _: Moment) -> None:
        self._references.settle(step, step.request.get("hQueue", 0))
        if step.session is not None and step.succeeded:
            step.session.closed_cursors.put(step.request.get("hCursor", 0), step.call)

    def _purge_answered(self, step: CallStep, _: Moment) -> None:
        self._references.settle(step, step.request.get("hQueue", 0))
        if step.session is not None and step.succeeded:
            step.session.purges += 1

    def _version_asked(self, step: CallStep) -> None:
        step.pair.asked_version = step.call

    def _port_answered(self, step: CallStep, _: Moment) -> None:
        if step.request.get("dwPortType") == v.IP_READ and step.response.get("return_value"):
            step.pair.port_answer = step.call


def _numbers(asked: Values) -> list[int]:
    """That an open gives the queue: [MS-MQQP] note <15> has servers go by either."""
    return [asked.get("hQueue", 0), asked.get("dwpContext", 0)]
