"""The associations of a client.

A group number belongs to one server process, that is one endpoint: the endpoint mapper and MSMQ count separately. Which
number a connection has is known from the answer to its own bind alone. Where that was not seen, the connection may be
of any association of the client there, and everything of these is in doubt.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from pipelines.facts.model import END
from pipelines.facts.reasons import Reason
from pipelines.sessions.association import Association, Connection
from pipelines.sessions.severance import severance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.facts.model import ConnectionFact, Ends

_Place: TypeAlias = tuple[int, bool]
"""Port, and whether it is numbered."""
MAX_STOPPED: Final = 256
"""Connections of one client that just stop, kept as open."""


class Associations:
    """Those that are not over, and their connections."""

    __slots__ = (
        "_all",
        "_left",
        "_movable",
        "_numbered",
        "_stopped_at",
        "_undoubted",
        "_unplaced",
        "connections",
        "loose",
        "stopped",
    )

    def __init__(self) -> None:
        self.connections: dict[str, Connection] = {}
        """Under way, by uid."""
        self.stopped: list[Connection] = []
        """Past their last packet, and not seen to end."""
        self._stopped_at: dict[Ends, Connection] = {}
        """The same by their ends."""
        self.loose = False
        """There was such a one: what it had open may be open still."""
        self._all = _ByPlace()
        self._undoubted = _ByPlace()
        """Those of them that no connection was seen of which may be one of theirs."""
        self._numbered: dict[tuple[int, int], Association] = {}
        self._left = _ByPlace()
        """Without connections, and not known to be over."""
        self._movable: dict[int, int] = {}
        """Connections that may be of another association than it seems, by port."""
        self._unplaced: dict[int, int] = {}
        """Those of them whose own has no number."""

    def __iter__(self) -> Iterator[Association]:
        return iter(self._all.of(*self._all.places))

    def begin(self, fact: ConnectionFact) -> Connection:
        """Put the connection with those of its association."""
        key = (fact.ends.resp_p, fact.group or 0)
        # A server that numbers a new association as an old one was has done with the old one, whatever was seen of it.
        known = None if fact.group is None or fact.gets_new_group else self._numbered.get(key)
        association = known or self._begun(fact)
        association.open_uids.add(fact.uid)
        self._left.discard(association)
        connection = Connection(fact, association)
        self.connections[fact.uid] = connection
        if connection.may_be_of_another:
            self._moves(connection, 1)
            self._doubt(connection)
        return connection

    def _begun(self, fact: ConnectionFact) -> Association:
        association = Association(fact.began if fact.asks_new_group else None, fact.ends.resp_p, fact.group)
        self._all.add(association)
        self._undoubted.add(association)
        if fact.group is not None:
            self._numbered[association.port, fact.group] = association
        return association

    def _doubt(self, connection: Connection) -> None:
        """With a connection whose association is not known for sure, all that it may be of are in doubt."""
        own = connection.association
        places = _may_be_at(own)
        others = sum(self._all.count(place) for place in places)
        if others > (_place(own) in places):
            own.go_blind(END, Reason.ASSOCIATION_UNKNOWN)
        for other in self._undoubted.of(*places):
            if other is not own:
                other.go_blind(END, Reason.ASSOCIATION_UNKNOWN)
                self._undoubted.discard(other)

    def _moves(self, connection: Connection, change: int) -> None:
        own = connection.association
        self._movable[own.port] = self._movable.get(own.port, 0) + change
        if own.number is None:
            self._unplaced[own.port] = self._unplaced.get(own.port, 0) + change

    def supplanted(self, fact: ConnectionFact, crossing_ns: int) -> list[Association]:
        """The associations that are over because a connection begins with the ends of one that just stopped."""
        stopped = None if fact.midstream else self._stopped_at.pop(fact.ends, None)
        if stopped is None or stopped not in self.stopped:
            return []
        self.stopped.remove(stopped)
        return self._over(stopped, crossing_ns)

    def end(self, connection: Connection, crossing_ns: int) -> list[Association]:
        """The associations that are over with this connection.

        One that was not seen to end may go on out of sight: it is kept, up to a limit, until the capture ends.
        """
        if not connection.fact.closed:
            self.loose = True
            self.stopped.append(connection)
            self._stopped_at[connection.fact.ends] = connection
            if len(self.stopped) <= MAX_STOPPED:
                return []
            connection = self.stopped.pop(0)
            self._stopped_at.pop(connection.fact.ends, None)
            connection.association.all_closed = False
        return self._over(connection, crossing_ns)

    def _over(self, connection: Connection, crossing_ns: int) -> list[Association]:
        fact, association = connection.fact, connection.association
        self.connections.pop(fact.uid, None)
        if connection.may_be_of_another:
            self._moves(connection, -1)
        association.open_uids.discard(fact.uid)
        association.severance = severance(connection, crossing_ns)
        if fact.ended_by == "server":
            association.server_left = fact.until
        elif fact.ended_by is None:
            association.perhaps_left = fact.until
        if not association.open_uids:
            self._left.add(association)
        elif resets := [one.at for one in fact.endings if one.how == "reset"]:
            association.reset, association.kept = max(resets), None
        over = self._left.of(*(place for place in _places(association.port) if not self._may_go_on(*place)))
        for one in over:
            self._drop(one)
        return over

    def _may_go_on(self, port: int, is_numbered: bool) -> bool:  # noqa: FBT001 - a place
        """A connection under way may be of those that are left there: none of them has one of its own."""
        return bool((self._unplaced if is_numbered else self._movable).get(port))

    def _drop(self, association: Association) -> None:
        for known in (self._all, self._undoubted, self._left):
            known.discard(association)
        key = (association.port, association.number or 0)
        if self._numbered.get(key) is association:
            del self._numbered[key]


class _ByPlace:
    """Associations by port, and by whether they have a number: which of them a connection may be of hangs on these.

    One client may have any number of them: none is gone through for a single connection.
    """

    __slots__ = ("_serial", "places")

    def __init__(self) -> None:
        self.places: dict[_Place, dict[int, tuple[int, Association]]] = {}
        self._serial = 0

    def add(self, association: Association) -> None:
        self._serial += 1
        self.places.setdefault(_place(association), {})[id(association)] = self._serial, association

    def discard(self, association: Association) -> None:
        there = self.places.get(_place(association), {})
        there.pop(id(association), None)
        if not there:
            self.places.pop(_place(association), None)

    def count(self, place: _Place) -> int:
        return len(self.places.get(place, ()))

    def of(self, *places: _Place) -> list[Association]:
        """In the order in which they were added."""
        found = [one for place in places for one in self.places.get(place, {}).values()]
        return [association for _, association in sorted(found, key=itemgetter(0))]


def _place(association: Association) -> _Place:
    return association.port, association.number is not None


def _places(port: int) -> tuple[_Place, _Place]:
    return (port, True), (port, False)


def _may_be_at(own: Association) -> tuple[_Place, ...]:
    """Where those are that a connection may be of although it has this one: where one of the two has no number."""
    return ((own.port, False),) if own.number is not None else _places(own.port)
