"""Clients that come back with less protection after a bind was refused.

The refusal and the weaker bind that was accepted are both seen, so a missing packet takes findings away and adds none,
but for one: an alter_context can protect a connection after its first bind. So a connection is judged when it is over,
by the best that any bind of it asks for, and only where nothing of it was missed.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace

from decoders.dcerpc.names import REJECT_REASON
from decoders.dcerpc.well_known import INTERFACES
from pipelines.facts.model import MAX_BINDS, Moment
from pipelines.facts.reasons import Reason
from pipelines.rules.authentication import level_shown, strength
from pipelines.rules.model import Detected, Subject, Undecided, Watcher
from pipelines.sessions.memory import REMEMBERED, Recent
from pipelines.sessions.steps import CallStep, ConnectionStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.facts.model import BindFact, Method
    from pipelines.rules.model import Judged, Settings

_ABOUT_SECURITY: Final = frozenset(REJECT_REASON[number] for number in (0, 8, 9))
"""Reasons of a bind_nak that the authentication can have brought about; congestion and old versions are none."""
_ACCEPTED, _REFUSED = "accepted", "refused"
_MOST_ATTEMPTS: Final = 16
"""Of one client at one interface."""


@dataclass(frozen=True, slots=True)
class _Retry:
    """A connection that is weaker than what was refused before."""

    step: ConnectionStep
    interface: str
    before: BindFact
    best: BindFact
    accepted: BindFact | None

    def judged(self) -> Detected | Undecided:
        reason = self._doubt()
        if reason is not None or self.accepted is None:
            return Undecided(self.step, reason or Reason.RESPONSE_NOT_CAPTURED)
        return Detected(
            self._at(self.accepted),
            {
                "interface": INTERFACES[self.interface],
                "refused level": level_shown(self.before.auth_level),
                "refused because": self.before.reason,
                "refused in": _place(self.before),
                "accepted level": level_shown(self.best.auth_level),
                "accepted in": _place(self.accepted),
            },
        )

    def _at(self, bind: BindFact) -> ConnectionStep:
        """The connection as of its bind: that is when it happened, whether or not the handshake was captured."""
        fact = self.step.fact
        moment = Moment(bind.ts_ns, fact.began.file, bind.frame)
        return ConnectionStep(replace(fact, began=moment), self.step.pair)

    def _doubt(self) -> Reason | None:
        fact = self.step.fact
        if fact.midstream:
            return Reason.STARTED_MIDSTREAM
        if self.before.answer is None:
            return Reason.RESPONSE_NOT_CAPTURED
        if len(fact.binds) >= MAX_BINDS:
            return Reason.LIMIT
        if not fact.closed:
            return Reason.CAPTURE_ENDED
        return self.step.pair.blind_since(Moment(self.before.ts_ns, -1, 0))


class Retries(Watcher):
    subjects: ClassVar = frozenset((Subject.CONNECTION,))

    def __init__(self, settings: Settings) -> None:
        self._within_ns = settings["retry_seconds"] * 1_000_000_000
        self._attempts: Recent[tuple[str, str], deque[BindFact]] = Recent(REMEMBERED)
        """Refused, or with an answer that is missing; by client and interface."""
        self._open: list[tuple[Moment, int, _Retry]] = []
        """Connections not over yet, by their end."""
        self._serial = 0

    def sees_calls_of(self, _: Method) -> bool:
        """Each tells the time."""
        return True

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if isinstance(step, CallStep) and not self._open:
            return ()
        return self._seen(step)

    def _seen(self, step: Judged) -> Iterator[Detected | Undecided | bool]:
        if isinstance(step, CallStep):
            yield from self._over(step.call.until)
        elif isinstance(step, ConnectionStep):
            yield from self._over(step.fact.began)
            for interface in sorted({one for bind in step.fact.binds for one in bind.interfaces} & INTERFACES.keys()):
                yield from self._bound(step, interface)

    def finish(self) -> Iterator[Detected | Undecided]:
        while self._open:
            yield heapq.heappop(self._open)[2].judged()

    def _over(self, now: Moment) -> Iterator[Detected | Undecided]:
        """Whatever was missed of them has been told by now."""
        while self._open and self._open[0][0] < now:
            yield heapq.heappop(self._open)[2].judged()

    def _bound(self, step: ConnectionStep, interface: str) -> Iterator[Undecided | bool]:
        attempts = self._noted(step, interface)
        # Several interfaces in one bind: the fact does not say which of them was accepted.
        own = [one for one in step.fact.binds if set(one.interfaces) == {interface} and one.answer != _REFUSED]
        before = [one for one in attempts if any(self._soon_after(one, bind) for bind in own)]
        if not before:
            return
        # A security context serves all interfaces of its connection: [MS-RPCE] 3.3.1.5.4.
        best = max((one for one in step.fact.binds if one.answer != _REFUSED), key=_strength)
        stronger = [one for one in before if _strength(one) > _strength(best)]
        if stronger:
            # The latest that is sure: the shorter the time in which nothing may have been missed.
            last = max(stronger, key=lambda one: (one.answer is not None, one.ts_ns))
            then = (one for one in own if one.answer == _ACCEPTED and self._soon_after(last, one))
            yield from self._wait(_Retry(step, interface, last, best, next(then, None)))
        elif any(one.answer for one in before):
            yield True

    def _soon_after(self, attempt: BindFact, bind: BindFact) -> bool:
        return 0 < bind.ts_ns - attempt.ts_ns <= self._within_ns

    def _noted(self, step: ConnectionStep, interface: str) -> deque[BindFact]:
        key = step.fact.ends.orig_h, interface
        attempts = self._attempts.get(key) or deque(maxlen=_MOST_ATTEMPTS)
        for bind in step.fact.binds:
            if (
                interface in bind.interfaces
                and _strength(bind)
                and (bind.answer is None or _refused_for_security(bind))
            ):
                attempts.append(bind)
                self._attempts.put(key, attempts)
        return attempts

    def _wait(self, retry: _Retry) -> Iterator[Undecided]:
        self._serial += 1
        heapq.heappush(self._open, (retry.step.fact.until, self._serial, retry))
        if len(self._open) > REMEMBERED:
            yield Undecided(heapq.heappop(self._open)[2].step, Reason.LIMIT)


def _place(bind: BindFact) -> str:
    return f"{bind.capture_id}, frame {bind.frame}"


def _strength(bind: BindFact) -> int:
    return strength(bind.auth_level)


def _refused_for_security(bind: BindFact) -> bool:
    """By a bind_nak: a bind_ack that takes no context has let the authentication pass, and gives a group."""
    return bind.answer == _REFUSED and bind.group is None and bind.reason in _ABOUT_SECURITY
