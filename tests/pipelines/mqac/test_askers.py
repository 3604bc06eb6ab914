"""A server of objects calls another server: who asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.local import Local
from tests.pipelines.com.story import RPC
from tests.pipelines.mqac.conversations import conversation, told
from tests.scripts.player import play, write

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
BACK = "10.0.0.20"
INIT = r'IMSMQManagement.Init object=G Machine="branch7" FormatName="DIRECT=OS:branch7\private$\orders"'
NAMED = 'IMSMQApplication3.put_Machine object=A bstrMachine="branch7"'
HOP = f"connect m from 10.0.0.9 to {BACK} interface qmmgmt user HQ$"
QUEUE = r'queue="OS:branch7\private$\orders"'


def asked(member: str, hop: str, before: str = "", between: str = "") -> str:
    """`hop`: what the server does before it answers."""
    said = f"{INIT}\n{NAMED}\n{before}"
    begun = conversation(said, "MSMQManagement=G", "MSMQApplication=A", also=("IMSMQOutgoingQueueManagement",))
    return f"""{begun.removesuffix("close")}
        {HOP}
        o: ask X {member}
        {between}
        m: {hop}
        answer X
        close m
        close o
    """


def done(folder: Path, script: str) -> Row:
    """By the server of objects at the other one."""
    (row,) = [one for one in told(folder, script)["admin_actions"] if one["id"]["resp_h"] == BACK]
    return row


@pytest.mark.parametrize(
    ("member", "hop"),
    [
        ("IMSMQManagement.get_MessageCount object=G", f"R_QMMgmtGetInfo type=2 {QUEUE} aProp=[7]"),
        ("IMSMQManagement.get_BytesInQueue object=G", f"R_QMMgmtGetInfo type=2 {QUEUE} aProp=[8]"),
        ("IMSMQApplication3.get_IsConnected object=A", "R_QMMgmtGetInfo type=1 aProp=[4]"),
        ("IMSMQApplication3.ActiveQueues object=A", "R_QMMgmtGetInfo type=1 aProp=[1]"),
        ("IMSMQApplication3.Disconnect object=A", 'R_QMMgmtAction type=1 lpwszAction="DISCONNECT"'),
        ("IMSMQOutgoingQueueManagement.Pause object=G", f'R_QMMgmtAction type=2 {QUEUE} lpwszAction="PAUSE"'),
        (
            "IMSMQOutgoingQueueManagement.EodResend object=G",
            f'R_QMMgmtAction type=2 {QUEUE} lpwszAction="EOD_RESEND"',
        ),
    ],
)
def test_the_act_behind_tells_who_asked(member: str, hop: str, tmp_path: Path) -> None:
    row = done(tmp_path, asked(member, hop))
    assert (row["username"], row["opened_for"], row["opened_for_username"]) == ("HQ$", "10.0.0.5", "alice")
    assert row["naming_doubt"] is None


def test_a_server_of_objects_that_goes_on_at_once(tmp_path: Path) -> None:
    """The next call of an object comes before anything else is heard of the other server."""
    script = asked("IMSMQManagement.get_MessageCount object=G", f"R_QMMgmtGetInfo type=2 {QUEUE} aProp=[7]")
    more = "answer X\n        o: IMSMQManagement.get_FormatName object=G\n        wait 1s"
    row = done(tmp_path, script.replace("answer X", more))
    assert (row["opened_for"], row["opened_for_username"], row["naming_doubt"]) == ("10.0.0.5", "alice", None)


@pytest.mark.parametrize(
    ("member", "hop"),
    [
        ("IMSMQManagement.get_MessageCount object=G", f"R_QMMgmtGetInfo type=2 {QUEUE} aProp=[8]"),
        ("IMSMQManagement.get_MessageCount object=G", "R_QMMgmtGetInfo type=1 aProp=[7]"),
        ("IMSMQManagement.get_MessageCount object=G", r'R_QMMgmtGetInfo type=2 queue="OS:a\private$\other" aProp=[7]'),
        ("IMSMQApplication3.Connect object=A", 'R_QMMgmtAction type=1 lpwszAction="DISCONNECT"'),
        ("IMSMQManagement.Init object=G", f"R_QMMgmtGetInfo type=2 {QUEUE} aProp=[7]"),
    ],
)
def test_what_was_not_asked_for_is_nobody_s(member: str, hop: str, tmp_path: Path) -> None:
    row = done(tmp_path, asked(member, hop))
    assert (row["opened_for"], row["opened_for_username"], row["naming_doubt"]) == (None, None, None)


def test_after_the_answer_nobody_asked(tmp_path: Path) -> None:
    script = asked("IMSMQManagement.get_MessageCount object=G", "R_QMMgmtGetInfo type=1 aProp=[5]")
    later = f"connect l from 10.0.0.9 to {BACK} interface qmmgmt\nR_QMMgmtGetInfo type=2 {QUEUE} aProp=[7]\nclose l"
    rows = told(tmp_path, f"{script}\n{later}")["admin_actions"]
    assert [one["opened_for"] for one in rows if one["id"]["resp_h"] == BACK] == [None, None]


def test_two_people_who_ask_at_once(tmp_path: Path) -> None:
    between = """
        connect b from 10.0.0.6 interface IMSMQApplication3 user bob
        b: ask Y IMSMQApplication3.get_IsConnected object=A
    """
    script = asked("IMSMQApplication3.get_IsConnected object=A", "R_QMMgmtGetInfo type=1 aProp=[4]", between=between)
    row = done(tmp_path, script.replace("answer X", "answer X\nanswer Y\nclose b"))
    assert (row["opened_for"], row["naming_doubt"]) == (None, "several_askers")


def test_where_something_was_missed_the_asker_is_in_doubt(tmp_path: Path) -> None:
    before = 'IMSMQApplication3.put_Machine object=A bstrMachine="branch8" lost'
    script = asked("IMSMQApplication3.get_IsConnected object=A", "R_QMMgmtGetInfo type=1 aProp=[4]", before)
    row = done(tmp_path, script)
    assert row["opened_for_username"] == "alice"
    assert row["naming_doubt"] is not None


def test_a_queue_opened_for_whoever_called_the_object(tmp_path: Path) -> None:
    body = r'IMSMQQueueInfo4.put_FormatName object=I bstrFormatName="DIRECT=OS:branch7\private$\orders"'
    script = f"""{conversation(body, "MSMQQueueInfo=I").removesuffix("close")}
        connect m from 10.0.0.9 to {BACK} interface RemoteRead user HQ$
        o: ask X IMSMQQueueInfo4.Open object=I Access=1
        m: R_OpenQueue {QUEUE}
        answer X -> gives=[Q]
        m: R_StartReceive
        m: R_EndReceive
        close m
        close o
    """
    found = told(tmp_path, script)
    (session,) = [one for one in found["sessions"] if one["endpoint"] == "RemoteRead"]
    (read,) = found["reads"]
    assert (session["opened_for"], session["opened_for_username"]) == ("10.0.0.5", "alice")
    assert (read["opened_for"], read["opened_for_username"]) == ("10.0.0.5", "alice")
    assert session["naming_doubt"] is None


def test_one_packet_missing_never_makes_another_the_asker(tmp_path: Path) -> None:
    script = asked("IMSMQManagement.get_MessageCount object=G", f"R_QMMgmtGetInfo type=2 {QUEUE} aProp=[7]")
    frames = play(script)
    found = set()
    for place in range(len(frames)):
        write(tmp_path / "less.pcap", (*frames[:place], *frames[place + 1 :]))
        judged = Local(tmp_path / "less.pcap", choice=RPC).judged()
        rows = [one for one in judged["admin_actions"] if one["id"]["resp_h"] == BACK]
        found |= {(one["opened_for"], one["opened_for_username"], one["naming_doubt"] is None) for one in rows}
    # Who the client is stands in its own handshake.
    assert {(None, None, True), ("10.0.0.5", "alice", True), ("10.0.0.5", "alice", False)} <= found
    assert {one[:2] for one in found} <= {(None, None), ("10.0.0.5", "alice"), ("10.0.0.5", None)}
