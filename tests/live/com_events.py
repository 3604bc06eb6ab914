"""What a server of events answers, and the client that it calls back. No impacket here: the tests read it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.builders import com_values as c
from tests.builders.com_talk import answer_stub
from tests.live.report import HOST
from tests.pipelines.com import sinks

if TYPE_CHECKING:
    from tests.live.com_story import Answers

SINK_INTERFACE: Final = sinks.EVENTS
EVENT: Final = "d7d6e07a-dccd-11d0-aa4b-0060970debae"
"""CLSID of MSMQEvent."""
CONTAINER: Final = "b196b284-bab4-101a-b69c-00aa00341d07"
REMOTE_UNKNOWN: Final = "00000131-0000-0000-c000-000000000046"
OXID, FACTORY_OID, EVENT_OID, POINT_OID = 0x500, 0x501, 0x502, 0x503
SINK_OXID, SINK_OID = 0x600, 0x601
SERVERS_UNKNOWN, FACTORY, MADE, CONTAINER_OF_IT, POINT = (c.ipid(0x5000 + place) for place in range(5))
SINKS_UNKNOWN, SINK, SINK_EVENTS = (c.ipid(0x6000 + place) for place in range(3))
COOKIE: Final = 77
ARRIVED: Final = 0
"""DISPID."""
_VERSION: Final = {"MajorVersion": 5, "MinorVersion": 7}


def _reference(iid: str, oid: int, of: str) -> bytes:
    return c.objref(iid, OXID, oid, of, hosts=("SERVER", HOST))


def sink_reference() -> bytes:
    return c.objref(c.UNKNOWN, SINK_OXID, SINK_OID, SINK, hosts=("CLIENT", HOST))


def _queried(oxid: int, oid: int, of: str) -> bytes:
    std = {"flags": 0, "cPublicRefs": 1, "oxid": oxid, "oid": oid, "ipid": of}
    return answer_stub(REMOTE_UNKNOWN, "RemQueryInterface", {"ppQIResults": [{"hResult": 0, "std": std}]})


def resolver_answers(port: int) -> Answers:
    where = c.bindings(f"SERVER[{port}]", f"{HOST}[{port}]")
    factory = (c.FACTORY, _reference(c.FACTORY, FACTORY_OID, FACTORY))
    told = c.activated(OXID, SERVERS_UNKNOWN, where, factory, hint=5)
    values = {"orpcthat": c.that(1), "ppActProperties": told}
    stub = answer_stub(c.ACTIVATOR, "RemoteGetClassObject", values, native=True)
    return {(c.ACTIVATOR, 3): lambda _: stub}


def exporter_answers() -> Answers:
    made = c.pointer(_reference(c.UNKNOWN, EVENT_OID, MADE))
    point = c.interface(_reference(c.CONNECTION_POINT, POINT_OID, POINT))
    stubs = {
        (c.FACTORY, 3): answer_stub(c.FACTORY, "CreateInstance", {"ppUnknown": made}),
        (REMOTE_UNKNOWN, 3): _queried(OXID, EVENT_OID, CONTAINER_OF_IT),
        (CONTAINER, 4): answer_stub(CONTAINER, "FindConnectionPoint", {"ppCP": point}),
        (c.CONNECTION_POINT, 5): answer_stub(c.CONNECTION_POINT, "Advise", {"pdwCookie": COOKIE}),
    }
    return {operation: lambda _, stub=stub: stub for operation, stub in stubs.items()}  # type: ignore[misc]


def sinks_resolver_answers(port: int) -> Answers:
    told = {
        "ppdsaOxidBindings": c.bindings(f"CLIENT[{port}]", f"{HOST}[{port}]", principal="CORP\\branch-reader"),
        "pipidRemUnknown": SINKS_UNKNOWN,
        "pAuthnHint": 5,
        "pComVersion": _VERSION,
    }
    stub = answer_stub(c.RESOLVER, "ResolveOxid2", told, native=True)
    return {(c.RESOLVER, 4): lambda _: stub}


def sink_answers() -> Answers:
    queried, taken = _queried(SINK_OXID, SINK_OID, SINK_EVENTS), answer_stub(SINK_INTERFACE, "Invoke", c.returned())
    return {(REMOTE_UNKNOWN, 3): lambda _: queried, (SINK_INTERFACE, 6): lambda _: taken}
