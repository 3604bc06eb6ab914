"""How a client keeps what it holds: it pings the object resolver. [MS-DCOM] 3.2.6."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.conforming.mapper import PORT

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_client import ComClient
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.schedule import Until
    from tests.conforming.stage import Value
    from tests.conforming.transport import Connection

    Doing = Generator[Until | None, None, None]

_RESOLVER = "IObjectExporter"


@dataclass(slots=True)
class PingSet:
    boot: int
    number: int = 0
    sequence: int = 0
    held: set[int] = field(default_factory=set)
    """OIDs that the resolver was told of."""
    busy: bool = False


def ping(client: ComClient, server: QueueManager) -> Doing:
    """By ComplexPing where something was added or given back, else by SimplePing."""
    known = client.ping_sets.get(server)
    if known is None or known.boot != server.boot:
        known = client.ping_sets[server] = PingSet(server.boot)
    if known.busy or not server.up:
        return
    known.busy = True
    holds = {one.oid for one in client.proxies if one.exporter.server is server and not one.lost and one.oid}
    endpoint = server.endpoints[PORT]
    usable = client.usable(endpoint)
    connection = usable[0] if usable else client.connect(endpoint, _RESOLVER)
    client.speak(connection, _RESOLVER)
    if known.number and holds == known.held:
        yield from client.call(connection, "SimplePing", {"pSetId": known.number})
    elif holds or known.number:
        yield from _change(client, known, connection, holds, server)
    known.busy = False


def _change(client: ComClient, known: PingSet, connection: Connection, holds: set[int], server: QueueManager) -> Doing:
    added, gone = sorted(holds - known.held), sorted(known.held - holds)
    lists = {"AddToSet": _written(added), **({"DelFromSet": _written(gone)} if gone else {})}
    asked: dict[str, Value] = {"pSetId": known.number, "SequenceNum": known.sequence + 1, **lists}
    reply = yield from client.call(connection, "ComplexPing", asked)
    if reply is None or not reply.get("pSetId"):
        # Nobody knows which set it is, if any: the next ping begins one.
        client.ping_sets.pop(server, None)
        return
    known.number, known.sequence, known.held = int(reply["pSetId"]), known.sequence + 1, holds


def _written(oids: list[int]) -> str:
    return f"[{', '.join(map(str, oids))}]" if oids else "null"
