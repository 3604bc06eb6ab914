"""What the server and the client's own exporter answer in the live talk of events. No impacket here: tests read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.builders import com_values as c
from tests.builders.com_talk import answer_stub
from tests.live.com_story import IREMUNKNOWN, LOGIN, Scene
from tests.live.report import HOST

if TYPE_CHECKING:
    from tests.live.com_story import Answers

__all__ = ("LOGIN",)
EVENTS: Final = "d7d6e078-dccd-11d0-aa4b-0060970debae"
MSMQ_EVENT: Final = "d7d6e07a-dccd-11d0-aa4b-0060970debae"
SERVER: Final = Scene("server", 5, 0x400)
CLIENT: Final = Scene("client", 5, 0x500)
"""An exporter too, of its sink."""
REMOTE_UNKNOWN, FACTORY, POINT, SINK, SINK_EVENTS = range(5)
POINT_OID, SINK_OID = 0x441, 0x551
COOKIE: Final = 7
ARRIVED: Final = 0
"""DISPID of Arrived: [MC-MQAC] 3.16.4.4."""
CURSOR: Final = 2


def sink() -> bytes:
    return c.objref(c.UNKNOWN, CLIENT.oxid, SINK_OID, CLIENT.ipid(SINK), hosts=("CLIENT", HOST))


def resolver_answers(port: int) -> Answers:
    reference = (c.FACTORY, c.objref(c.FACTORY, SERVER.oxid, SERVER.oid, SERVER.ipid(FACTORY)))
    told = c.activated(SERVER.oxid, SERVER.ipid(REMOTE_UNKNOWN), _where(port), reference, hint=SERVER.level)
    values = {"orpcthat": c.that(1), "ppActProperties": told}
    stub = answer_stub(c.ACTIVATOR, "RemoteGetClassObject", values, native=True)
    return {(c.ACTIVATOR, 3): lambda _: stub}


def exporter_answers() -> Answers:
    made = c.pointer(c.objref(c.CONNECTION_POINT, SERVER.oxid, POINT_OID, SERVER.ipid(POINT)))
    created = answer_stub(c.FACTORY, "CreateInstance", {"ppUnknown": made})
    advised = answer_stub(c.CONNECTION_POINT, "Advise", {"pdwCookie": COOKIE})
    return {(c.FACTORY, 3): lambda _: created, (c.CONNECTION_POINT, 5): lambda _: advised}


def client_resolver_answers(port: int) -> Answers:
    values = {
        "ppdsaOxidBindings": _where(port),
        "pipidRemUnknown": CLIENT.ipid(REMOTE_UNKNOWN),
        "pAuthnHint": CLIENT.level,
        "pComVersion": {"MajorVersion": 5, "MinorVersion": 7},
    }
    stub = answer_stub(c.RESOLVER, "ResolveOxid2", values, native=True)
    return {(c.RESOLVER, 4): lambda _: stub}


def sink_answers() -> Answers:
    called = answer_stub(EVENTS, "Invoke", c.returned())
    ipid = CLIENT.ipid(SINK_EVENTS)
    std = {"flags": 0, "cPublicRefs": 1, "oxid": CLIENT.oxid, "oid": SINK_OID, "ipid": ipid}
    queried = answer_stub(IREMUNKNOWN, "RemQueryInterface", {"ppQIResults": [{"hResult": 0, "std": std}]})
    return {(EVENTS, 6): lambda _: called, (IREMUNKNOWN, 3): lambda _: queried}


def _where(port: int) -> c.Values:
    return c.bindings(f"HERE[{port}]", f"{HOST}[{port}]")
