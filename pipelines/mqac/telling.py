"""What is to be told of objects: rows, as soon as it is decided what became of things, and acts for `queues`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pipelines.facts.reasons import Reason
from pipelines.mqac.acts import MAX_WAITING, Read, Sent
from pipelines.mqac.rows import read_rows, send_rows, unit_row
from schemas.tables import ADMIN_ACTIONS, READS, SENDS, SIGHTINGS, TRANSACTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import CallFact, Moment
    from pipelines.mqac.acts import Unit
    from pipelines.mqac.objects import QueueIdentity
    from pipelines.sessions.model import TransactionState as Outcome

Row: TypeAlias = "tuple[str, dict[str, Any]]"
_BYTES: Final = frozenset(("peeked_bytes", "acked_bytes", "nacked_bytes", "rundown_bytes"))
"""Columns of `sessions`; what became of other reads is summed up."""


class QueueAct(NamedTuple):
    """For the table `queues`: somebody did something to a queue."""

    act: str | None
    """None: only that its names belong together."""
    queue: QueueIdentity
    call: CallFact
    doubt: Reason | None


class Telling:
    def __init__(self) -> None:
        self.told: list[Row | QueueAct] = []

    def tell(self, table: str, row: Mapping[str, Any]) -> None:
        self.told.append((table, dict(row)))

    def act(self, row: Mapping[str, Any]) -> None:
        """Of `act_row`."""
        self.tell(ADMIN_ACTIONS.name, row)

    def note(self, act: str | None, queue: QueueIdentity | None, call: CallFact, doubt: Reason | None = None) -> None:
        if queue is not None:
            self.told.append(QueueAct(act, queue, call, doubt or queue.doubt))

    def decided(self, act: Read | Sent) -> None:
        """Nothing more is said of its message: it is told, unless its transaction is still to be decided."""
        if act.is_told:
            return
        unit = act.unit
        if not act.waits or unit is None:
            self.at_once(act)
        elif len(unit.waiting) >= MAX_WAITING:
            act.doubt = act.doubt or Reason.LIMIT
            self.at_once(act)
        else:
            unit.waiting.append(act)

    def unit_over(self, unit: Unit, outcome: Outcome, moment: Moment | None) -> None:
        if unit.is_over:
            return
        unit.outcome, unit.ended_at, unit.is_over = outcome, moment, True
        waiting, unit.waiting = unit.waiting, []
        for act in waiting:
            self.at_once(act)
        self.tell(TRANSACTIONS.name, unit_row(unit))

    def at_once(self, act: Read | Sent) -> None:
        """Whatever is still to be decided."""
        if act.is_told:
            return
        act.is_told = True
        if isinstance(act, Read):
            self._tell_read(act)
        else:
            self._tell_sent(act)

    def _tell_read(self, read: Read) -> None:
        queue = read.queue
        queue.reads.pop(id(read), None)
        row, sighting = read_rows(read)
        self.tell(READS.name, row)
        if sighting is not None:
            self.tell(SIGHTINGS.name, sighting)
            self.note("received" if read.removes else "peeked", queue.queue, read.call, queue.naming_doubt)
        counts = queue.counts
        outcome = str(read.outcome)
        for name in ("receives" if read.removes else "peeks", outcome):
            counts[name] = counts.get(name, 0) + 1
        size = read.disclosed
        if size:
            column = f"{outcome}_bytes" if f"{outcome}_bytes" in _BYTES else "unfinished_bytes"
            for name in ("message_bytes", column):
                counts[name] = counts.get(name, 0) + size
        if read.doubted() is not None:
            queue.uncounted = queue.uncounted or read.doubted()

    def _tell_sent(self, sent: Sent) -> None:
        row, sighting = send_rows(sent)
        self.tell(SENDS.name, row)
        if sighting is not None:
            self.tell(SIGHTINGS.name, sighting)
        if sent.outcome == "success":
            self.note("sent", sent.identity, sent.call)
        queue = sent.queue
        if queue is None:
            return
        queue.sends.pop(id(sent), None)
        if sent.outcome == "success":
            queue.counts["sends"] = queue.counts.get("sends", 0) + 1
            queue.counts["sent_bytes"] = queue.counts.get("sent_bytes", 0) + (row["message_bytes"] or 0)
        elif sent.outcome == "unknown":
            queue.uncounted = queue.uncounted or Reason.RESPONSE_NOT_CAPTURED
