"""Connections to associations: context handles are valid on every connection of an association, and on no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.sessions.parties import Association, Connection

if TYPE_CHECKING:
    from pipelines.facts.model import ConnectionFact, Moment
    from pipelines.sessions.parties import Pair

MAX_STOPPED: Final = 256
"""Connections of one client that just stop, kept as open."""


def begin(pair: Pair, fact: ConnectionFact) -> Connection:
    """Put the connection with those of its association."""
    group = _group(fact)
    born = _born(fact)
    association = None if group is None else pair.associations.get(group)
    if association is not None and born is not None:
        # The server numbers a new association as an old one was: that one is over, whatever was seen of it.
        pair.associations[-id(association)] = association
        association = None
    if association is None:
        association = Association(born)
        pair.associations[-id(association) if group is None else group] = association
    association.open_uids.add(fact.uid)
    connection = Connection(fact, association, group is not None)
    pair.connections[fact.uid] = connection
    return connection


def end(pair: Pair, connection: Connection) -> list[Association]:
    """The associations that are over with this connection.

    One that was not seen to end may go on out of sight: it is kept, up to a limit, until the capture ends.
    """
    if not connection.fact.closed:
        pair.loose = True
        pair.stopped.append(connection)
        if len(pair.stopped) <= MAX_STOPPED:
            return []
        connection = pair.stopped.pop(0)
    fact, association = connection.fact, connection.association
    pair.connections.pop(fact.uid, None)
    association.open_uids.discard(fact.uid)
    association.all_closed &= fact.closed
    if any(not other.group_known and other.fact.may_read for other in pair.connections.values()):
        # One of unknown association may be of any.
        return []
    over = [one for one in pair.associations.values() if not one.open_uids]
    if not association.open_uids and association not in over:
        over.append(association)
    pair.associations = {group: one for group, one in pair.associations.items() if one.open_uids}
    return over


def _group(fact: ConnectionFact) -> int | None:
    """As the server answered, else as the client asked."""
    for bind in fact.binds:
        if bind.group:
            return bind.group
    return next((bind.asked_group for bind in fact.binds if bind.asked_group), None)


def _born(fact: ConnectionFact) -> Moment | None:
    """[C706] 12.6.3.6: a client that asks for group 0 gets a new one."""
    if fact.midstream or not fact.binds or fact.binds[0].asked_group != 0:
        return None
    return fact.began
