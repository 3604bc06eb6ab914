"""What is named by a number or a handle may be another by now, where something was missed: then it is in doubt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.conforming.verdicts import judged
from tests.pipelines.sessions.telling import columns, told, violations
from tests.scripts.player import play

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scripts.tape import Timed

READ = ("outcome", "doubt")
ENDS = "R_EndReceive dwRequestId=1 dwAck=RR_ACK lost -> lost"


@pytest.mark.parametrize(
    ("between", "reads"),
    [
        # Nothing is missing.
        ("R_EndReceive dwRequestId=1 dwAck=RR_ACK", [("acked", None), ("nacked", None)]),
        # The end of the first is missing.
        (ENDS, [("rundown", "bytes_missing"), ("nacked", "bytes_missing")]),
    ],
)
def test_request_id_is_used_again(tmp_path: Path, between: str, reads: list[tuple[str, str | None]]) -> None:
    """[MS-MQRR] 3.1.4.7: not before the end of the read that had it, so that this one was ended out of sight."""
    script = f"""
        connect interface RemoteRead
        R_OpenQueue
        R_StartReceive dwRequestId=1 -> message=40/1
        {between}
        R_StartReceive dwRequestId=1 -> message=40/2
        R_EndReceive dwRequestId=1 dwAck=RR_NACK
        R_CloseQueue
        close
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], *READ) == reads
    assert violations(tables) == set()


@pytest.mark.parametrize(
    ("end", "outcome"),
    [("R_EndReceive dwRequestId=1 dwAck=RR_NACK", "nacked"), ("R_CancelReceive dwRequestId=1", "cancelled")],
)
def test_request_id_was_used_again_out_of_sight(tmp_path: Path, end: str, outcome: str) -> None:
    script = f"""
        connect interface RemoteRead
        R_OpenQueue
        R_StartReceive dwRequestId=1 -> message=40/1
        {ENDS}
        R_StartReceive dwRequestId=1 lost -> message=40/2 lost
        {end}
        R_CloseQueue
        close
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], *READ) == [(outcome, "bytes_missing")]


@pytest.mark.parametrize("closes", ["c1: R_CloseQueue", "close c1"])
def test_late_end_of_an_older_read_may_end_another(tmp_path: Path, closes: str) -> None:
    """[MS-MQRR] 3.1.4.9: the server finds a read by its request id alone, whenever it comes to the call."""
    script = f"""
        connect c1 interface RemoteRead grants 7
        connect c2 interface RemoteRead asks 7 grants 7
        c1: R_OpenQueue
        c2: R_StartReceive dwRequestId=1 -> message=40/1
        c2: R_EndReceive dwRequestId=1 dwAck=RR_ACK -> none
        close c2
        c1: R_StartReceive dwRequestId=1 -> message=40/2
        c1: R_EndReceive dwRequestId=1 dwAck=RR_ACK -> status=MQ_ERROR_INVALID_PARAMETER
        {closes}
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], *READ) == [("acked", "response_not_captured"), ("rundown", "response_not_captured")]


@pytest.mark.parametrize(
    ("purge", "counted"),
    [
        ("R_PurgeQueue", (1, None)),
        ("R_PurgeQueue -> status=STATUS_ACCESS_DENIED", (0, None)),
        ("R_PurgeQueue -> none", (0, "response_not_captured")),
        ("R_PurgeQueue -> lost", (0, "response_not_captured")),
        ("R_PurgeQueue lost -> lost", (0, "bytes_missing")),
    ],
)
def test_counts_of_a_session_say_what_they_may_lack(
    tmp_path: Path, purge: str, counted: tuple[int, str | None]
) -> None:
    script = f"""
        connect interface RemoteRead
        R_OpenQueue
        {purge}
        R_CloseQueue
        close
    """
    assert columns(told(tmp_path, script)["sessions"], "purges", "counts_doubt") == [counted]


def test_cancel_means_the_read_that_waits(tmp_path: Path) -> None:
    """[MS-MQRR] 3.1.5.1: the timer took the first back, so that its end is refused and its number is free again."""
    script = """
        connect interface RemoteRead
        R_OpenQueue
        R_StartReceive dwRequestId=1 -> message=40/1
        R_EndReceive dwRequestId=1 dwAck=RR_ACK -> status=MQ_ERROR_INVALID_HANDLE
        ask s R_StartReceive dwRequestId=1 ulTimeout=5000
        R_CancelReceive dwRequestId=1
        answer s -> status=MQ_ERROR_OPERATION_CANCELLED
        R_CloseQueue
        close
    """
    reads = columns(told(tmp_path, script)["reads"], "outcome")
    assert reads == [("rundown",), ("cancelled",)]


def test_cancel_of_qm2qm_may_mean_another(tmp_path: Path) -> None:
    script = """
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2 dwRequestID=1 -> pphContext=A message=40
        RemoteQMEndReceive pphContext=A lost -> lost
        RemoteQMStartReceive2 dwRequestID=1 lost -> pphContext=B message=40 lost
        RemoteQMCancelReceive dwRequestID=1
        RemoteQMCloseQueue
        close
    """
    assert columns(told(tmp_path, script)["reads"], *READ) == [("cancelled", "bytes_missing")]


def test_handle_is_taken_in_another_association(tmp_path: Path) -> None:
    """[MS-RPCE] 3.3.1.4.1: it is another one, given out of sight by a server that was started again."""
    script = """
        connect a
        a: RemoteQMOpenQueue
        a: RemoteQMStartReceive2 dwRequestID=1 -> pphContext=A message=40
        connect b asks 9 lose bind_ack
        b: RemoteQMEndReceive pphContext=A
        connect x interface qmcomm
        x: rpc_QMOpenQueueInternal
        x: R_QMEnlistInternalTransaction transaction=T1
        connect y interface qmcomm asks 9 lose bind_ack
        y: R_QMCommitTransaction
        connect z interface qmcomm2 asks 9 lose bind_ack
        z: rpc_ACSendMessageEx
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], *READ) == [("acked", "started_midstream")]
    assert columns(tables["transactions"], *READ) == [("committed", "started_midstream")]
    assert columns(tables["sends"], "doubt") == [("started_midstream",)]


def test_session_that_seemed_over_goes_on(tmp_path: Path) -> None:
    """On a connection of its association that was not seen before: the read may be of either session."""
    script = """
        connect a grants 7 midstream
        connect b asks 7 grants 7
        b: RemoteQMOpenQueue hQueue=11 pQueue=11 dwpContext=11
        reset b
        a: RemoteQMStartReceive2 hRemoteQueue=11 ulAction=PEEK_CURRENT -> pphContext=null message=40
        close a
    """
    tables = told(tmp_path, script)
    assert columns(tables["sessions"], "state", "doubt") == [
        ("rundown", "started_midstream"),
        ("open_not_seen", "started_midstream"),
    ]
    assert columns(tables["reads"], *READ) == [("peeked", "started_midstream")]


def test_opening_is_answered_late() -> None:
    """Of the answer only a copy was captured that was sent again: which session the read is of is not certain."""
    script = """
        connect interface RemoteRead
        R_OpenQueue -> pphContext=RR1
        R_StartReceive phContext=RR1 ulAction=PEEK_CURRENT -> message=40/1
        R_StartReceive phContext=RR1 ulAction=PEEK_CURRENT -> message=40/2
        R_CloseQueue pphContext=RR1
        close
    """
    _, tables = judged(_delayed(script, "response", 10_500))
    assert columns(tables["reads"], *READ) == [("peeked", "times_cross")] * 2
    assert violations(tables) == set()


def test_opening_is_answered_after_what_follows_it() -> None:
    """Sends by the handle that it gives come first: which session they are of is not certain."""
    script = """
        connect a interface qmcomm
        connect b interface qmcomm2 group a
        a: rpc_QMOpenQueueInternal dwDesiredAccess=2 -> phQueue=Q1 pdwQMContext=9
        b: rpc_ACSendMessageEx hQueue=Q1
        b: rpc_ACSendMessageEx hQueue=Q1
        a: rpc_ACCloseHandle phQueue=Q1
        close a
        close b
    """
    _, tables = judged(_delayed(script, "response", 10_500))
    assert columns(tables["sends"], "outcome", "doubt") == [("success", "times_cross")] * 2


def test_moved_by_a_handle_that_was_given_out_of_sight() -> None:
    script = """
        connect interface RemoteRead
        R_OpenQueueForMove -> pphContext=RR1 pMoveContext=7
        R_MoveMessage phContextFrom=RR1 ullContextTo=7 LookupId=5
        R_CloseQueue pphContext=RR1
        close
    """
    _, tables = judged(_delayed(script, "response", 10_500))
    assert columns(tables["moves"], "outcome", "doubt") == [("success", "times_cross")]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("RemoteQMStartReceive2 dwRequestID=1 -> pphContext=A message=40", "RemoteQMEndReceive pphContext=A"),
        ("R_StartReceive dwRequestId=1 -> message=40/1", "R_EndReceive dwRequestId=1 dwAck=RR_ACK"),
    ],
)
def test_message_is_given_after_its_end(start: str, end: str) -> None:
    """By the order of capture, since the answer was sent again: it is one read, and its message is told."""
    interface, opening, close = (
        ("qm2qm", "RemoteQMOpenQueue", "RemoteQMCloseQueue")
        if start.startswith("RemoteQM")
        else ("RemoteRead", "R_OpenQueue", "R_CloseQueue")
    )
    script = f"""
        connect interface {interface}
        {opening}
        {start}
        {end}
        {close}
        wait 1s
        close
    """
    frames = play(script)
    late = [one for one in frames if one.about == "response" and one.line == frames[-1].line - 4]
    assert late
    moved = [replace(one, ts_us=one.ts_us + 500_000) if one in late else one for one in frames]
    _, tables = judged(sorted(moved, key=lambda one: one.ts_us))
    assert columns(tables["reads"], *READ) == [("acked", "times_cross")]
    assert all(row["message_bytes"] for row in tables["reads"])
    assert columns(tables["sessions"], "receives", "acked") == [(1, 1)]
    assert violations(tables) == set()


def test_answers_come_when_the_connection_is_over() -> None:
    """An older acknowledgement comes still later than what it was older than: it takes nothing back."""
    script = """
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2 dwRequestID=1 -> status=MQ_ERROR_IO_TIMEOUT
        RemoteQMStartReceive2 dwRequestID=2 -> status=MQ_ERROR_MESSAGE_NOT_FOUND
        RemoteQMCloseQueue
        close
    """
    frames = play(script)
    first = frames[0].line
    late = {("ack", first): 2_000_000, ("response", first + 2): 2_500_000, ("response", first + 3): 3_000_000}
    moved = [replace(one, ts_us=one.ts_us + late.get((one.about, one.line), 0)) for one in frames]
    _, tables = judged(sorted(moved, key=lambda one: one.ts_us))
    rows = sorted(tables["reads"], key=lambda row: row["request_id"])
    assert columns(rows, "outcome") == [("timed_out",), ("failed",)]
    assert columns(tables["sessions"], "state") == [("closed",)]
    assert violations(tables) == set()


@pytest.mark.parametrize(
    ("action", "read"),
    [("RECEIVE", ("unfinished", "response_not_captured")), ("PEEK_CURRENT", ("rundown", None))],
)
def test_message_that_nobody_heard_of_is_not_put_back(
    tmp_path: Path, action: str, read: tuple[str, str | None]
) -> None:
    """[MS-MQMP] 3.1.5.3: a receive removes it at once, whether or not the answer can be sent."""
    script = f"""
        connect a interface qmcomm
        connect b interface qmcomm2 group a
        a: rpc_QMOpenQueueInternal -> pdwQMContext=9
        b: ask A rpc_ACReceiveMessageEx hQMContext=9 Action={action}
        reset b by server
        a: rpc_ACCloseHandle
        close a
    """
    assert columns(told(tmp_path, script)["reads"], *READ) == [read]


def test_transaction_is_enlisted_after_its_end() -> None:
    """By the order of capture: that it was aborted is not known of what was done in it, nor that it was not."""
    script = """
        connect a interface qmcomm
        connect b interface qmcomm2 group a
        a: rpc_QMOpenQueueInternal -> phQueue=Q1 pdwQMContext=9
        a: R_QMEnlistInternalTransaction transaction=T1 -> phIntXact=X1
        b: rpc_ACReceiveMessageEx hQMContext=9 Action=RECEIVE transaction=T1 -> message=40/1
        b: rpc_ACSendMessageEx hQueue=Q1 transaction=T1
        a: R_QMAbortTransaction phIntXact=X1
        a: rpc_ACCloseHandle phQueue=Q1
        wait 5s
        close a
        close b
    """
    frames = play(script)
    first = frames[0].line
    late = {("response", first + 3): 40_000, ("response", first + 4): 60_000, ("response", first + 5): 60_000}
    moved = [replace(one, ts_us=one.ts_us + late.get((one.about, one.line), 0)) for one in frames]
    _, tables = judged(sorted(moved, key=lambda one: one.ts_us))
    for table in ("reads", "sends", "transactions"):
        assert columns(tables[table], "doubt") == [("times_cross",)]
    assert violations(tables) == set()


@pytest.mark.parametrize(("late_us", "found"), [(0, {"mqqp-status-kind"}), (5_000_000, set())])
def test_late_answer_may_be_to_an_older_request(late_us: int, found: set[str]) -> None:
    """Call ids are used again: what was sent before is not held against the server as an answer to the last."""
    script = """
        connect cycle 2
        RemoteQMOpenQueue
        RemoteQMPurgeQueue -> status=5
        RemoteQMCloseQueue
        wait 1s
        close
    """
    frames = play(script)
    line = frames[0].line + 2
    moved = [
        replace(one, ts_us=one.ts_us + late_us) if (one.about, one.line) == ("response", line) else one
        for one in frames
    ]
    _, tables = judged(sorted(moved, key=lambda one: one.ts_us))
    assert violations(tables) == found


QM2QM_AGAIN = """
    connect
    RemoteQMOpenQueue hQueue=7 pQueue=7 dwpContext=7 -> phContext=S1
    RemoteQMStartReceive2 hRemoteQueue=7 dwQueue=7 dwRequestID=1 ulAction=PEEK_CURRENT -> pphContext=null message=40
    RemoteQMCloseQueue pphContext=S1 lost -> lost
    RemoteQMOpenQueue hQueue=7 pQueue=7 dwpContext=7 lost -> phContext=S2 lost
    RemoteQMStartReceive2 hRemoteQueue=7 dwQueue=7 dwRequestID=2 ulAction=PEEK_CURRENT -> pphContext=null message=40
    RemoteQMPurgeQueue hQueue=7
    RemoteQMCloseQueue pphContext=S2
    close
"""
QMCOMM_AGAIN = """
    connect a interface qmcomm
    connect b interface qmcomm2 group a
    a: rpc_QMOpenQueueInternal -> phQueue=Q1 pdwQMContext=9
    b: rpc_ACReceiveMessageEx hQMContext=9 Action=PEEK_CURRENT -> message=40/1
    a: rpc_ACCloseHandle phQueue=Q1 lost -> lost
    a: rpc_QMOpenQueueInternal lost -> phQueue=Q2 pdwQMContext=9 lost
    b: rpc_ACReceiveMessageEx hQMContext=9 Action=PEEK_CURRENT -> message=40/2
    a: rpc_ACCloseHandle phQueue=Q2
    close a
    close b
"""


@pytest.mark.parametrize(("script", "before"), [(QM2QM_AGAIN, None), (QMCOMM_AGAIN, "bytes_missing")])
def test_number_was_given_again_in_the_same_association(tmp_path: Path, script: str, before: str | None) -> None:
    """A close and an open were missed: the queue that the number means may be another one.

    On one connection a read before them is certain; when they were on another one nobody knows.
    """
    tables = told(tmp_path, script)
    assert columns(tables["reads"], *READ) == [("peeked", before), ("peeked", "bytes_missing")]
    assert {row["doubt"] for row in tables["admin_actions"] if row["action"] == "purge"} <= {"bytes_missing"}
    assert violations(tables) == set()


def test_what_is_missed_elsewhere_gives_no_number_again(tmp_path: Path) -> None:
    """Another association of the client cannot close it: [MS-RPCE] 3.3.1.4.1."""
    script = """
        connect a
        connect b
        a: RemoteQMOpenQueue hQueue=7 pQueue=7 dwpContext=7
        b: RemoteQMOpenQueue hQueue=8 pQueue=8 dwpContext=8 lost -> lost
        b: RemoteQMPurgeQueue hQueue=8
        a: RemoteQMStartReceive2 hRemoteQueue=7 dwRequestID=1 ulAction=PEEK_CURRENT -> pphContext=null message=40
        close a
        close b
    """
    assert columns(told(tmp_path, script)["reads"], *READ) == [("peeked", None)]


def test_copies_of_a_connection_that_is_over_do_not_make_it_the_last() -> None:
    """The server resets what is left of the association: a client that closed the other before has no part in that."""
    script = """
        connect a grants 7
        connect b asks 7 grants 7
        a: RemoteQMOpenQueue
        close b
        wait 1s
        reset a by server
    """
    frames = play(script)
    copy = next(one for one in frames if one.about == "syn" and one.line == frames[0].line + 1)
    _, tables = judged([*frames, replace(copy, ts_us=frames[-1].ts_us + 1_000_000)])
    assert columns(tables["sessions"], "state", "severed_by") == [("rundown", "server_reset")]
    assert violations(tables) == set()


def _delayed(script: str, about: str, us: int) -> list[Timed]:
    """The first packet of its kind."""
    frames = play(script)
    first = next(one for one in frames if one.about == about)
    moved = [replace(one, ts_us=one.ts_us + us) if one is first else one for one in frames]
    return sorted(moved, key=lambda one: one.ts_us)


@pytest.mark.parametrize(
    ("lost", "doubt"),
    [
        ("RemoteQMGetQMQMServerPort lost -> lost", None),
        ("RemoteQMGetQMQMServerPort lost -> lost\n" * 4, "bytes_missing"),
        ("RemoteQMCloseCursor hQueue=7 hCursor=3 -> lost\n" * 4, None),
    ],
    ids=["too little for a close and an open", "enough", "nothing of the client's"],
)
def test_a_number_stays_its_own_where_too_little_is_missing(tmp_path: Path, lost: str, doubt: str | None) -> None:
    tables = told(
        tmp_path,
        f"""
        connect
        RemoteQMOpenQueue hQueue=7 pQueue=7 dwpContext=7 -> phContext=S1
        {lost}
        RemoteQMPurgeQueue hQueue=7
        RemoteQMCloseQueue pphContext=S1
        close
        """,
    )
    assert {row["doubt"] for row in tables["admin_actions"] if row["action"] == "purge"} == {doubt}
