"""A client hands its own object to a server, which calls it: the client is an exporter then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.choice import Choice
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.pipelines.com import sinks as k
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path


def test_the_sink_is_an_object_of_the_clients_host(tmp_path: Path) -> None:
    calls, objects = s.rows(s.captured(tmp_path, s.activation(), k.advised(k.sink()), k.resolved(), k.called_back()))
    of_client = s.by_oid([row for row in objects if row["exporter"]["host"] == p.CLIENT])
    assert set(of_client) == {None, k.SINK_OID}
    (advise,) = [row for row in calls if row["member"] == "Advise"]
    (event,) = [row for row in calls if row["via"] == "invoke"]
    found = of_client[k.SINK_OID]
    assert found["given_by"] == advise["call_uid"]
    assert (found["client"], found["doubt"], found["clsid"]) == (p.SERVER, None, None)
    assert found["exporter"] == {"host": p.CLIENT, "port": k.CLIENTS_PORT}
    assert found["oxid"] == f"{k.CLIENTS_OXID:016x}"
    assert [(one["ipid"], one["interface"]) for one in found["interfaces"]] == [
        (k.SINK, "IUnknown"),
        (k.SINK_EVENTS, "_DMSMQEventEvents"),
    ]
    assert (found["references_given"], found["calls_made"]) == (10, 1)
    assert event["object_uid"] == found["object_uid"]
    assert (event["doubt"], event["interface"], event["id"]["resp_h"]) == (None, "_DMSMQEventEvents", p.CLIENT)
    assert advise["arguments"][0]["value"] == f"IUnknown {k.SINK}"
    assert k.SINK_OID not in s.by_oid([row for row in objects if row["exporter"]["host"] == p.SERVER])


def test_a_servers_own_object_that_comes_back_hands_over_references(tmp_path: Path) -> None:
    """[MS-DCOM] 3.2.4.3. It stays one object of the server's."""
    back = c.objref(c.DISPATCH, s.OXID, s.OBJECT_OID, s.DISPATCH, 1, k.NO_PING, ("SERVER", p.SERVER))
    _, objects = s.rows(s.captured(tmp_path, s.activation(), k.advised(back)))
    of_server = s.by_oid([row for row in objects if row["exporter"]["host"] == p.SERVER])
    assert of_server[s.OBJECT_OID]["references_returned"] == 1
    assert [row for row in objects if row["exporter"]["host"] == p.CLIENT] == []


def test_the_clients_exporter_is_kept_for_the_events_of_msmq(tmp_path: Path) -> None:
    """Nobody's well-known port: the interface that is bound there makes it ours."""
    local = s.captured(tmp_path, k.advised(k.sink()), k.resolved(), k.called_back(), choice=Choice())
    assert (k.CLIENTS_PORT, "interface") in {(row["id"]["resp_p"], row["chosen_by"]) for row in local.tables["flows"]}
    assert [row["interface"] for row in s.rows(local)[0] if row["via"] == "invoke"] == ["_DMSMQEventEvents"]
