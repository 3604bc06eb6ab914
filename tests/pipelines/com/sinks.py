"""A client that hands its own object to a server, and is called back: the conversations."""

from __future__ import annotations

from decoders.oaut.building import variant
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.builders.com_talk import ComTalk
from tests.builders.conversations import Ends
from tests.pipelines.com import story as s

EVENTS = "d7d6e078-dccd-11d0-aa4b-0060970debae"
POINT, SINK, SINK_EVENTS, CLIENTS_UNKNOWN = (c.ipid(number) for number in (0x40, 0x50, 0x51, 0x52))
CLIENTS_OXID, SINK_OID, POINT_OID = 0xC1, 0x50, 0x40
CLIENTS_PORT = 51_234
NO_PING = 0x1000


def advised(sink: bytes) -> ComTalk:
    """A connection point of the object, and a sink for it."""
    talk = s.created(s.exporter()).bind(c.CONNECTION_POINT)
    s.queried(talk, s.OBJECT, c.CONNECTION_POINT, POINT, POINT_OID)
    return talk.orpc(c.CONNECTION_POINT, "Advise", POINT, {"pUnkSink": c.interface(sink)}, {"pdwCookie": 1})


def resolved(at: str = p.CLIENT, where: s.Row | None = None) -> ComTalk:
    """The server asks the client's resolver where the client's objects are."""
    talk = ComTalk(Ends(60_000, 135, p.SERVER, at)).bind(c.RESOLVER)
    asked = {"pOxid": CLIENTS_OXID, "cRequestedProtseqs": 1, "arRequestedProtseqs": [7]}
    answered = {
        "ppdsaOxidBindings": where or s.where(CLIENTS_PORT, "CLIENT", p.CLIENT),
        "pipidRemUnknown": CLIENTS_UNKNOWN,
        "pAuthnHint": 4,
        "pComVersion": {"MajorVersion": 5, "MinorVersion": 7},
        "return_value": 0,
    }
    return talk.native(c.RESOLVER, "ResolveOxid2", asked, answered)


def called_back(at: str = p.CLIENT) -> ComTalk:
    talk = ComTalk(Ends(60_001, CLIENTS_PORT, p.SERVER, at)).bind(c.REMOTE_UNKNOWN2, EVENTS)
    asked = {"ripid": SINK, "cRefs": 5, "cIids": 1, "iids": [EVENTS]}
    std = {"flags": 0, "cPublicRefs": 5, "oxid": CLIENTS_OXID, "oid": SINK_OID, "ipid": SINK_EVENTS}
    answered = {"ppQIResults": [{"hResult": 0, "std": std}]}
    talk.orpc(c.REMOTE_UNKNOWN2, "RemQueryInterface", CLIENTS_UNKNOWN, asked, answered)
    return talk.orpc(EVENTS, "Invoke", SINK_EVENTS, c.invoked(0, variant(3, 1)), c.returned())


def sink() -> bytes:
    return c.objref(c.UNKNOWN, CLIENTS_OXID, SINK_OID, SINK, hosts=("CLIENT", p.CLIENT))
