"""The associations of a client.

A group number belongs to one server process, that is one endpoint: the endpoint mapper and MSMQ count separately. Which
number a connection has is known from the answer to its own bind alone. Where that was not seen, the connection may be
of any association of the client there, and everything of these is in doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.model import END
from pipelines.facts.reasons import Reason
from pipelines.sessions.association import Association, Connection
from pipelines.sessions.severance import severance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.facts.model import ConnectionFact, Ends

MAX_STOPPED: Final = 256
"""Connections of one client that just stop, kept as open."""


class Associations:
    """Those that are not over, and their connections."""

    def __init__(self) -> None:
        self.connections: dict[str, Connection] = {}
        """Under way, by uid."""
        self.stopped: list[Connection] = []
        """Past their last packet, and not seen to end."""
        self._stopped_at: dict[Ends, Connection] = {}
        """The same by their ends."""
        self.loose = False
        """There was such a one: what it had open may be open still."""
        self._all: dict[int, Association] = {}
        """By id()."""
        self._numbered: dict[tuple[int, int], Association] = {}
        self._unnumbered: dict[int, Association] = {}
        self._left: dict[int, Association] = {}
        """Without connections, and not known to be over."""
        self._movable: dict[str, Connection] = {}
        """Connections that may be of another association than it seems."""

    def __iter__(self) -> Iterator[Association]:
        return iter(list(self._all.values()))

    def begin(self, fact: ConnectionFact) -> Connection:
        """Put the connection with those of its association."""
        key = (fact.ends.resp_p, fact.group or 0)
        # A server that numbers a new association as an old one was has done with the old one, whatever was seen of it.
        known = None if fact.group is None or fact.gets_new_group else self._numbered.get(key)
        association = known or self._begun(fact)
        association.open_uids.add(fact.uid)
        self._left.pop(id(association), None)
        connection = Connection(fact, association)
        self.connections[fact.uid] = connection
        if connection.may_be_of_another:
            self._movable[fact.uid] = connection
            self._doubt(connection)
        return connection

    def _begun(self, fact: ConnectionFact) -> Association:
        association = Association(fact.began if fact.asks_new_group else None, fact.ends.resp_p, fact.group)
        self._all[id(association)] = association
        if fact.group is None:
            self._unnumbered[id(association)] = association
        else:
            self._numbered[association.port, fact.group] = association
        return association

    def _doubt(self, connection: Connection) -> None:
        """With a connection whose association is not known for sure, all that it may be of are in doubt."""
        others = self._unnumbered if connection.is_numbered else self._all
        for other in others.values():
            if _may_be_of(connection, other):
                other.go_blind(END, Reason.ASSOCIATION_UNKNOWN)
                connection.association.go_blind(END, Reason.ASSOCIATION_UNKNOWN)

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
        self._movable.pop(fact.uid, None)
        association.open_uids.discard(fact.uid)
        association.severance = severance(connection, crossing_ns)
        if fact.ended_by == "server":
            association.server_left = fact.until
        elif fact.ended_by is None:
            association.perhaps_left = fact.until
        if not association.open_uids:
            self._left[id(association)] = association
        elif resets := [one.at for one in fact.endings if one.how == "reset"]:
            association.reset, association.kept = max(resets), None
        over = [one for one in self._left.values() if not self._may_go_on(one)]
        for one in over:
            self._drop(one)
        return over

    def _may_go_on(self, association: Association) -> bool:
        """A connection under way may be of it."""
        return any(_may_be_of(other, association) for other in self._movable.values())

    def _drop(self, association: Association) -> None:
        for known in (self._all, self._unnumbered, self._left):
            known.pop(id(association), None)
        key = (association.port, association.number or 0)
        if self._numbered.get(key) is association:
            del self._numbered[key]


def _may_be_of(connection: Connection, association: Association) -> bool:
    """Whether the association may be the connection's own, although it has another here."""
    own = connection.association
    if own is association or own.port != association.port:
        return False
    return own.number is None or association.number is None
