"""How an association ended: a duty binds only a party that had the chance to do it.

A client that closes its last connection could have closed its queues before. One whose server resets or closes the
connection could not, and of one that resets it nobody knows: a crash resets too.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pipelines.sessions.association import Connection


class Severance(enum.StrEnum):
    """By whom the last connection of an association was ended, and how."""

    CLIENT_CLOSED = "client_closed"
    CLIENT_RESET = "client_reset"
    SERVER_CLOSED = "server_closed"
    SERVER_RESET = "server_reset"

    @property
    def is_servers(self) -> bool:
        return self in (Severance.SERVER_CLOSED, Severance.SERVER_RESET)


_KINDS: Final = {
    ("client", "fin"): Severance.CLIENT_CLOSED,
    ("client", "reset"): Severance.CLIENT_RESET,
    ("server", "fin"): Severance.SERVER_CLOSED,
    ("server", "reset"): Severance.SERVER_RESET,
}


def severance(connection: Connection, crossing_ns: int) -> Severance | None:
    """None: not known, or nobody's choice."""
    last, left, perhaps = connection.fact, connection.association.server_left, connection.association.perhaps_left
    sides = [ending.side for ending in last.endings]
    if last.ended_by is None or last.ended_by not in sides:
        return None
    found = _KINDS[last.ended_by, last.endings[sides.index(last.ended_by)].how]
    if found is Severance.CLIENT_CLOSED and ("server" not in sides or connection.orphaned):
        # A server that does not answer any more gave no chance either. After an orphaned PDU the client has to close:
        # [MS-RPCE] 3.3.1.5.10.
        return None
    if found.is_servers:
        return found
    if left is not None and last.until.ts_ns - left.ts_ns < crossing_ns:
        # The server was leaving: what the client did with its other connections comes of that.
        return Severance.SERVER_CLOSED
    return None if perhaps is not None and last.until.ts_ns - perhaps.ts_ns < crossing_ns else found
