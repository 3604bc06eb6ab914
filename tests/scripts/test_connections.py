"""Connections, losses and times as scripts tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.local import Local
from tests.scripts.player import capture, captures, play
from tests.scripts.tape import START_US

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
OPENING = ["syn", "syn_ack", "ack", "bind", "bind_ack", "auth3"]


def calls(folder: Path, script: str) -> list[Row]:
    found = Local(capture(folder, script))
    assert found.imbalances() == []
    return sorted(found.tables["calls"], key=lambda call: call["ts_ns"])


@pytest.mark.parametrize(
    ("auth", "level", "state"),
    [("none", None, "full"), ("connect", 2, "full"), ("packet", 4, "full"), ("privacy", 6, "opaque")],
)
def test_levels(tmp_path: Path, auth: str, level: int | None, state: str) -> None:
    (call,) = calls(tmp_path, f"connect auth {auth} user bob domain HQ\nRemoteQMStartReceive")
    assert (call["auth_level"], call["decode_state"]) == (level, state)
    assert (call["username"], call["domain"]) == (("bob", "HQ") if level else (None, None))
    assert call["encrypted"] is (auth == "privacy")


def test_groups_are_shared(tmp_path: Path) -> None:
    script = "\n".join(f"connect {one}\n{one.split()[0]}: RemoteQMPurgeQueue" for one in ("a", "b group a", "c"))
    found = calls(tmp_path, script)
    assert [call["assoc_group_id"] for call in found] == [0x1001, 0x1001, 0x1003]
    assert [call["id"]["orig_p"] for call in found] == [50_001, 50_002, 50_003]


def test_calls_go_where_their_interface_is_spoken(tmp_path: Path) -> None:
    script = """connect a
    connect b from 2001:db8::5 to 2001:db8::9
    connect m interface qmmgmt
    RemoteQMPurgeQueue
    a: RemoteQMPurgeQueue
    R_QMMgmtAction
    close b
    RemoteQMPurgeQueue"""
    assert [call["id"]["orig_p"] for call in calls(tmp_path, script)] == [50_002, 50_001, 50_003, 50_001]


def test_lost_and_missing_halves(tmp_path: Path) -> None:
    script = """connect
    RemoteQMPurgeQueue lost
    RemoteQMPurgeQueue -> lost
    RemoteQMPurgeQueue -> none
    RemoteQMPurgeQueue"""
    found = Local(capture(tmp_path, script))
    assert {call["call_id"]: call["outcome"] for call in found.tables["calls"]} == {
        2: "unasked",
        3: "unanswered",
        4: "unanswered",
        5: "answered",
    }
    assert found.tables["flows"][0]["missed_bytes"] > 0


@pytest.mark.parametrize(
    ("option", "abouts", "source"),
    [
        ("lose bind", ["syn", "syn_ack", "ack", "bind_ack", "auth3"], "port"),
        ("lose bind_ack", ["syn", "syn_ack", "ack", "bind", "auth3"], "bind_unanswered"),
        ("lose syn,auth3", ["syn_ack", "ack", "bind", "bind_ack"], "bind"),
        ("midstream", [], "port"),
    ],
)
def test_lost_openings(tmp_path: Path, option: str, abouts: list[str], source: str) -> None:
    script = f"connect {option}\nRemoteQMStartReceive\nRemoteQMStartReceive"
    frames = play(script)
    assert [one.about for one in frames if one.line == 1] == abouts
    assert frames[0].ts_us == START_US + (1_000 if "syn" in option else 0)
    assert [(call["outcome"], call["interface_source"]) for call in calls(tmp_path, script)] == [
        ("answered", source),
        ("answered", source),
    ]


def test_refusal_and_endings(tmp_path: Path) -> None:
    script = "refuse auth connect reason 4\nconnect\nclose\nconnect\nreset by server"
    frames = play(script)
    assert [one.about for one in frames if one.line == 1] == [*OPENING[:4], "bind_nak", "fin", "fin", "ack"]
    assert [one.about for one in frames if one.line == 2] == OPENING
    assert [one.about for one in frames if one.line == 3] == ["fin", "fin", "ack"]
    assert [one.about for one in frames if one.line == 5] == ["rst"]
    found = Local(capture(tmp_path, script)).tables
    assert [pdu["reject_reason"] for pdu in found["pdus"] if pdu["pkt_type"] == "bind_nak"] == [
        "protocol_version_not_supported"
    ]
    states = {flow["id"]["orig_p"]: flow["conn_state"] for flow in found["flows"]}
    assert states == {50_001: "SF", 50_002: "SF", 50_003: "RSTR"}


def test_several_contexts_are_offered_and_one_is_taken(tmp_path: Path) -> None:
    script = """connect syntax ndr64 offers ndr/ndr64 features 3 acks 2
    alter interface qmcomm syntax ndr offers ndr64/ndr
    RemoteQmGetVersion
    R_QMGetRTQMServerPort
    refuse interface RemoteRead features 3 rejects 1"""
    found = Local(capture(tmp_path, script)).tables
    answers = [one for one in found["pdus"] if one["results"]]
    assert [[one["result"] for one in answer["results"]] for answer in answers] == [
        ["provider_rejection", "acceptance", "negotiate_ack"],
        ["provider_rejection", "acceptance"],
        ["provider_rejection", "provider_rejection"],
    ]
    told = [(call["endpoint"], call["ctx_id"], call["transfer_syntax"], call["status"]) for call in found["calls"]]
    assert sorted(told) == [("qm2qm", 1, "ndr64", None), ("qmcomm", 4, "ndr", None)]
    assert {one["fate"] for one in found["pdus"]} == {"call", "negotiation", "control"}


def test_times_are_exact(tmp_path: Path) -> None:
    script = """wait 1s
    connect auth none
    RemoteQMPurgeQueue -> after 5s
    wait 3m
    RemoteQMPurgeQueue"""
    frames = play(script)
    assert [(one.about, one.ts_us - START_US) for one in frames] == [
        ("syn", 1_000_000),
        ("syn_ack", 1_001_000),
        ("ack", 1_002_000),
        ("bind", 1_003_000),
        ("bind_ack", 1_004_000),
        ("request", 1_005_000),
        ("response", 6_005_000),
        ("ack", 6_006_000),
        ("request", 186_006_000),
        ("response", 186_007_000),
        ("ack", 186_008_000),
    ]
    first, second = calls(tmp_path, script)
    assert (first["rtt_us"], second["rtt_us"]) == (5_000_000, 1_000)
    assert first["ts_ns"] == (START_US + 1_005_000) * 1_000


def test_answers_in_another_order(tmp_path: Path) -> None:
    script = """connect
    ask A RemoteQMStartReceive
    ask B RemoteQMCancelReceive
    answer B
    answer A -> status=MQ_ERROR_OPERATION_CANCELLED after 200ms"""
    waited, cancelled = calls(tmp_path, script)
    assert (waited["operation"], waited["status_name"]) == ("RemoteQMStartReceive", "MQ_ERROR_OPERATION_CANCELLED")
    assert (cancelled["operation"], cancelled["rtt_us"]) == ("RemoteQMCancelReceive", 1_000)
    assert waited["rtt_us"] == 1_000 + 2_000 + 200_000


@pytest.mark.parametrize("auth", ["none", "integrity"])
def test_large_messages_come_in_fragments_and_segments(tmp_path: Path, auth: str) -> None:
    script = f"connect auth {auth}\nRemoteQMStartReceive message=9000 -> message=20000"
    (call,) = calls(tmp_path, script)
    assert (call["decode_state"], call["request_fragments"], call["response_fragments"]) == ("full", 3, 5)
    assert max(len(one.frame.captured) for one in play(script)) == 1_400 + 54
    assert play(script) == play(script)


def test_taps_make_captures_of_one_time(tmp_path: Path) -> None:
    script = """connect a auth none tap office
    connect b auth none tap backbone
    a: RemoteQMPurgeQueue
    b: RemoteQMPurgeQueue
    a: RemoteQMCloseQueue"""
    backbone, office = captures(tmp_path, script)
    assert (backbone.name, office.name) == ("backbone.pcap", "office.pcap")
    (one,) = Local(backbone).tables["calls"]
    assert one["id"]["orig_p"] == 50_002
    assert [call["id"]["orig_p"] for call in Local(office).tables["calls"]] == [50_001, 50_001]
    both = Local(*captures(tmp_path, script)).tables["calls"]
    times = sorted(call["ts_ns"] for call in both)
    assert times == [call["ts_ns"] for call in calls(tmp_path, script)]
    assert [path.name for path in captures(tmp_path, "connect")] == ["script.pcap"]


def test_groups_and_ports_by_number(tmp_path: Path) -> None:
    script = """connect a source 51000 grants 0x12
    a: RemoteQMPurgeQueue
    reset a
    connect b source 51000 asks 0x12 grants 0x13
    b: RemoteQMPurgeQueue"""
    found = calls(tmp_path, script)
    assert [(call["id"]["orig_p"], call["assoc_group_id"]) for call in found] == [(51_000, 0x12), (51_000, 0x13)]
    assert found[0]["uid"] != found[1]["uid"]


def test_another_interface_on_the_same_connection(tmp_path: Path) -> None:
    script = """connect a auth none
    alter a interface qmmgmt syntax ndr64 grants 0
    R_QMMgmtAction
    RemoteQMPurgeQueue"""
    found = calls(tmp_path, script)
    assert [(call["endpoint"], call["transfer_syntax"]) for call in found] == [("qmmgmt", "ndr64"), ("qm2qm", "ndr")]


def test_calls_given_up(tmp_path: Path) -> None:
    script = """connect auth none
    ask a RemoteQMStartReceive
    ask b RemoteQMStartReceive
    cancel a
    orphan b
    answer a -> fault=nca_s_fault_cancel"""
    path = capture(tmp_path, script)
    kinds = [row["pkt_type"] for row in sorted(Local(path).tables["pdus"], key=lambda row: row["ts_ns"])]
    assert kinds[2:] == ["request", "request", "co_cancel", "orphaned", "fault"]
