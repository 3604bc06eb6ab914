"""A client hands its own object to a server, which calls it: the client is an exporter then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.oaut.building import variant
from ingest.choice import Choice
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.builders.com_talk import ComTalk
from tests.builders.conversations import Ends
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path

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


def resolved() -> ComTalk:
    """The server asks the client's resolver where the client's objects are."""
    talk = ComTalk(Ends(60_000, 135, p.SERVER, p.CLIENT)).bind(c.RESOLVER)
    asked = {"pOxid": CLIENTS_OXID, "cRequestedProtseqs": 1, "arRequestedProtseqs": [7]}
    answered = {
        "ppdsaOxidBindings": s.where(CLIENTS_PORT, "CLIENT", p.CLIENT),
        "pipidRemUnknown": CLIENTS_UNKNOWN,
        "pAuthnHint": 4,
        "pComVersion": {"MajorVersion": 5, "MinorVersion": 7},
        "return_value": 0,
    }
    return talk.native(c.RESOLVER, "ResolveOxid2", asked, answered)


def called_back() -> ComTalk:
    talk = ComTalk(Ends(60_001, CLIENTS_PORT, p.SERVER, p.CLIENT)).bind(c.REMOTE_UNKNOWN2, EVENTS)
    asked = {"ripid": SINK, "cRefs": 5, "cIids": 1, "iids": [EVENTS]}
    std = {"flags": 0, "cPublicRefs": 5, "oxid": CLIENTS_OXID, "oid": SINK_OID, "ipid": SINK_EVENTS}
    answered = {"ppQIResults": [{"hResult": 0, "std": std}]}
    talk.orpc(c.REMOTE_UNKNOWN2, "RemQueryInterface", CLIENTS_UNKNOWN, asked, answered)
    return talk.orpc(EVENTS, "Invoke", SINK_EVENTS, c.invoked(0, variant(3, 1)), c.returned())


def sink() -> bytes:
    return c.objref(c.UNKNOWN, CLIENTS_OXID, SINK_OID, SINK, hosts=("CLIENT", p.CLIENT))


def test_the_sink_is_an_object_of_the_clients_host(tmp_path: Path) -> None:
    calls, objects = s.rows(s.captured(tmp_path, s.activation(), advised(sink()), resolved(), called_back()))
    of_client = s.by_oid([row for row in objects if row["exporter"]["host"] == p.CLIENT])
    assert set(of_client) == {None, SINK_OID}
    (advise,) = [row for row in calls if row["member"] == "Advise"]
    (event,) = [row for row in calls if row["via"] == "invoke"]
    found = of_client[SINK_OID]
    assert found["given_by"] == advise["call_uid"]
    assert (found["client"], found["doubt"], found["clsid"]) == (p.SERVER, None, None)
    assert found["exporter"] == {"host": p.CLIENT, "port": CLIENTS_PORT}
    assert found["oxid"] == f"{CLIENTS_OXID:016x}"
    assert [(one["ipid"], one["interface"]) for one in found["interfaces"]] == [
        (SINK, "IUnknown"),
        (SINK_EVENTS, "_DMSMQEventEvents"),
    ]
    assert (found["references_given"], found["calls"]) == (10, 1)
    assert event["object_uid"] == found["object_uid"]
    assert (event["doubt"], event["interface"], event["id"]["resp_h"]) == (None, "_DMSMQEventEvents", p.CLIENT)
    assert advise["arguments"][0]["value"] == f"IUnknown {SINK}"
    assert SINK_OID not in s.by_oid([row for row in objects if row["exporter"]["host"] == p.SERVER])


def test_a_servers_own_object_that_comes_back_hands_over_references(tmp_path: Path) -> None:
    """[MS-DCOM] 3.2.4.3. It stays one object of the server's."""
    back = c.objref(c.DISPATCH, s.OXID, s.OBJECT_OID, s.DISPATCH, 1, NO_PING, ("SERVER", p.SERVER))
    _, objects = s.rows(s.captured(tmp_path, s.activation(), advised(back)))
    of_server = s.by_oid([row for row in objects if row["exporter"]["host"] == p.SERVER])
    assert of_server[s.OBJECT_OID]["references_returned"] == 1
    assert [row for row in objects if row["exporter"]["host"] == p.CLIENT] == []


def test_the_clients_exporter_is_kept_for_the_events_of_msmq(tmp_path: Path) -> None:
    """Nobody's well-known port: the interface that is bound there makes it ours."""
    local = s.captured(tmp_path, advised(sink()), resolved(), called_back(), choice=Choice())
    assert (CLIENTS_PORT, "interface") in {(row["id"]["resp_p"], row["chosen_by"]) for row in local.tables["flows"]}
    assert [row["interface"] for row in s.rows(local)[0] if row["via"] == "invoke"] == ["_DMSMQEventEvents"]
