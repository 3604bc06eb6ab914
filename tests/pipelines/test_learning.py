"""Announced endpoints: used for every conversation, wherever and whenever they were announced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builders import msmq, rpc
from tests.builders.conversations import Ends, Talk, write_pcap
from tests.pipelines.moved import chained, frames_of, moved
from tests.pipelines.running import counters, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pipelines.running import Row, Tables

MOVED, FURTHER, LATE, WEB, ELSEWHERE = 50_001, 50_002, 50_003, 50_004, 50_005
"""The client's port names the talk."""


CHAIN = range(49_750, 49_753)
"""Ports that announce each other, one conversation at each."""


@pytest.fixture(scope="module", params=["by Spark", "here, a row at a time"])
def tables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    folder = tmp_path_factory.mktemp("learning")
    write_pcap(folder / "a.pcap", frames_of(moved(MOVED, 49_664), Ends(MOVED, server_port=49_664)))
    further = msmq.server_port(msmq.bound(Talk(ends := Ends(50_010, server_port=49_700)), rpc.QM2QM), 49_701, 2)
    third = moved(FURTHER, 49_701)
    late = msmq.bound(Talk(Ends(LATE, server_port=49_800)), rpc.SAMR)
    late.say(rpc.request(call_id=2)).answer(rpc.response(call_id=2))
    late.say(rpc.bind(rpc.SAMR, rpc.QM2QM, kind=rpc.ALTER_CONTEXT)).answer(rpc.bind_ack(2, kind=15))
    web = Talk(Ends(WEB, server_port=49_664)).open().say(b"GET / HTTP/1.1\r\n\r\n").answer(b"no")
    write_pcap(
        folder / "b.pcap",
        [
            *frames_of(third, Ends(FURTHER, server_port=49_701)),
            *frames_of(further.packets, ends),
            *frames_of(late.packets, late.ends),
            *frames_of(web.packets, web.ends),
            *[one for port in CHAIN for one in chained(port)],
            *frames_of(moved(ELSEWHERE, 49_900), Ends(ELSEWHERE, server_port=49_900)),
        ],
    )
    mapper = msmq.bound(Talk(Ends(50_020, server_port=135)), rpc.EPM)
    msmq.map_endpoint(mapper, rpc.QM2QM, 49_664, "0.0.0.0", 2)
    msmq.map_endpoint(mapper, "fdb3a030-065f-11d1-bb9b-00a024ea5525", CHAIN[0], "0.0.0.0", 3)
    msmq.map_endpoint(mapper, rpc.QM2QM, CHAIN[0], "0.0.0.0", 4)
    write_pcap(folder / "c.pcap", frames_of(mapper.packets, mapper.ends))
    captures = [folder / name for name in ("a.pcap", "b.pcap", "c.pcap")]
    if request.param == "by Spark":
        yield run(request.getfixturevalue("spark"), captures, folder / "tables")
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipelines.connections.finality.SORTED_BYTES", 1)
        yield run(None, captures, folder / "tables", parts=3)


def flow(tables: Tables, port: int) -> Row | None:
    found = [row for row in tables["flows"] if row["id"]["orig_p"] == port]
    return found[0] if found else None


@pytest.mark.parametrize("port", [MOVED, FURTHER])
def test_moved_service_is_decoded_though_announced_later_and_in_another_file(tables: Tables, port: int) -> None:
    kept = flow(tables, port)
    assert kept is not None
    assert (kept["chosen_by"], kept["starts_midstream"]) == ("endpoint", True)
    calls = [row for row in tables["calls"] if row["uid"] == kept["uid"] and row["outcome"] == "answered"]
    assert len(calls) >= 4
    assert {(row["endpoint"], row["interface_source"]) for row in calls} == {("qm2qm", "endpoint_mapper")}
    typed = {row["call_uid"]: row for row in tables["qm2qm_RemoteQMStartReceive"]}
    assert {typed[row["call_uid"]]["response"]["lpRemoteReadDesc"]["lpBuffer"]["size"] for row in calls} == {9}


@pytest.mark.parametrize("port", CHAIN)
def test_each_step_of_a_chain_of_announcements_is_followed(tables: Tables, port: int) -> None:
    kept = flow(tables, port - 1_000)
    assert kept is not None
    known = {row["endpoint"] for row in tables["calls"] if row["uid"] == kept["uid"] and row["outcome"] == "answered"}
    assert known == {"qm2qm"}


def test_connection_chosen_by_a_late_alter_context_has_all_its_pdus_and_calls(tables: Tables) -> None:
    kept = flow(tables, LATE)
    assert kept is not None
    assert kept["chosen_by"] == "interface"
    assert len([row for row in tables["pdus"] if row["uid"] == kept["uid"]]) == kept["pdus_recognised"] == 6
    assert [row["call_id"] for row in tables["calls"] if row["uid"] == kept["uid"]] == [2]


def test_what_nobody_announced_or_does_not_speak_rpc_stays_aside(tables: Tables) -> None:
    assert flow(tables, ELSEWHERE) is None
    assert flow(tables, WEB) is None
    aside = counters(tables, "packets")
    assert aside["set_aside_no_rpc_seen"] > 0
    assert aside["set_aside_not_rpc"] == 5


def test_each_connection_is_told_once(tables: Tables) -> None:
    uids = [row["uid"] for row in tables["flows"]]
    calls = [row["call_uid"] for row in tables["calls"]]
    assert len(uids) == len(set(uids)) == 5 + len(CHAIN)
    assert len(calls) == len(set(calls))
