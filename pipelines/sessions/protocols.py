"""Calls of all protocols to sessions and reads: each protocol has its handlers, by operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts.model import END
from pipelines.facts.reasons import Reason
from pipelines.sessions.counting import note_unanswered
from pipelines.sessions.mapper import Mapper
from pipelines.sessions.mqmp import SupportedQueues
from pipelines.sessions.mqmp_remote import RemoteOpens
from pipelines.sessions.mqqp import QueueToQueue
from pipelines.sessions.mqrr import RemoteRead
from pipelines.sessions.renewal import note_handles
from pipelines.sessions.shared_state import SharedState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.facts.model import Moment
    from pipelines.sessions.association import Association
    from pipelines.sessions.parties import Pair
    from pipelines.sessions.shared_state import OnAnswered, OnAsked
    from pipelines.sessions.steps import CallStep, Step


class Protocols:
    def __init__(self) -> None:
        self._shared = SharedState()
        self._asked: OnAsked = dict(self._shared.transactions.asked)
        self._answered: OnAnswered = dict(self._shared.transactions.answered)
        for protocol in (QueueToQueue, RemoteRead, SupportedQueues, RemoteOpens, Mapper):
            handlers = protocol(self._shared)
            self._asked |= handlers.asked
            self._answered |= handlers.answered

    def asked(self, step: CallStep) -> None:
        handler = self._asked.get(step.call.method)
        if handler is not None and step.call.request is not None:
            handler(step)
            note_unanswered(step)

    def answered(self, step: CallStep, moment: Moment) -> None:
        """The steps that this ends are told after the call's own."""
        note_handles(step)
        handler = self._answered.get(step.call.method)
        if handler is not None:
            handler(step, moment)

    def steps(self) -> Iterator[Step]:
        return self._shared.ending.take()

    def severed(self, pair: Pair, over: list[Association], moment: Moment) -> Iterator[Step]:
        for association in over:
            self._shared.transactions.severed(association, moment)
            self._shared.ending.severed(pair, association, moment)
        return self._shared.ending.take()

    def finish(self) -> Iterator[Step]:
        """All pairs are told."""
        self._shared.transactions.finish()
        return self._shared.ending.take()

    def forgotten(self, pair: Pair) -> Iterator[Step]:
        """There are more clients than can be kept in mind."""
        self._shared.ending.doubt(pair, Reason.LIMIT)
        for transaction in pair.transactions.values():
            transaction.unit.doubt = transaction.unit.doubt or Reason.LIMIT
        return self.capture_ended(pair)

    def capture_ended(self, pair: Pair) -> Iterator[Step]:
        for association in pair.associations:
            association.all_closed = False
            self._shared.transactions.severed(association, END)
        self._shared.ending.capture_ended(pair)
        self._shared.transactions.capture_ended(pair)
        return self._shared.ending.take()
