"""The state of one server: fed facts in order of time, it tells steps.

What is kept is what is open: connections, sessions, reads, calls under way. What has passed is remembered only for a
while (`Recent`), so that millions of calls cost no more memory than hundreds.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.dcerpc.call_model import CallOutcome
from pipelines.facts.model import BEGINNING, END, READING, BlindFact, CallFact, ConnectionFact
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.reasons import Reason
from pipelines.facts.vocabulary import CHANGING, NANOSECONDS
from pipelines.sessions.memory import Recent, ServerView
from pipelines.sessions.parties import Pair
from pipelines.sessions.protocols import Protocols
from pipelines.sessions.steps import CallStep, ConnectionOver, ConnectionStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.facts.model import Fact, Moment
    from pipelines.facts.versions import Version
    from pipelines.sessions.association import Association, Connection
    from pipelines.sessions.memory import MissedBytes
    from pipelines.sessions.steps import Step

_Ending: TypeAlias = "tuple[Moment, int, int, CallStep | Connection, Pair]"
_CALL_FIRST: Final = 0
_CONNECTION_AFTER: Final = 1
MAX_PAIRS: Final = 32_768
"""Clients of one server kept in mind, some kilobytes each; with more, those that have nothing open are forgotten, oldest
first, and where there is none the oldest is, in doubt.
"""
MAX_ALIKE: Final = 8
"""Associations of one number kept in mind: one that is seen under several addresses, or of a server started again."""

_LOOKED_AT: Final = 4
"""Of the oldest clients, for each that is one too many: what is busy stays."""


class ServerMachine:
    def __init__(self, versions: Mapping[str, Version], settings: Mapping[str, int]) -> None:
        self._versions, self._settings = versions, settings
        self._crossing_ns = settings["crossing_seconds"] * NANOSECONDS
        self._pairs: OrderedDict[str, Pair] = OrderedDict()
        self._protocols = Protocols()
        self._view = ServerView()
        self._endings: list[_Ending] = []
        self._serial = 0
        self._missing: list[tuple[BlindFact, MissedBytes]] = []
        """What begins just now, and a client may have said: it is missing behind what was asked in the same packet."""
        self._groups: Recent[tuple[int, int], tuple[Association, ...]] = Recent(MAX_PAIRS)
        """By the server's port and the number that it gave, the newest first."""
        self._given_up: list[Pair] = []
        """Clients that are forgotten just now, whatever they have open."""
        self._forgotten = BEGINNING
        """Until when something of clients that were forgotten was out of sight."""

    def feed(self, fact: Fact) -> Iterator[Step]:
        """Facts come in order of (began, place)."""
        yield from self.settle(fact.began)
        if self._missing and fact.began > self._missing[0][0].began:
            self._note_missing()
        if self._view.since is None and not isinstance(fact, BlindFact):
            self._view.since = fact.began
        if isinstance(fact, BlindFact):
            self._blind(fact)
        elif isinstance(fact, ConnectionFact):
            yield from self._connection(fact)
        else:
            self._asked(fact)
        while self._given_up:
            # What it does later may concern what it has open now.
            self._forgotten = max(self._forgotten, fact.began)
            yield from self._protocols.forgotten(self._given_up.pop())

    def _blind(self, fact: BlindFact) -> None:
        pair = self._pair(fact.client)
        self._view.go_blind(fact.until, fact.reason)
        connection = pair.associations.connections.get(fact.uid)
        if fact.reason is Reason.TIMES_CROSS and connection is not None:
            connection.late.add(fact.until)
        if fact.reason is not Reason.CAPTURE_ENDED and fact.said_by != "server" and fact.octets != 0:
            self._missing.append((fact, _missed(pair, connection)))
        if fact.reason is Reason.CAPTURE_ENDED and connection is not None and connection.is_numbered:
            # What a connection may still have carried concerns its own association.
            connection.association.go_blind(fact.until, fact.reason)
        else:
            pair.go_blind(fact.until, fact.reason)

    def _note_missing(self) -> None:
        for fact, unheard in self._missing:
            unheard.note(fact.until, fact.reason, fact.octets)
        self._missing.clear()

    def finish(self) -> Iterator[Step]:
        """No more facts come."""
        yield from self.settle(END)
        for pair in self._pairs.values():
            yield from self._protocols.capture_ended(pair)
        yield from self._protocols.finish()

    def settle(self, until: Moment) -> Iterator[Step]:
        """What ended by then."""
        while self._endings and self._endings[0][0] <= until:
            moment, _, _, what, pair = heapq.heappop(self._endings)
            if isinstance(what, CallStep):
                self._view.changes_under_way -= what.call.method in CHANGING
                self._protocols.answered(what, moment)
                yield what
                _heard(what)
                yield from self._protocols.steps()
            else:
                over = pair.associations.end(what, self._crossing_ns)
                yield from self._protocols.severed(pair, over, moment)
                yield ConnectionOver(what.fact.uid)

    def _push(self, moment: Moment, rank: int, what: CallStep | Connection, pair: Pair) -> None:
        self._serial += 1
        heapq.heappush(self._endings, (moment, rank, self._serial, what, pair))

    def _pair(self, client: str) -> Pair:
        pair = self._pairs.get(client)
        if pair is None:
            pair = self._pairs[client] = Pair(client)
            pair.go_blind(self._forgotten, Reason.LIMIT)
            if len(self._pairs) > MAX_PAIRS:
                self._forget()
        return pair

    def _forget(self) -> None:
        """The oldest with nothing open; who is busy is looked at again when all others were."""
        for _ in range(_LOOKED_AT):
            name, pair = self._pairs.popitem(last=False)
            if pair.is_idle:
                self._forgotten = max(self._forgotten, pair.blind_until)
                return
            self._pairs[name] = pair
        self._given_up.append(self._pairs.popitem(last=False)[1])

    def _connection(self, fact: ConnectionFact) -> Iterator[Step]:
        pair = self._pair(fact.ends.orig_h)
        if over := pair.associations.supplanted(fact, self._crossing_ns):
            yield from self._protocols.severed(pair, over, fact.began)
        connection = pair.associations.begin(fact)
        self._note_group(connection)
        self._push(fact.until, _CONNECTION_AFTER, connection, pair)
        yield ConnectionStep(fact, pair)

    def _note_group(self, connection: Connection) -> None:
        """A client that has several addresses, or a translator with several, may join from each what it began.

        Where both sides of a translator are captured one association has several addresses as well.
        """
        fact, own = connection.fact, connection.association
        for group in () if fact.gets_new_group else fact.groups:
            for joined in self._alike(own.port, group):
                if joined is not own:
                    joined.go_blind(END, Reason.ASSOCIATION_UNKNOWN)
                    own.go_blind(END, Reason.ASSOCIATION_UNKNOWN)
        if own.number is None:
            return
        key = own.port, own.number
        alike = (own, *(one for one in self._alike(*key) if one is not own and one.open_uids))
        for forgotten in alike[MAX_ALIKE:]:
            forgotten.go_blind(END, Reason.LIMIT)
        self._groups.put(key, alike[:MAX_ALIKE])

    def _alike(self, port: int, group: int) -> tuple[Association, ...]:
        """The newest, and older ones that have connections: numbers of others may have been given anew."""
        newest, *older = self._groups.get((port, group)) or (None,)
        return () if newest is None else (newest, *(one for one in older if one.open_uids))

    def _asked(self, call: CallFact) -> None:
        pair = self._pair(call.client)
        connection = pair.associations.connections.get(call.uid)
        step = CallStep(
            call,
            pair,
            connection,
            server_version=self._versions.get(call.server),
            client_version=self._versions.get(call.client),
            asked_version=pair.asked_version,
            version_answer=connection.association.version_answer if connection else None,
            port_answer=pair.port_answer,
            settings=self._settings,
            view=self._view,
        )
        if connection is not None and call.outcome == CallOutcome.ORPHANED:
            connection.orphaned = True
        if (reason := _hides(call)) is not None:
            pair.go_blind(call.until, reason)
            _missed(pair, connection).note(call.until, reason, None)
            self._view.go_blind(call.until, reason)
        self._view.changes_under_way += call.method in CHANGING
        self._protocols.asked(step)
        # A call that nobody answered is under way until its connection ends.
        until = call.until if call.answered or connection is None else max(call.began, connection.fact.until)
        self._push(until, _CALL_FIRST, step, pair)


def _missed(pair: Pair, connection: Connection | None) -> MissedBytes:
    return pair.stray if connection is None else connection.association.missed


def _heard(step: CallStep) -> None:
    call, connection = step.call, step.connection
    if connection is not None and call.answered is not None and call.asked:
        connection.served = max(connection.served or call.began, call.began)
        connection.answers.append((call.began, call.answered))


def _hides(call: CallFact) -> Reason | None:
    """Why what the call did cannot be seen."""
    if call.endpoint not in READING:
        return None
    if call.encrypted:
        return Reason.SEALED
    if call.outcome == CallOutcome.EVICTED:
        return Reason.LIMIT
    if call.operation is None:
        return None
    reason = request_hidden(call) if call.asked else None
    return reason or (None if call.answered is None else response_hidden(call))
