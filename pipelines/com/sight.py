"""What was out of sight between a server of objects and each of its clients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipelines.facts.model import BEGINNING, BlindFact
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.reasons import Reason
from pipelines.sessions.memory import Sight

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment

MAX_PAIRS: Final = 65_536
"""Clients of one server kept in mind; of those forgotten all counts as unseen."""
MAX_LATE: Final = 4_096


@dataclass(slots=True, eq=False)
class ComPair(Sight):
    client: str
    late: set[tuple[str, Moment | None]] = field(default_factory=set)
    """Connection and time of answers that were captured after they had been received."""
    holes: dict[str, Reason] = field(default_factory=dict)
    """Connections of which bytes are missing. COM deals numbers of contexts anew, so that what was not seen may change
    which interface all later calls are of."""


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
        return found

    def missed(self, fact: BlindFact) -> None:
        pair = self.of(fact.client)
        if fact.reason is Reason.TIMES_CROSS and len(pair.late) < MAX_LATE:
            pair.late.add((fact.uid, fact.until))
        # The end of the capture hides what is said later, and nothing that was said before.
        if fact.reason is not Reason.CAPTURE_ENDED and fact.octets != 0:
            pair.holes[fact.uid] = fact.reason
        pair.go_blind(fact.until, fact.reason)

    def heard(self, call: CallFact) -> None:
        """What a call that cannot be read does with references is not known. One that fails by a fault gives none."""
        if call.fault is None and (reason := request_hidden(call) or response_hidden(call)) is not None:
            self.of(call.client).go_blind(call.until, reason)
