"""Where exporters are: announced ports, addresses behind NAT, and objects whose birth nobody saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.dcerpc.well_known import MSMQ_COM
from decoders.dcom.classes import MSMQ_CLASSES
from ingest.choice import Choice
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.builders.com_talk import ComTalk
from tests.builders.conversations import Ends
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = "192.168.7.7"
I_REMOTE_UNKNOWN = "00000131-0000-0000-c000-000000000046"


def test_endpoints_as_the_resolver_tells_them(tmp_path: Path) -> None:
    local = s.captured(tmp_path, s.activation(c.QUEUE_INFO))
    (call,) = local.tables["calls"]
    rows = local.tables["endpoints"]
    assert [(row["interface_uuid"], row["host"], row["port"], row["annotation"]) for row in rows] == [
        (I_REMOTE_UNKNOWN, p.SERVER, s.PORT, "SERVER"),
        (c.I_QUEUE_INFO, p.SERVER, s.PORT, "SERVER"),
        (I_REMOTE_UNKNOWN, p.SERVER, s.PORT, p.SERVER),
        (c.I_QUEUE_INFO, p.SERVER, s.PORT, p.SERVER),
    ]
    common = ("call_uid", "source", "protocol", "object_uuid", "interface_version", "named_pipe", "frame")
    assert {tuple(row[name] for name in common) for row in rows} == {
        (call["call_uid"], "RemoteGetClassObject", "ncacn_ip_tcp", s.REMOTE_UNKNOWN, "0.0", None, 7)
    }
    assert {row["endpoint"] for row in rows} == {"IRemUnknown", "IMSMQQueueInfo"}


@pytest.mark.parametrize(
    ("clsid", "by"), [(c.QUEUE_INFO, "endpoint"), (c.MMC, None)], ids=["a class of MSMQ", "another class"]
)
@pytest.mark.parametrize("hosts", [("SERVER", p.SERVER), ("SERVER", PRIVATE)], ids=["its address", "NAT"])
def test_whose_exporter_is_kept(tmp_path: Path, clsid: str, by: str | None, hosts: tuple[str, ...]) -> None:
    """Nothing of MSMQ is bound there: what was activated makes it ours. With NAT the resolver's own address counts."""
    local = s.captured(tmp_path, s.activation(clsid, bindings=s.where(s.PORT, *hosts)), s.whole_life(), choice=Choice())
    kept = {(row["id"]["resp_p"], row["chosen_by"]) for row in local.tables["flows"]}
    assert kept == {(135, "interface")} | ({(s.PORT, by)} if by else set())
    calls, objects = s.rows(local)
    assert len(calls) == (8 if by else 0)
    assert {row["exporter"]["host"] for row in objects} == {p.SERVER}
    assert not [row for row in objects if row["doubt"]]
    assert local.imbalances() == []


def test_the_class_of_an_msmq_object(tmp_path: Path) -> None:
    talk = ComTalk(s.EXPORTER_ENDS).bind(c.I_QUEUE_INFO)
    asked = {"riid": c.NULL, "rgszNames": ["Open"], "cNames": 1, "lcid": 1033}
    talk.orpc(c.I_QUEUE_INFO, "GetIDsOfNames", s.OBJECT, asked, {"rgDispId": [7]})
    local = s.captured(tmp_path, talk, choice=Choice())
    (call,), (one,) = s.rows(local)
    assert (one["class"], one["clsid"], one["doubt"]) == ("MSMQQueueInfo", None, "open_not_seen")
    assert (call["interface"], call["member"], call["doubt"]) == ("IMSMQQueueInfo", "GetIDsOfNames", "open_not_seen")


def test_an_interface_whose_birth_was_not_captured_is_an_object_of_its_own(tmp_path: Path) -> None:
    talk = s.executed(s.executed(ComTalk(s.EXPORTER_ENDS).bind(c.DISPATCH)))
    talk.orpc(c.DISPATCH, "Invoke", c.ipid(0x77), c.invoked(1), c.returned())
    calls, objects = s.rows(s.captured(tmp_path, talk))
    assert [(row["calls_made"], row["doubt"], row["oxid"], row["oid"], row["given_by"]) for row in objects] == [
        (2, "open_not_seen", None, None, None),
        (1, "open_not_seen", None, None, None),
    ]
    assert [row["exporter"] for row in objects] == [{"host": p.SERVER, "port": s.PORT}] * 2
    assert [row["doubt"] for row in calls] == ["open_not_seen"] * 3
    first, second = (row["object_uid"] for row in objects)
    assert [row["object_uid"] for row in calls] == [first, first, second]


def test_one_interface_number_at_two_servers_is_two_objects(tmp_path: Path) -> None:
    """[MS-DCOM] 1.1: an IPID is unique within an exporter."""
    here = s.executed(ComTalk(s.EXPORTER_ENDS).bind(c.DISPATCH))
    there = s.executed(ComTalk(Ends(50_002, s.PORT, p.CLIENT, "10.0.0.77")).bind(c.DISPATCH))
    _, objects = s.rows(s.captured(tmp_path, here, there))
    assert {row["exporter"]["host"] for row in objects} == {p.SERVER, "10.0.0.77"}
    assert len({row["object_uid"] for row in objects}) == 2


def test_two_connections_and_clients_reach_one_object(tmp_path: Path) -> None:
    second = s.executed(ComTalk(Ends(50_003, s.PORT, "10.0.0.55")).bind(c.DISPATCH))
    calls, objects = s.rows(s.captured(tmp_path, s.activation(), s.executed(s.created(s.exporter())), second))
    made = s.by_oid(objects)[s.OBJECT_OID]
    assert made["calls_made"] == 2
    invoked = [row for row in calls if row["via"] == "invoke"]
    assert {row["object_uid"] for row in invoked} == {made["object_uid"]}
    assert [row["id"]["orig_h"] for row in invoked] == [p.CLIENT, "10.0.0.55"]


def test_without_a_bind_the_object_tells_the_interface(tmp_path: Path) -> None:
    """Its packets with payload up to the first calls were not captured; another connection handed the object out."""
    first = s.created(s.exporter())
    later = s.executed(s.executed(s.exporter(ends=Ends(50_009, s.PORT))))
    later.talk.packets[:] = [packet for packet in later.packets if not packet.payload][:3] + later.packets[-4:]
    calls, objects = s.rows(s.captured(tmp_path, s.activation(), first, later))
    unbound = [row for row in calls if row["id"]["orig_p"] == 50_009]
    assert unbound
    assert {(row["interface"], row["member"], row["causality_id"] is None) for row in unbound} == {
        ("IDispatch", None, False)
    }
    assert {row["object_uid"] for row in unbound} <= {row["object_uid"] for row in objects if row["oid"]}


def test_a_bind_to_any_of_msmqs_interfaces_makes_a_conversation_ours(tmp_path: Path) -> None:
    """Also where nobody saw the activation, at a port that nobody announced."""
    talks = [
        ComTalk(Ends(52_000 + number, 61_000 + number))
        .bind(iid)
        .orpc(iid, "GetTypeInfoCount", c.ipid(number), {}, {"pctinfo": 1})
        for number, iid in enumerate(MSMQ_COM)
    ]
    stranger = ComTalk(Ends(53_000, 62_000)).bind(c.DISPATCH)
    stranger.orpc(c.DISPATCH, "GetTypeInfoCount", c.ipid(99), {}, {"pctinfo": 1})
    local = s.captured(tmp_path, *talks, stranger, choice=Choice())
    assert {row["chosen_by"] for row in local.tables["flows"]} == {"interface"}
    calls, objects = s.rows(local)
    assert {row["iid"] for row in calls} == set(MSMQ_COM)
    assert {row["class"] for row in objects} == {*MSMQ_CLASSES.values(), None}
