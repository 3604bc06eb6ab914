"""impacket's DCOM client at a class factory and called back, recorded by tcpdump: the graph is what it asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.security.accounts import Account
from ingest.choice import Choice, Scope
from tests.builders import com_values as c
from tests.live import com_events as events
from tests.live.com_story import LOGIN
from tests.live.recording import Recording, record
from tests.live.report import HOST
from tests.local import Local, Row
from tests.second_opinion import tshark_com

if TYPE_CHECKING:
    from collections.abc import Iterable


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return record(tmp_path_factory.mktemp("live-events") / "live.pcap", "tests.live.com_events_talk")


@pytest.fixture(scope="module", params=[Scope.MSMQ, Scope.RPC])
def local(request: pytest.FixtureRequest, recording: Recording) -> Local:
    """In scope msmq too: an activation of MSMQ's class leads to the exporter, its events to the client."""
    account = Account(LOGIN.user, LOGIN.domain, LOGIN.password)
    return Local(recording.path, choice=Choice(request.param), accounts=[account])


def by_number(rows: Iterable[Row]) -> dict[int, Row]:
    return {int(row["oid"], 16): row for row in rows if row["oid"] is not None}


def test_impacket_was_told_what_it_asked_for(recording: Recording) -> None:
    assert recording.told["exporter"].endpoints == [["cookie", events.COOKIE]]
    assert recording.told["sink's resolver"].endpoints == [["port", recording.told["sink"].server_port]]


def test_nothing_is_in_doubt_and_nobody_is_accused(local: Local) -> None:
    judged = local.judged()
    assert local.tables["issues"] == []
    assert local.imbalances() == []
    assert {row["decode_state"] for row in local.tables["calls"]} == {"full"}
    assert {row["verified"] for row in local.tables["calls"]} == {True}
    assert [row for row in judged["com_objects"] if row["doubt"]] == []
    assert [row["rule_id"] for row in judged["findings"] if row["verdict"] == "violation"] == []


def test_the_graph_from_the_factory_to_the_sink(recording: Recording, local: Local) -> None:
    objects = by_number(local.judged()["com_objects"])
    calls = {row["call_uid"]: row["operation"] for row in local.tables["calls"]}
    uids: dict[str | None, int] = {row["object_uid"]: oid for oid, row in objects.items()}
    found = {
        oid: (row["class"], calls[row["given_by"]], uids.get(row["parent_object_uid"])) for oid, row in objects.items()
    }
    assert found == {
        events.FACTORY_OID: ("MSMQEvent", "RemoteGetClassObject", None),
        events.EVENT_OID: ("MSMQEvent", "CreateInstance", events.FACTORY_OID),
        events.POINT_OID: ("ConnectionPoint", "FindConnectionPoint", events.EVENT_OID),
        events.SINK_OID: (None, "Advise", None),
    }
    ports = {"exporter": recording.told["exporter"].server_port, "sink": recording.told["sink"].server_port}
    assert objects[events.POINT_OID]["exporter"] == {"host": HOST, "port": ports["exporter"]}
    assert objects[events.SINK_OID]["exporter"] == {"host": HOST, "port": ports["sink"]}
    assert objects[events.SINK_OID]["runs_as"] == "CORP\\branch-reader"
    assert [(one["ipid"], one["iid"]) for one in objects[events.SINK_OID]["interfaces"]] == [
        (events.SINK, c.UNKNOWN),
        (events.SINK_EVENTS, events.SINK_INTERFACE),
    ]


def test_the_event_is_a_call_of_the_sink(recording: Recording, local: Local) -> None:
    judged = local.judged()
    sink = by_number(judged["com_objects"])[events.SINK_OID]
    (event,) = [row for row in judged["com_calls"] if row["via"] == "invoke"]
    assert event["object_uid"] == sink["object_uid"]
    assert (event["interface"], event["hresult_name"], event["doubt"]) == ("_DMSMQEventEvents", "S_OK", None)
    assert event["id"]["resp_p"] == recording.told["sink"].server_port
    assert (event["member"], [one["value"] for one in event["arguments"]]) == ("Arrived", [None, "2"])


def test_the_sinks_exporter_was_announced_and_is_listened_to(recording: Recording, local: Local) -> None:
    port = recording.told["sink"].server_port
    resolved = [row for row in local.tables["endpoints"] if row["source"] == "ResolveOxid2"]
    assert {(row["port"], row["object_uuid"]) for row in resolved} == {(port, events.SINKS_UNKNOWN)}
    (flow,) = [row for row in local.tables["flows"] if row["id"]["resp_p"] == port]
    assert flow["chosen_by"] == "interface"


def test_tshark_counts_the_same_calls(recording: Recording, local: Local) -> None:
    opnums = {row["call_uid"]: row["opnum"] for row in local.tables["calls"]}
    calls = local.judged()["com_calls"]
    ours = [tshark_com.ObjectCall(row["iid"], opnums[row["call_uid"]], row["ipid"]) for row in calls]
    assert sorted(map(str, tshark_com.object_calls(recording.path).elements())) == sorted(map(str, ours))
    assert len(ours) == 6
