"""References that each client holds of each interface: [MS-DCOM] 3.2.4.4.

Public ones are counted, as OBJREFs and RemAddRef give them and RemRelease and OBJREFs that go back take them away.
Private ones belong to clients that ask for them, which count them apart. What one client was told says nothing of what
another knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipelines.com.answers import done
from pipelines.facts import vocabulary as v
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from pipelines.facts.com import Reference
    from pipelines.facts.model import CallFact, Moment

MAX_HOLDINGS: Final = 100_000
"""Of a server. One that was forgotten is not known: nothing is said of it."""


@dataclass(slots=True)
class Held:
    iid: str | None
    """None: references contradict each other."""
    number: tuple[int, int] | None
    """OXID and OID; None likewise."""
    last: Moment
    """When the last one came."""
    bare: bool = False
    """One came that counts for nothing: [MS-DCOM] 3.2.4.4."""
    given: int = 0
    returned: int = 0
    private: bool = False
    """Private references as well, or some that it asked for before its reference was seen: whether any are left is not
    counted."""
    released: CallFact | None = None
    """The last RemRelease that was answered with success."""

    @property
    def is_over(self) -> bool:
        return self.released is not None and self.returned >= self.given and not self.private


class Holdings:
    def __init__(self) -> None:
        self._held: dict[tuple[str, str], Held] = {}
        self._asked_before: Recent[tuple[str, str], bool] = Recent(MAX_HOLDINGS)

    def of(self, client: str, ipid: str) -> Held | None:
        return self._held.get((client, ipid))

    def give(self, client: str, reference: Reference, fact: CallFact) -> None:
        key, number = (client, reference.ipid), (reference.oxid, reference.oid)
        held = self._held.get(key)
        if held is None:
            if len(self._held) >= MAX_HOLDINGS:
                del self._held[next(iter(self._held))]
            held = self._held[key] = Held(reference.iid, number, fact.until)
            held.private = self._asked_before.get(key) is not None
        held.iid = held.iid if held.iid == reference.iid else None
        held.number = held.number if held.number == number else None
        held.last = max(held.last, fact.until)
        held.bare |= reference.public_refs == 0
        held.given += reference.public_refs

    def add(self, client: str, ipid: str, public: int, private: int) -> None:
        """Asked for by RemAddRef. Whether it was granted makes no difference: too many are never held against one."""
        held = self._held.get((client, ipid))
        if held is None:
            self._asked_before.put((client, ipid), True)
            return
        held.given += public
        held.private |= private > 0

    def take_back(self, client: str, ipid: str, references: int, fact: CallFact) -> None:
        """By RemRelease, or by a reference that goes back. Those of a call that failed a client gives back by itself.

        More than it was seen to get somebody handed it out of sight: they are not owed of what it gets later.
        """
        held = self._held.get((client, ipid))
        if held is None or not done(fact):
            return
        held.returned = min(held.given, held.returned + references)
        if fact.is_one_of((v.RELEASE,)):
            held.released = fact
