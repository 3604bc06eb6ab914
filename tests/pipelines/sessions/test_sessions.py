"""Sessions and reads from conversations in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from tests.local import Local
from tests.scripts.player import capture
from tests.scripts.words import handle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = dict[str, Any]
Tell: TypeAlias = "Callable[[str], Story]"


class Story:
    def __init__(self, script: str, folder: Path) -> None:
        local = Local(capture(folder, script))
        tables = local.judged()
        self.sessions, self.reads = tables["sessions"], tables["reads"]
        self.calls = {row["call_uid"]: row for row in local.tables["calls"]}

    @property
    def outcomes(self) -> list[tuple[str, str | None]]:
        return [(row["outcome"], row["doubt"]) for row in self.reads]

    @property
    def states(self) -> list[tuple[str, str | None]]:
        return [(row["state"], row["doubt"]) for row in self.sessions]


@pytest.fixture
def tell(tmp_path: Path) -> Tell:
    return lambda script: Story(script, tmp_path)


def test_counts_bytes_by_the_way_they_left_the_server(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2 ulAction=PEEK_CURRENT -> message=10
        RemoteQMStartReceive2 -> pphContext=A message=20
        RemoteQMEndReceive pphContext=A dwAck=2
        RemoteQMStartReceive2 -> pphContext=B message=30
        RemoteQMEndReceive pphContext=B dwAck=1
        RemoteQMStartReceive2 -> pphContext=C message=40
        reset
    """)
    (session,) = story.sessions
    sizes = [row["message_bytes"] for row in story.reads]
    ways = ("peeked", "acked", "nacked", "rundown")
    assert [row["outcome"] for row in story.reads] == list(ways)
    assert [session[f"{way}_bytes"] for way in ways] == sizes
    assert session["message_bytes"] == sum(sizes)
    assert (session["peeks"], session["receives"]) == (1, 3)
    assert [session[name] for name in ("acked", "nacked", "rundown", "unfinished")] == [1, 1, 1, 0]


def test_read_tells_the_message_and_its_calls(tell: Tell) -> None:
    story = tell("""
        connect user bob
        RemoteQMOpenQueue hQueue=0x31 -> phContext=Queue
        RemoteQMStartReceiveByLookupId hRemoteQueue=0x31 LookupId=0x0800000000001405 dwRequestID=77 -> pphContext=Mine
        RemoteQMEndReceive pphContext=Mine
        RemoteQMCloseQueue pphContext=Queue
        close
    """)
    (read,), (session,) = story.reads, story.sessions
    assert read["session_uid"] == session["session_uid"]
    assert (read["action"], read["request_id"]) == ("MQ_LOOKUP_RECEIVE_CURRENT", 77)
    assert (int(read["lookup_id"]), int(read["sequential_id"])) == (0x0800000000001405, 0x1405)
    assert read["handle"] == handle("Mine")
    start, end = story.calls[read["start_call_uid"]], story.calls[read["end_call_uid"]]
    assert (start["operation"], end["operation"]) == ("RemoteQMStartReceiveByLookupId", "RemoteQMEndReceive")
    assert read["message_sha256"]
    assert (start["ts"] - read["arrived_ts"]).total_seconds() == pytest.approx(60, abs=1)
    assert (session["username"], session["handle"], session["queue_handle"]) == ("bob", handle("Queue"), 0x31)
    assert session["client_qm"] == "11111111-2222-3333-4444-555555555555"
    assert session["opened_ts"] < session["closed_ts"]


def test_handles_are_valid_on_every_connection_of_the_association(tell: Tell) -> None:
    story = tell("""
        connect a
        a: RemoteQMOpenQueue
        a: RemoteQMStartReceive2
        connect b group a
        close a
        b: RemoteQMEndReceive
        b: RemoteQMCloseQueue
        close b
    """)
    assert story.outcomes == [("acked", None)]
    assert story.states == [("closed", None)]


def test_association_ends_with_its_last_connection(tell: Tell) -> None:
    story = tell("""
        connect a
        a: RemoteQMOpenQueue
        a: RemoteQMStartReceive2
        connect b group a
        close a
        wait 10s
        reset b
    """)
    assert story.outcomes == [("rundown", None)]
    assert story.states == [("rundown", None)]
    assert (story.reads[0]["ended_ts"] - story.reads[0]["ts"]).total_seconds() > 10


def test_connection_of_unknown_association_keeps_handles_alive(tell: Tell) -> None:
    story = tell("""
        connect a
        a: RemoteQMOpenQueue
        a: RemoteQMStartReceive2
        connect b group a lose bind,bind_ack
        close a
        b: RemoteQMEndReceive
        close b
    """)
    (read,) = story.outcomes
    assert read[0] == "rundown"
    assert read[1] is not None


def test_what_the_capture_ends_before_is_unfinished(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2
        ask waiting RemoteQMStartReceive2 ulTimeout=INFINITE
    """)
    assert story.outcomes == [("unfinished", None), ("unfinished", None)]
    assert story.states == [("open_at_end", None)]
    assert [row["ended_ts"] for row in story.reads] == [None, None]


def test_connection_that_just_stops_is_no_rundown(tell: Tell) -> None:
    story = tell("""
        connect a
        a: RemoteQMOpenQueue
        a: RemoteQMStartReceive2
        wait 1s
        connect b from 10.0.0.6
        b: RemoteQmGetVersion
        close b
    """)
    assert story.outcomes == [("unfinished", None)]
    assert story.states == [("open_at_end", None)]


def test_waiting_read_ends_with_the_connection(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue
        ask waiting RemoteQMStartReceive2 ulTimeout=INFINITE
        wait 30s
        reset
    """)
    assert story.outcomes == [("rundown", None)]
    assert story.reads[0]["message_bytes"] is None


def test_queue_handle_used_again_after_close_is_another_session(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue -> phContext=First
        RemoteQMPurgeQueue
        RemoteQMCloseQueue pphContext=First
        RemoteQMOpenQueue -> phContext=Second
        RemoteQMStartReceive2 ulAction=PEEK_CURRENT
        RemoteQMCloseQueue pphContext=Second
        close
    """)
    assert [(row["purges"], row["peeks"]) for row in story.sessions] == [(1, 0), (0, 1)]
    assert len({row["session_uid"] for row in story.sessions}) == 2


def test_context_handle_given_again_is_another_read(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2 -> pphContext=R
        RemoteQMEndReceive pphContext=R dwAck=2
        RemoteQMStartReceive2 -> pphContext=R
        RemoteQMEndReceive pphContext=R dwAck=1
        RemoteQMCloseQueue
        close
    """)
    assert story.outcomes == [("acked", None), ("nacked", None)]


def test_session_joined_in_the_middle(tell: Tell) -> None:
    story = tell("""
        connect midstream
        RemoteQMStartReceive2
        RemoteQMEndReceive
        RemoteQMStartReceive2 ulAction=PEEK_CURRENT
        close
    """)
    assert story.outcomes == [("acked", None), ("peeked", None)]
    (session,) = story.sessions
    assert (session["state"], session["opened_ts"], session["queue_handle"]) == ("open_not_seen", None, 7)


def test_end_whose_start_was_not_captured_has_a_row(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2 lost -> lost
        RemoteQMEndReceive
        RemoteQMCloseQueue
        close
    """)
    (read,) = story.reads
    assert (read["outcome"], read["start_call_uid"], read["session_uid"]) == ("acked", None, None)


def test_opening_seen_later_begins_another_session(tell: Tell) -> None:
    story = tell("""
        connect midstream
        RemoteQMStartReceive2 ulAction=PEEK_CURRENT
        RemoteQMOpenQueue
        RemoteQMStartReceive2 ulAction=PEEK_CURRENT
        RemoteQMCloseQueue
        close
    """)
    assert [row["state"] for row in story.sessions] == ["open_not_seen", "closed"]
    assert [row["peeks"] for row in story.sessions] == [1, 1]


def test_refused_open_makes_no_session(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue -> status=MQ_ERROR_ACCESS_DENIED
        RemoteQMStartReceive2 -> status=MQ_ERROR_INVALID_PARAMETER
        close
    """)
    assert story.sessions == []
    assert story.outcomes == [("failed", None)]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("status=MQ_ERROR_IO_TIMEOUT", "timed_out"),
        ("status=MQ_ERROR_OPERATION_CANCELLED", "cancelled"),
        ("status=MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT", "cancelled"),
        ("status=MQ_ERROR_MESSAGE_ALREADY_RECEIVED", "failed"),
        ("fault=0x1C010003", "failed"),
    ],
)
def test_outcome_by_what_the_server_answers(tell: Tell, answer: str, outcome: str) -> None:
    story = tell(f"""
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2 -> {answer}
        RemoteQMCloseQueue
        close
    """)
    assert story.outcomes == [(outcome, None)]


def test_end_that_is_not_answered_leaves_a_doubt(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2
        RemoteQMEndReceive -> lost
        RemoteQMCloseQueue
        close
    """)
    assert story.outcomes == [("acked", "response_not_captured")]


def test_refused_end_changes_nothing(tell: Tell) -> None:
    story = tell("""
        connect
        RemoteQMOpenQueue
        RemoteQMStartReceive2
        RemoteQMEndReceive -> status=MQ_ERROR_TRANSACTION_SEQUENCE
        RemoteQMEndReceive
        RemoteQMCloseQueue
        close
    """)
    assert story.outcomes == [("acked", None)]


def test_two_clients_keep_their_sessions_apart(tell: Tell) -> None:
    story = tell("""
        connect a from 10.0.0.5
        a: RemoteQMOpenQueue hQueue=7 -> phContext=A
        connect b from 10.0.0.6
        b: RemoteQMOpenQueue hQueue=7 -> phContext=B
        a: RemoteQMStartReceive2 ulAction=PEEK_CURRENT
        b: RemoteQMPurgeQueue
        a: RemoteQMCloseQueue pphContext=A
        b: RemoteQMCloseQueue pphContext=B
        close a
        close b
    """)
    assert [(row["id"]["orig_h"], row["peeks"], row["purges"]) for row in story.sessions] == [
        ("10.0.0.5", 1, 0),
        ("10.0.0.6", 0, 1),
    ]


def test_sealed_session_is_no_session(tell: Tell) -> None:
    story = tell("""
        connect auth privacy
        RemoteQMOpenQueue
        RemoteQMStartReceive2
        RemoteQMCloseQueue
        close
    """)
    assert (story.sessions, story.reads) == ([], [])
