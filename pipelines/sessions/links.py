"""What ties protocols together on one server: [MS-MQMP] 4.2 and [MS-MQQP] 3.2.4.1.

A session of qm2qm names no queue. It is opened with numbers that R_QMOpenRemoteQueue had answered, mostly to another
host: the application asks, and its supporting server reads. Numbers are used again, so that a remote open counts only
while it is open, or a session that it was made for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.facts.reasons import Reason
from pipelines.facts.versions import goes_by_queue
from pipelines.facts.vocabulary import NANOSECONDS
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.facts.versions import Version
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

MAX_REMOTE_OPENS: Final = 65_536
MAX_REMOTE_CURSORS: Final = 65_536
MAX_LINKS: Final = 65_536
MAX_OF_AN_OPEN: Final = 256
"""Sessions at once of one remote open that are asked whether it is still their own: who supports it has one."""
APART_NS: Final = 2 * NANOSECONDS
"""Clocks of two captures may differ so much: what comes first by so little may have come last."""
MESSAGES_ONLY, MESSAGES_DIFFER = "messages_only", "messages_differ"
OPEN_WAS_CLOSED, NUMBERS_DIFFER = "open_was_closed", "numbers_differ"
"""Words of `naming_doubt` beside those of Reason."""


@dataclass(slots=True, eq=False)
class RemoteOpen:
    handshake: Session
    rival: RemoteOpen | None
    """The one before that gave the same number and was open still, as far as was seen."""
    over: Moment | None = None
    """When the handshake was closed or run down; the queue stays open for the sessions made in between."""
    sessions: dict[int, Session] = field(default_factory=dict)
    """Open ones of qm2qm that carry its number, by id()."""
    unanswered: bool = False
    """An open by qm2qm whose answer was not captured carried its number: there may be one more session."""

    def doubt(self) -> str | None:
        """Why all that keeps it open may be closed out of sight, or never was its own: then its number is another's."""
        doubts: list[str | None]
        if self.over is None:
            doubts = [self.handshake.blind_since(self.handshake.first.until)]
        else:
            if len(self.sessions) > MAX_OF_AN_OPEN:
                return str(Reason.LIMIT)
            doubts = [one.link.doubt or one.blind_since(one.first.until) for one in self.sessions.values()]
        return None if None in doubts else str(next(iter(doubts), Reason.RESPONSE_NOT_CAPTURED))

    @property
    def is_open(self) -> bool:
        return self.over is None or bool(self.sessions) or self.unanswered


@dataclass(frozen=True, slots=True)
class Link:
    """From a session of qm2qm to the remote open that it goes back to."""

    opened: Session | None = None
    """None where none is, or too many could be."""
    doubt: str | None = str(Reason.OPEN_NOT_SEEN)
    others: tuple[Session, ...] = ()
    """That it may go back to instead."""


class LinkKey(NamedTuple):
    application: str
    supporter: str
    number: int
    name: str
    use: int
    """Numbers are given again: how often this one was used between the two before."""


class Links:
    def __init__(self) -> None:
        self._by_context: Recent[int, RemoteOpen] = Recent(MAX_REMOTE_OPENS)
        self._by_queue: Recent[int, RemoteOpen] = Recent(MAX_REMOTE_OPENS)
        self._of_handshake: dict[int, RemoteOpen] = {}
        self._cursors: Recent[tuple[int, int], CallFact] = Recent(MAX_REMOTE_CURSORS)
        self._uses: Recent[tuple[str, str, int, str], int] = Recent(MAX_LINKS)

    def note(self, opened: Session) -> None:
        """A remote open that succeeded."""
        context, queue = opened.context or 0, opened.queue_handle or 0
        before = self._by_context.get(context)
        if before is not None:
            before.rival = None
        new = RemoteOpen(opened, before if before is not None and before.is_open else None)
        self._by_context.put(context, new)
        self._by_queue.put(queue, new)
        if opened.handle is None:
            new.over = opened.first.until
        else:
            self._of_handshake[id(opened)] = new

    def gave(self, queue: int | None, context: int | None) -> Session | None:
        """A remote open that answered one of these numbers, whether or not it is open still."""
        found = None if context is None else self._by_context.get(context)
        if found is None and queue is not None:
            found = self._by_queue.get(queue)
        return found.handshake if found is not None else None

    @property
    def forgets(self) -> bool:
        return self._by_context.full

    def join(self, session: Session, server: Version | None) -> None:
        """Tie a session that is opened, or first seen, now."""
        queue, context = session.queue_handle or 0, session.context or session.queue_handle or 0
        if session.opened is not None and session.context is None:
            # The request that has it was cut.
            known = self._by_queue.get(queue)
            session.link = Link(None, str(Reason.BYTES_MISSING), () if known is None else (known.handshake,))
            return
        by_queue = goes_by_queue(server)
        by_context = self._by_context.get(context)
        of_queue = self._by_queue.get(queue)
        meant, other = (of_queue, by_context) if by_queue else (by_context, of_queue)
        others = () if by_queue is False or other is None or other is meant or not other.is_open else (other,)
        session.link = self._link(session, meant, others)
        if session.link.opened is not None and meant is not None:
            meant.sessions[id(session)] = session
            session.remote_open = meant
            self._count_use(session)

    def _link(self, session: Session, meant: RemoteOpen | None, others: tuple[RemoteOpen, ...]) -> Link:
        candidates = tuple(one.handshake for one in others)
        if meant is None:
            unknown = NUMBERS_DIFFER if others else str(Reason.LIMIT) if self.forgets else str(Reason.OPEN_NOT_SEEN)
            return Link(None, unknown, candidates)
        opened = meant.handshake
        if not meant.is_open and meant.over is not None:
            lately = session.first.began.ts_ns - meant.over.ts_ns <= APART_NS
            if not lately:
                return Link(None, OPEN_WAS_CLOSED, (opened, *candidates))
            return Link(opened, OPEN_WAS_CLOSED, candidates)
        if others:
            return Link(opened, NUMBERS_DIFFER, candidates)
        if meant.rival is not None and not _alike(meant.rival.handshake, opened):
            return Link(opened, str(Reason.SEVERAL_OPENS), (meant.rival.handshake,))
        if session.opened is None:
            return Link(opened, str(Reason.OPEN_NOT_SEEN))
        return Link(opened, meant.doubt())

    def join_late(self, session: Session) -> None:
        """Of a session that is over and that nothing names: its remote open may seem to come after it."""
        found = self._by_context.get(session.context or session.queue_handle or 0)
        if session.link.opened is not None or found is None or session.opened is None:
            return
        asked = found.handshake.first.began.ts_ns - session.first.began.ts_ns
        if 0 <= asked <= APART_NS:
            session.link = Link(found.handshake, str(Reason.TIMES_CROSS))
            self._count_use(session)

    def unanswered(self, step: CallStep) -> None:
        """An open by qm2qm of which nobody knows what came."""
        context = step.number(step.request, "dwpContext")
        found = None if context is None else self._by_context.get(context)
        if found is not None and found.is_open:
            found.unanswered = True

    def over(self, session: Session, moment: Moment | None) -> None:
        """A handshake or a session is closed, run down or given up."""
        handshake = self._of_handshake.pop(id(session), None)
        if handshake is not None:
            handshake.over = moment or session.first.until
        if session.remote_open is not None:
            session.remote_open.sessions.pop(id(session), None)
            session.remote_open = None

    def _count_use(self, session: Session) -> None:
        opened = session.link.opened
        if opened is not None:
            hosts = opened.pair.client, session.pair.client
            session.link_key = self.use(*hosts, opened.queue_handle or 0, opened.queue_name)

    def use(self, application: str, supporter: str, number: int, name: str | None) -> LinkKey:
        """The same on both wires on which a number is used: with the supporting server, and with who gave it."""
        place = application, supporter, number, (name or "").lower()
        before = self._uses.get(place) or 0
        self._uses.put(place, before + 1)
        return LinkKey(*place, before)

    def note_cursor(self, queue_handle: int, cursor: int, made: CallFact) -> None:
        self._cursors.put((queue_handle, cursor), made)

    def cursor(self, queue_handle: int, cursor: int) -> CallFact | None:
        return self._cursors.get((queue_handle, cursor))


def _alike(one: Session, other: Session) -> bool:
    """Which of the two it was makes no difference to what is told."""
    return (one.queue_name, one.first.client, one.first.username) == (
        other.queue_name,
        other.first.client,
        other.first.username,
    )
