"""Who ended an association, what belongs to it, and what is in doubt where that was not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.sessions.machine import MAX_ALIKE
from tests.builders.conversations import Frame
from tests.local import Local
from tests.scripts.player import capture, play, write

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
ENDING_RULES = {
    "mqqp-receive-completed",
    "mqqp-queue-closed",
    "mqqp-cursor-closed",
    "mqrr-receive-completed",
    "mqrr-queue-closed",
    "mqmp-handle-closed",
    "mqmp-transaction-ended",
}
LEFT_OPEN = """
connect q
q: RemoteQmGetVersion
q: RemoteQMOpenQueue
q: RemoteQMStartReceive2 ulAction=PEEK_CURRENT hCursor=3
q: RemoteQMStartReceive2
connect r interface RemoteRead
r: R_OpenQueue
r: R_StartReceive
connect m interface qmcomm
m: rpc_QMOpenQueueInternal
m: R_QMEnlistInternalTransaction
"""


def _judged(script: str, folder: Path) -> dict[str, list[Row]]:
    return Local(capture(folder, script)).judged()


def _verdicts(tables: dict[str, list[Row]]) -> dict[str, set[tuple[str, str | None]]]:
    found: dict[str, set[tuple[str, str | None]]] = {rule: set() for rule in ENDING_RULES}
    for row in tables["findings"]:
        if row["rule_id"] in ENDING_RULES:
            found[row["rule_id"]].add((row["verdict"], row["reason"]))
    return found


@pytest.mark.parametrize(
    ("end", "severed_by", "verdict"),
    [
        ("close {}", "client_closed", {("violation", None)}),
        ("reset {}", "client_reset", {("not_decidable", "reset")}),
        ("close {} by server", "server_closed", set()),
        ("reset {} by server", "server_reset", set()),
    ],
)
def test_only_who_ended_in_good_order_left_something_open(
    end: str, severed_by: str, verdict: set[tuple[str, str | None]], tmp_path: Path
) -> None:
    tables = _judged(LEFT_OPEN + "\n".join(end.format(name) for name in "qrm"), tmp_path)
    assert _verdicts(tables) == dict.fromkeys(ENDING_RULES, verdict)
    assert {(row["state"], row["severed_by"]) for row in tables["sessions"]} == {("rundown", severed_by)}


def test_what_a_client_closes_while_its_server_leaves_is_not_its_fault(tmp_path: Path) -> None:
    tables = _judged("connect a\nconnect b group a\nb: RemoteQMOpenQueue\nreset a by server\nclose b", tmp_path)
    assert _verdicts(tables)["mqqp-queue-closed"] == set()


def test_read_is_acknowledged_though_the_answer_to_its_bind_is_lost(tmp_path: Path) -> None:
    script = """
        connect a lose bind_ack
        a: RemoteQMOpenQueue
        connect b group a
        b: RemoteQMStartReceive2 -> pphContext=R1
        a: RemoteQMStartReceive2 -> pphContext=R2
        close a
        b: RemoteQMEndReceive pphContext=R2
        b: RemoteQMEndReceive pphContext=R1
        b: RemoteQMCloseQueue
        close b
    """
    tables = _judged(script, tmp_path)
    assert [row["outcome"] for row in tables["reads"]] == ["acked", "acked"]
    assert [row["state"] for row in tables["sessions"] if row["state"] != "open_not_seen"] in ([], ["closed"])
    assert not [row for row in tables["findings"] if row["verdict"] == "violation"]


def test_mapper_and_msmq_count_their_associations_separately(tmp_path: Path) -> None:
    """The two groups have one number; the end of the one does not keep the other alive, nor end it."""
    script = """
        connect e interface epm grants 77
        connect q grants 77
        q: RemoteQMOpenQueue
        close q
        e: ept_map
        close e
    """
    tables = _judged(script, tmp_path)
    (session,) = tables["sessions"]
    assert session["state"] == "rundown"
    assert session["closed_ts"] < max(row["last_ts"] for row in Local(capture(tmp_path, script)).tables["flows"])


def test_connection_that_stops_is_over_when_its_port_is_used_again(tmp_path: Path) -> None:
    """It was run down some time between the two, and maybe closed before."""
    tables = _judged("connect a source 50009\na: RemoteQMOpenQueue\nwait 5m\nconnect b source 50009\nclose b", tmp_path)
    assert [(row["state"], row["severed_by"], row["doubt"]) for row in tables["sessions"]] == [
        ("rundown", None, "capture_ended")
    ]
    assert not [row for row in tables["findings"] if row["verdict"] == "violation"]


def test_alter_context_tells_no_group(tmp_path: Path) -> None:
    script = """
        connect a
        a: RemoteQmGetVersion
        a: RemoteQMOpenQueue
        a: RemoteQMStartReceive2 -> pphContext=R1
        connect b group a lose bind_ack
        alter b interface RemoteRead grants 0
        close a
        b: RemoteQMEndReceive pphContext=R1
        b: RemoteQMCloseQueue
        close b
    """
    tables = _judged(script, tmp_path)
    assert [row["outcome"] for row in tables["reads"]] == ["acked"]
    assert not [row for row in tables["findings"] if row["verdict"] == "violation"]


@pytest.mark.parametrize("kinds", [("bind",), ("bind", "bind_ack")])
def test_connection_whose_bind_was_cut_may_be_of_any_association(kinds: tuple[str, ...], tmp_path: Path) -> None:
    """It keeps open what the connection that is seen to end had opened."""
    script = """
        connect a auth none
        a: RemoteQMOpenQueue hQueue=9 -> phContext=S1
        connect b group a auth none
        close a
        wait 1s
        b: RemoteQMStartReceive2 hRemoteQueue=9 -> pphContext=R1
        b: RemoteQMEndReceive pphContext=R1
        b: RemoteQMCloseQueue pphContext=S1
        close b
    """
    frames = play(script)
    for kind in kinds:
        place = max(place for place, one in enumerate(frames) if one.about == kind)
        whole = frames[place].frame
        frames[place] = replace(frames[place], frame=Frame(whole.captured[:76], whole.wire_len))
    write(tmp_path / "cut.pcap", frames)
    tables = Local(tmp_path / "cut.pcap").judged()
    (session,), (read,) = tables["sessions"], tables["reads"]
    assert (session["state"], session["receives"], read["session_uid"]) == ("closed", 1, session["session_uid"])
    assert not [row for row in tables["findings"] if row["verdict"] == "violation"]


@pytest.mark.parametrize(("b", "s"), [("asks 0", "asks 0"), ("asks 3", "asks 3"), ("asks 2", "asks 4")])
def test_number_may_be_given_again(b: str, s: str, tmp_path: Path) -> None:
    """The old association is kept in mind for a connection that may be of it, or may have got its number."""
    script = f"""
        connect a interface qmcomm asks 0 grants 2
        a: R_QMOpenRemoteQueue
        a: R_QMCloseRemoteQueueContext
        connect r interface RemoteRead asks 0 grants 4
        r: R_OpenQueue
        r: R_CloseQueue
        connect x interface qmcomm lose bind,bind_ack
        connect y interface RemoteRead lose bind,bind_ack
        close a
        close r
        wait 5s
        connect b interface qmcomm grants 2 {b}
        b: rpc_QMOpenQueueInternal pLicGuid=99999999-2222-3333-4444-555555555555
        b: rpc_ACCloseHandle
        connect s interface RemoteRead grants 4 {s}
        s: R_OpenQueue pClientId=99999999-2222-3333-4444-555555555555
        s: R_CloseQueue
    """
    findings = _judged(script, tmp_path)["findings"]
    assert [row["rule_id"] for row in findings if row["verdict"] == "violation"] == []


@pytest.mark.parametrize(("asks", "accused"), [(0, []), (3, []), (2, ["mqmp-client-id-constant"])])
def test_who_gets_another_number_than_asked_for_is_in_a_new_association(
    asks: int, accused: list[str], tmp_path: Path
) -> None:
    """The server has begun again, and with it its numbers; the first connection learns of that later."""
    script = f"""
        connect a interface qmcomm asks 0 grants 2
        a: R_QMOpenRemoteQueue
        a: R_QMCloseRemoteQueueContext
        wait 5s
        connect b interface qmcomm asks {asks} grants 2
        b: rpc_QMOpenQueueInternal pLicGuid=99999999-2222-3333-4444-555555555555
        b: rpc_ACCloseHandle
        close b
        reset a by server
    """
    findings = _judged(script, tmp_path)["findings"]
    assert [row["rule_id"] for row in findings if row["verdict"] == "violation"] == accused


def test_association_that_is_seen_at_both_sides_of_a_translator(tmp_path: Path) -> None:
    """It has two addresses there, and the client joins it from another one of its own: that may be either's."""
    script = """
        connect a from 10.0.0.20 grants 7
        connect b from 192.0.2.20 source 50001 grants 7
        a: ask q RemoteQMOpenQueue
        b: ask r RemoteQMOpenQueue
        answer r
        answer q
        wait 10s
        connect c from 10.0.0.150 asks 7 grants 7
        connect d from 192.0.2.150 asks 7 grants 7
        c: ask q RemoteQMCloseQueue
        d: ask r RemoteQMCloseQueue
        answer r
        answer q
        wait 10s
        close c
        close d
        close a
        close b
    """
    findings = _judged(script, tmp_path)["findings"]
    assert {row["verdict"] for row in findings if row["rule_id"] == "mqqp-queue-closed"} == {"not_decidable"}


def test_what_went_by_one_number_too_often_is_in_doubt(tmp_path: Path) -> None:
    """The first that went by it is still open, and a number asked for from elsewhere may mean that one."""
    others = "\n".join(f"connect n{place} from 10.0.0.{20 + place} grants 7" for place in range(MAX_ALIKE))
    script = f"""
        connect a from 10.0.0.5 grants 7
        a: RemoteQMOpenQueue
        {others}
        close a
    """
    findings = _judged(script, tmp_path)["findings"]
    closed = {(row["verdict"], row["reason"]) for row in findings if row["rule_id"] == "mqqp-queue-closed"}
    assert closed == {("not_decidable", "limit")}
