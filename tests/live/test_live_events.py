"""A class object, an object of it, a sink and a callback into the client: impacket's calls, recorded by tcpdump."""

from __future__ import annotations

import pytest

from decoders.security.accounts import Account
from tests.live import events_story as story
from tests.live.recording import Recording, record
from tests.local import Local, Row
from tests.second_opinion import tshark_com


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return record(tmp_path_factory.mktemp("live-events") / "live.pcap", "tests.live.events_talk")


@pytest.fixture(scope="module")
def local(recording: Recording) -> Local:
    """In scope msmq: the class leads to the exporter, and what is bound at the sink is message queuing's."""
    login = story.LOGIN
    return Local(recording.path, accounts=[Account(login.user, login.domain, login.password)])


def of_port(rows: list[Row], port: int) -> list[Row]:
    return sorted((row for row in rows if row["id"]["resp_p"] == port), key=lambda row: row["ts_ns"])


def object_of(local: Local, oid: int) -> Row:
    (found,) = [row for row in local.judged()["com_objects"] if row["oid"] == f"{oid:016x}"]
    return found


def test_impacket_understood_the_answers(recording: Recording) -> None:
    assert recording.told["exporter"].endpoints == [["cookie", story.COOKIE]]
    assert recording.told["sink"].endpoints[0][1], "bindings of the client's process"


def test_nothing_is_in_doubt(local: Local) -> None:
    assert local.tables["issues"] == []
    assert {row["decode_state"] for row in local.tables["calls"]} == {"full"}
    assert {row["verified"] for row in local.tables["calls"]} == {True}
    assert not [row for row in local.judged()["com_objects"] if row["doubt"]]
    assert [row["rule_id"] for row in local.findings() if row["verdict"] == "violation"] == []


def test_the_class_object_and_what_it_made(recording: Recording, local: Local) -> None:
    (activation,) = of_port(local.tables["calls"], recording.told["resolver"].server_port)
    assert activation["operation"] == "RemoteGetClassObject"
    factory, point = object_of(local, story.SERVER.oid), object_of(local, story.POINT_OID)
    assert factory["given_by"] == activation["call_uid"]
    assert {(row["class"], row["clsid"]) for row in (factory, point)} == {("MSMQEvent", story.MSMQ_EVENT)}
    assert point["parent_object_uid"] == factory["object_uid"]
    assert [one["interface"] for one in point["interfaces"]] == ["IConnectionPoint"]
    calls = of_port(local.judged()["com_calls"], recording.told["exporter"].server_port)
    assert [(row["interface"], row["member"], row["object_uid"]) for row in calls] == [
        ("IClassFactory", "CreateInstance", factory["object_uid"]),
        ("IConnectionPoint", "Advise", point["object_uid"]),
    ]


def test_the_sink_is_the_clients_object_and_is_called_back(recording: Recording, local: Local) -> None:
    advise = of_port(local.judged()["com_calls"], recording.told["exporter"].server_port)[-1]
    sink, port = object_of(local, story.SINK_OID), recording.told["sink"].server_port
    assert sink["given_by"] == advise["call_uid"]
    assert sink["exporter"]["port"] == port
    queried, called = of_port(local.judged()["com_calls"], port)
    assert (queried["interface"], queried["member"]) == ("IRemUnknown", "RemQueryInterface")
    assert (called["object_uid"], called["ipid"]) == (sink["object_uid"], story.CLIENT.ipid(story.SINK_EVENTS))
    assert (called["interface"], called["via"], called["kind"]) == ("_DMSMQEventEvents", "invoke", "method")
    # The talk gives one argument, which is the first that the member has.
    given = [(one["name"], one["value"]) for one in called["arguments"]]
    assert (called["member"], given) == ("Arrived", [("Queue", str(story.CURSOR)), ("Cursor", None)])
    resolved = [row for row in local.tables["endpoints"] if row["source"] == "ResolveOxid2"]
    (told,) = [row for row in resolved if row["annotation"] != "HERE"]
    assert (told["port"], told["object_uuid"]) == (port, story.CLIENT.ipid(story.REMOTE_UNKNOWN))
    # Two connections: one asks for the interface of events, the other binds it.
    assert sorted(row["chosen_by"] for row in local.tables["flows"] if row["id"]["resp_p"] == port) == [
        "endpoint",
        "interface",
    ]


def test_tshark_counts_the_same_calls(recording: Recording, local: Local) -> None:
    opnums = {row["call_uid"]: row["opnum"] for row in local.tables["calls"]}
    ours = [
        tshark_com.ObjectCall(row["iid"], opnums[row["call_uid"]], row["ipid"]) for row in local.judged()["com_calls"]
    ]
    assert sorted(map(str, tshark_com.object_calls(recording.path).elements())) == sorted(map(str, ours))
    assert len(ours) == 4
