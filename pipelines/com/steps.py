"""What the machine of objects tells rules: a call of DCOM with all that it refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from pipelines.facts.model import BEGINNING
from pipelines.facts.reasons import Reason
from pipelines.facts.vocabulary import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.com.announcements import Announcement
    from pipelines.com.called import Called
    from pipelines.com.holdings import Held
    from pipelines.com.sight import ComPair
    from pipelines.facts.com import About, Checked, Com
    from pipelines.facts.model import CallFact, Moment

Values = dict[str, Any]
_FAILED = 0x8000_0000


class Pinged(NamedTuple):
    """A set of objects that its client kept alive by ComplexPing."""

    call: CallFact
    sequence: int


class ComStep(Struct, eq=False, kw_only=True):
    """A call that is over. What it refers to is as it stood when it was asked."""

    call: CallFact
    com: Com
    pair: ComPair
    held: Held | None = None
    """What the client holds of the IPID that it is made on; None: no reference was seen, or there is no IPID."""
    meant: Held | None = None
    """RemQueryInterface: the same of the IPID that is asked for more interfaces."""
    announced: Announcement | None = None
    """What the client was told of the process that it is made to."""
    first_made: str | None = None
    """`call_uid` of the client's first activation of one of MSMQ's classes, at whichever server; None: not known."""
    since_ns: int = 0
    """When the server was first seen; 0: not known."""
    called: Called | None = None
    """What was done, by which member; None of calls of the object resolver."""
    pinged: Pinged | None = None
    """ComplexPing: the one before it of the same set, which succeeded."""
    repeats: bool = False
    """An earlier call of its connection had the same version, was made to a process that the same was told of, and
    could be read as well: what is said of versions has been said."""
    settings: Mapping[str, int] = {}

    @property
    def request(self) -> Values:
        return self.call.request or {}

    @property
    def response(self) -> Values:
        return self.call.response or {}

    @property
    def succeeded(self) -> bool:
        """By an HRESULT; of the object resolver by a status, which is 0."""
        status = self.call.status
        if self.call.fault is not None or status is None:
            return False
        return status == 0 if self.com.object is None else not status & _FAILED

    @property
    def code(self) -> int | None:
        """The status, or what a fault carries: servers may throw what they would return."""
        found = self.call.status if self.call.fault is None else self.call.fault
        return None if found is None else found & 0xFFFF_FFFF

    @property
    def answered_late(self) -> bool:
        """The answer was captured after it had been received: with its call id it may be one to an older request."""
        return self.pair.is_late(self.call.uid, self.call.answered)

    @property
    def hole(self) -> Reason | None:
        """Why its interface may be another, as bytes of its connection are missing; or the time at which it was asked.

        The request was captured after it had been received: it was sent before, and nobody knows when.
        """
        late = self.pair.is_late(self.call.uid, self.call.began)
        return self.pair.hole_of(self.call.uid) or (Reason.TIMES_CROSS if late else None)

    def checked(self, about: About, *, given: bool) -> Checked | None:
        return next((one for one in self.com.checked if one.about == about and one.given is given), None)

    def blind(self) -> Reason | None:
        """Why the client may have been told more than was seen: whenever that was, it goes on to hold."""
        return self.pair.blind_since(BEGINNING)

    def soon_after(self, moment: Moment) -> bool:
        """The call may have been on its way when that happened."""
        return self.call.began.ts_ns - moment.ts_ns < self.settings["crossing_seconds"] * NANOSECONDS
