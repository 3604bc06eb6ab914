"""What was out of sight between a server of objects and each of its clients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipelines.facts.model import BEGINNING, BlindFact
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.reasons import Reason
from pipelines.sessions.memory import BlindSpan

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment

_NO_HOLES: Final = frozenset((Reason.CAPTURE_ENDED, Reason.TIMES_CROSS))
"""The end of the capture hides what is said later; clocks change nothing of the order within a connection."""
MAX_PAIRS: Final = 65_536
"""Clients of one server kept in mind; of those forgotten all counts as unseen."""
MAX_NOTED: Final = 4_096
"""Late answers and connections with holes, of one client. Beyond that every one may be one."""


@dataclass(slots=True, eq=False)
class ComPair(BlindSpan):
    client: str
    missing_until: Moment = BEGINNING
    """When bytes between the two were last missing."""
    within: BlindSpan = field(default_factory=BlindSpan)
    """The same as of itself, without what a capture that ended may have missed afterwards."""
    _late: set[tuple[str, Moment]] = field(default_factory=set)
    """Connection and time of answers that were captured after they had been received."""
    _holes: dict[str, Reason] = field(default_factory=dict)
    """Connections of which bytes are missing."""

    def note_late(self, uid: str, answered: Moment) -> None:
        if len(self._late) < MAX_NOTED:
            self._late.add((uid, answered))

    def is_late(self, uid: str, answered: Moment | None) -> bool:
        return (uid, answered) in self._late or len(self._late) >= MAX_NOTED

    def note_hole(self, uid: str, reason: Reason) -> None:
        if len(self._holes) < MAX_NOTED:
            self._holes[uid] = reason

    def hole_of(self, uid: str) -> Reason | None:
        """COM deals numbers of contexts anew: what was not seen may change of which interface later calls are."""
        return self._holes.get(uid) or (Reason.LIMIT if len(self._holes) >= MAX_NOTED else None)


class Pairs:
    def __init__(self) -> None:
        self._pairs: dict[str, ComPair] = {}
        self._forgotten = BEGINNING

    def of(self, client: str) -> ComPair:
        found = self._pairs.get(client)
        if found is None:
            if len(self._pairs) >= MAX_PAIRS:
                oldest = self._pairs.pop(next(iter(self._pairs)))
                self._forgotten = max(self._forgotten, oldest.blind_until)
            found = self._pairs[client] = ComPair(client)
            found.go_blind(self._forgotten, Reason.LIMIT)
            found.within.go_blind(self._forgotten, Reason.LIMIT)
        return found

    def missed(self, fact: BlindFact) -> None:
        pair = self.of(fact.client)
        if fact.reason is Reason.TIMES_CROSS:
            pair.note_late(fact.uid, fact.until)
        if fact.reason not in _NO_HOLES and fact.octets != 0:
            pair.note_hole(fact.uid, fact.reason)
            pair.missing_until = max(pair.missing_until, fact.until)
        pair.go_blind(fact.until, fact.reason)
        if fact.reason is not Reason.CAPTURE_ENDED:
            pair.within.go_blind(fact.until, fact.reason)

    def heard(self, call: CallFact) -> None:
        """What a call that cannot be read does with references is not known. One that fails by a fault gives none."""
        if call.fault is None and (reason := request_hidden(call) or response_hidden(call)) is not None:
            pair = self.of(call.client)
            pair.go_blind(call.until, reason)
            pair.within.go_blind(call.until, reason)
