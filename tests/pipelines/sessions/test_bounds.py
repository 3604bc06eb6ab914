"""State is bounded by what is open, whatever has passed and whatever a peer makes up."""

from __future__ import annotations

import gc
import tracemalloc
from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from pipelines.facts.model import END, CallFact, ConnectionFact, Moment
from pipelines.facts.stored_form import from_row, to_row
from pipelines.facts.versions import known_versions
from pipelines.judging.servers import ORDER, judged
from pipelines.judging.summaries import Summaries
from pipelines.rules.catalogue import SETTINGS
from pipelines.sessions.references import MAX_SESSIONS
from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pipelines.facts.model import Fact
    from schemas.internal_rows import FactRow
    from schemas.model import AnyRow

Row = dict[str, Any]
SPAN_NS = 1_000_000_000


class Recorded:
    """The facts of a short conversation, told again and again at later times on one connection that stays open."""

    def __init__(self, script: str, folder: Path) -> None:
        local = Local(capture(folder, script))
        rows = sorted(local.facts, key=itemgetter(*ORDER))
        facts = [from_row(row) for row in rows if row["kind"] != "blind"]
        self.connections = [replace(fact, until=END) for fact in facts if isinstance(fact, ConnectionFact)]
        self.calls = [fact for fact in facts if isinstance(fact, CallFact)]
        self.versions = known_versions(local.versions)

    def told(self, times: int, changed: Callable[[CallFact, int], CallFact]) -> Iterator[FactRow]:
        for connection in self.connections:
            yield to_row(connection)
        for turn in range(times):
            calls = [changed(_later(call, turn), turn) for call in self.calls]
            if calls[0].uid != self.calls[0].uid:
                yield to_row(_connection_of(calls, self.connections[0]))
            yield from map(to_row, calls)

    def peak(self, times: int, changed: Callable[[CallFact, int], CallFact]) -> int:
        """Bytes held at most while so many turns are judged, beside the rows: they are there before."""
        rows = list(self.told(times, changed))
        tracemalloc.start()
        try:
            for number, _ in enumerate(judged(rows, self.versions, SETTINGS, Summaries())):
                if not number % 1_000:
                    gc.collect()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def _later(call: CallFact, turn: int) -> CallFact:
    def shifted(moment: Moment) -> Moment:
        return moment._replace(ts_ns=moment.ts_ns + turn * SPAN_NS, frame=moment.frame + turn * 1_000)

    answered = shifted(call.answered) if call.answered else None
    return replace(call, began=shifted(call.began), answered=answered, call_uid=f"{call.call_uid}-{turn}")


def _connection_of(calls: list[CallFact], like: ConnectionFact) -> ConnectionFact:
    """A connection of their own, closed when they are over."""
    first, last = calls[0], calls[-1]
    return replace(like, began=first.began, uid=first.uid, ends=first.ends, until=last.until, closed=True)


def _same(call: CallFact, _: int) -> CallFact:
    return call


def _another_queue(call: CallFact, turn: int) -> CallFact:
    """A queue number that nobody has heard of, and that the server takes."""
    request = {"hQueue": turn + 100} if call.operation == "RemoteQMPurgeQueue" else call.request
    return replace(call, request=request)


def _another_client(call: CallFact, turn: int) -> CallFact:
    ends = call.ends._replace(orig_h=f"10.{turn >> 16 & 255}.{turn >> 8 & 255}.{turn & 255}")
    return replace(call, ends=ends, uid=f"C{turn}")


READING = """
    connect
    RemoteQmGetVersion
    RemoteQMOpenQueue
    RemoteQMStartReceive2 ulAction=PEEK_CURRENT
    RemoteQMStartReceive2 -> pphContext=A
    RemoteQMEndReceive pphContext=A
    RemoteQMCloseQueue
"""


SUPPORTED = """
    connect a interface qmcomm
    connect b interface qmcomm2 group a
    rpc_QMOpenQueueInternal dwShareMode=1
    R_QMEnlistInternalTransaction
    rpc_ACCreateCursorEx -> status=MQ_INFORMATION_REMOTE_OPERATION
    rpc_ACReceiveMessageEx transaction=T
    R_QMAbortTransaction
    rpc_ACCloseCursor
    rpc_ACCloseHandle
"""


@pytest.mark.parametrize("script", [READING, SUPPORTED])
def test_memory_does_not_grow_with_the_calls_that_have_passed(script: str, tmp_path: Path) -> None:
    recorded = Recorded(script, tmp_path)
    recorded.peak(50, _same)
    assert recorded.peak(2_000, _same) < 1.2 * recorded.peak(800, _same)


def test_queues_that_a_peer_makes_up_are_forgotten(tmp_path: Path) -> None:
    recorded = Recorded("connect\nRemoteQMPurgeQueue\n", tmp_path)
    tables: dict[str, list[AnyRow]] = {}
    for name, row in judged(recorded.told(MAX_SESSIONS + 500, _another_queue), {}, SETTINGS, Summaries()):
        tables.setdefault(name, []).append(row)
    doubts = [row["doubt"] for row in tables["sessions"]]
    assert len(doubts) == MAX_SESSIONS + 500
    assert doubts.count("limit") == 500


def test_messages_that_a_peer_never_ends_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.sessions.reading.MAX_OPEN_READS", 100)
    recorded = Recorded("connect\nRemoteQMStartReceive2 -> pphContext=A\n", tmp_path)
    rows = list(judged(recorded.told(300, _same), {}, SETTINGS, Summaries()))
    doubts = [row["doubt"] for name, row in rows if name == "reads"]
    assert len(doubts) == 300
    assert doubts.count("limit") == 200


@pytest.mark.parametrize("changed", [_another_queue, _another_client])
def test_memory_of_what_a_peer_makes_up_is_bounded(
    changed: Callable[[CallFact, int], CallFact], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.sessions.references.MAX_SESSIONS", 200)
    monkeypatch.setattr("pipelines.sessions.machine.MAX_PAIRS", 200)
    monkeypatch.setattr("pipelines.knowledge.queue_notes.MAX_NOTES", 200)
    recorded = Recorded("connect\nRemoteQMPurgeQueue\n", tmp_path)
    recorded.peak(50, changed)
    assert recorded.peak(2_000, changed) < 1.5 * recorded.peak(800, changed)


def test_facts_come_through_rows_unchanged(tmp_path: Path) -> None:
    local = Local(capture(tmp_path, READING))
    for row in local.facts:
        fact: Fact = from_row(row)
        assert to_row(fact) == row


def test_rows_that_wait_for_a_name_are_told_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.sessions.awaiting_names.MAX_HELD", 20)
    recorded = Recorded("connect\nRemoteQMStartReceive2 ulAction=PEEK_CURRENT\n", tmp_path)
    rows = list(judged(recorded.told(100, _same), {}, SETTINGS, Summaries()))
    named = [row["queue_name"] for name, row in rows if name == "reads"]
    assert len(named) == 100
    assert None not in named


def test_transactions_that_a_peer_never_ends_are_told_in_doubt_and_held_against_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.sessions.transactions.MAX_HANDLES", 3)
    enlisting = [f"x: R_QMEnlistInternalTransaction transaction=T{n} -> phIntXact=X{n}" for n in range(6)]
    ending = [f"x: R_QMCommitTransaction phIntXact=X{n}" for n in range(6)]
    script = "\n".join(["connect x interface qmcomm", *enlisting, *ending, "close x"])
    tables = Local(capture(tmp_path, script)).judged()
    told = Counter((row["outcome"], row["doubt"]) for row in tables["transactions"])
    assert told == {("unknown", "limit"): 3, ("committed", None): 3}
    assert [row["rule_id"] for row in tables["findings"] if row["verdict"] == "violation"] == []


def test_clients_that_have_something_open_are_forgotten_in_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.sessions.machine.MAX_PAIRS", 200)
    recorded = Recorded("connect\nRemoteQMPurgeQueue\n", tmp_path)
    rows = list(judged(_at_once(recorded, 500), {}, SETTINGS, Summaries()))
    doubts = [row["doubt"] for name, row in rows if name == "sessions"]
    assert len(doubts) == 500
    assert doubts.count("limit") == 300
    assert not [row for name, row in rows if name == "findings" and row["verdict"] == "violation"]


def _at_once(recorded: Recorded, clients: int) -> Iterator[FactRow]:
    """Each on a connection that stays open, and in an association of its own."""
    (connection,), (purge,) = recorded.connections, recorded.calls
    for turn in range(clients):
        call = _another_client(_later(purge, turn), turn)
        binds = tuple(replace(one, group=turn + 1) for one in connection.binds)
        yield to_row(replace(connection, began=call.began, uid=call.uid, ends=call.ends, binds=binds))
        yield to_row(call)


def test_of_a_number_that_is_opened_without_end_the_oldest_sessions_end_in_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.sessions.references.MAX_OF_A_NAME", 10)
    opens = "\n".join(f"RemoteQMOpenQueue hQueue=7 dwpContext=7 -> phContext=H{number}" for number in range(30))
    tables = Local(capture(tmp_path, f"connect\n{opens}\nRemoteQMPurgeQueue hQueue=7\n")).judged()
    told = Counter(row["doubt"] for row in tables["sessions"])
    assert (len(tables["sessions"]), told["limit"]) == (30, 20)
    assert not [row for row in tables["findings"] if row["verdict"] == "violation"]
