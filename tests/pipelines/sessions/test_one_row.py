"""What happened once is told once, also where its beginning is missing; and by what its end says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.sessions.telling import columns, told, violations

if TYPE_CHECKING:
    from pathlib import Path

TOLD = ("action", "outcome", "doubt")
COUNTS = ("peeks", "receives", "unknown_reads", "acked", "nacked", "unfinished")
STRAY = 0x00000004


@pytest.mark.parametrize(
    ("ack", "outcome", "counts"), [(2, "acked", (0, 1, 0, 1, 0, 0)), (1, "nacked", (0, 1, 0, 0, 1, 0))]
)
def test_an_unknown_action_is_what_its_end_says(
    tmp_path: Path, ack: int, outcome: str, counts: tuple[int, ...]
) -> None:
    for start in ("RemoteQMStartReceive2", "RemoteQMStartReceive"):
        script = f"""
            connect
            RemoteQMOpenQueue
            {start} ulAction={STRAY} -> pphContext=A message=40
            RemoteQMEndReceive pphContext=A dwAck={ack}
            RemoteQMCloseQueue
            close
        """
        tables = told(tmp_path, script)
        assert columns(tables["reads"], *TOLD) == [("0x00000004", outcome, None)]
        assert columns(tables["sessions"], *COUNTS) == [counts]
        assert tables["message_sightings"][0]["seen_as"] == "read"
    tables = told(
        tmp_path,
        f"""
        connect interface RemoteRead
        R_OpenQueue
        R_StartReceive ulAction={STRAY} -> message=40
        R_EndReceive dwAck={ack}
        R_CloseQueue
        close
        """,
    )
    assert columns(tables["reads"], *TOLD) == [("0x00000004", outcome, None)]
    assert columns(tables["sessions"], *COUNTS) == [counts]


UNENDED = {
    "no handle": "connect; RemoteQMOpenQueue; RemoteQMStartReceive2 ulAction=4 -> pphContext=null message=40; close",
    "cut off": "connect; RemoteQMOpenQueue; RemoteQMStartReceive2 ulAction=4 -> pphContext=A message=40; reset",
    "RemoteRead": "connect interface RemoteRead; R_OpenQueue; R_StartReceive ulAction=4 -> message=40; R_CloseQueue",
    "qmcomm2": "connect x interface qmcomm; connect y interface qmcomm2; x: rpc_QMOpenQueueInternal; "
    "y: rpc_ACReceiveMessageEx Action=4 -> message=40; close y; close x",
}


@pytest.mark.parametrize("script", UNENDED.values(), ids=UNENDED)
def test_an_unknown_action_that_nothing_ends_is_told_as_unknown(tmp_path: Path, script: str) -> None:
    tables = told(tmp_path, script.replace("; ", "\n"))
    assert columns(tables["reads"], *TOLD) == [("0x00000004", "unfinished", "action_unknown")]
    assert columns(tables["sessions"], *COUNTS) == [(0, 0, 1, 0, 0, 1)]
    (queue,) = tables["queues"]
    assert (queue["read"], queue["peeked"], queue["received"]) == (1, 0, 0)
    assert not {one for one in violations(tables) if "completed" in one}


def test_a_peek_that_was_given_a_handle_and_acknowledged_removed_the_message(tmp_path: Path) -> None:
    script = """
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2 ulAction=PEEK_CURRENT -> pphContext=A message=40
        RemoteQMEndReceive pphContext=A dwAck=2
        RemoteQMStartReceive2 ulAction=PEEK_CURRENT -> pphContext=B message=40
        RemoteQMCloseQueue
        close
    """
    tables = told(tmp_path, script)
    assert [row["outcome"] for row in tables["reads"]] == ["acked", "peeked"]
    assert columns(tables["sessions"], *COUNTS) == [(1, 1, 0, 1, 0, 0)]


LOST = {
    "qm2qm": "connect; RemoteQMOpenQueue; RemoteQMStartReceive2 -> pphContext=A lost; RemoteQMEndReceive pphContext=A; "
    "RemoteQMCloseQueue; close",
    "RemoteRead": "connect interface RemoteRead; R_OpenQueue; R_StartReceive -> lost; R_EndReceive; R_CloseQueue",
}


@pytest.mark.parametrize("script", LOST.values(), ids=LOST)
def test_a_start_whose_answer_is_lost_is_one_read_with_its_end(tmp_path: Path, script: str) -> None:
    tables = told(tmp_path, script.replace("; ", "\n"))
    ((start, end, outcome, doubt, session),) = columns(
        tables["reads"], "start_call_uid", "end_call_uid", "outcome", "doubt", "session_uid"
    )
    assert None not in (start, end)
    assert start != end
    assert (outcome, doubt) == ("acked", "response_not_captured")
    assert session == tables["sessions"][0]["session_uid"]
    assert violations(tables) == set()


def test_a_session_that_began_before_the_capture_is_one_row(tmp_path: Path) -> None:
    script = """
        connect midstream
        RemoteQMStartReceive2 hRemoteQueue=9 -> pphContext=A
        RemoteQMEndReceive pphContext=A
        RemoteQMPurgeQueue hQueue=9
        RemoteQMCloseQueue pphContext=S
        close
    """
    (session,) = told(tmp_path, script)["sessions"]
    assert (session["state"], session["doubt"], session["acked"], session["purges"]) == (
        *("open_not_seen", "open_not_seen"),
        *(1, 1),
    )
    script = """
        connect x interface qmcomm
        connect y interface qmcomm2 group x
        y: rpc_ACReceiveMessageEx hQMContext=12
        x: rpc_ACPurgeQueue hQueue=K
        x: rpc_ACCloseHandle phQueue=K
    """
    (session,) = told(tmp_path, script)["sessions"]
    assert (session["state"], session["doubt"], session["acked"], session["purges"]) == (
        *("open_not_seen", "open_not_seen"),
        *(1, 1),
    )


def test_opens_that_share_a_number_do_not_book_each_others_reads(tmp_path: Path) -> None:
    script = """
        connect a
        connect b
        a: RemoteQMOpenQueue hQueue=7 -> phContext=A
        b: RemoteQMOpenQueue hQueue=7 -> phContext=B
        a: RemoteQMStartReceive2 hRemoteQueue=7 dwRequestID=1 -> pphContext=R1
        a: RemoteQMEndReceive pphContext=R1
        b: RemoteQMStartReceive2 hRemoteQueue=7 dwRequestID=1 ulAction=PEEK_CURRENT
        a: RemoteQMCloseQueue pphContext=A
        b: RemoteQMCloseQueue pphContext=B
        close a
        close b
    """
    tables = told(tmp_path, script)
    assert columns(tables["sessions"], "acked", "peeks") == [(1, 0), (0, 1)]
    assert [row["doubt"] for row in tables["reads"]] == [None, None]
    shared = told(tmp_path, script.replace("connect b", "connect b group a"))
    assert [row["doubt"] for row in shared["reads"]] == ["several_opens", "several_opens"]


def test_a_number_that_a_client_chose_does_not_take_the_reads_of_another_context(tmp_path: Path) -> None:
    script = """
        connect
        RemoteQmGetVersion
        RemoteQMOpenQueue hQueue=7 -> phContext=A
        RemoteQMOpenQueue hQueue=7 pQueue=8 dwpContext=8 -> phContext=B
        RemoteQMStartReceive2 hRemoteQueue=7 -> pphContext=R1
        RemoteQMEndReceive pphContext=R1
        RemoteQMCloseQueue pphContext=B
        RemoteQMCloseQueue pphContext=A
        close
    """
    tables = told(tmp_path, script)
    assert columns(tables["sessions"], "acked") == [(1,), (0,)]
    assert [row["doubt"] for row in tables["reads"]] == [None]
