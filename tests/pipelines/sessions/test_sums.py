"""Rows agree with each other: reads with calls, sessions with reads, findings with verdicts."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.facts.vocabulary import AC_RECEIVE, REMOTE_STARTS, STARTS
from tests.conftest import ROOT
from tests.local import Local
from tests.pipelines.rules.fixtures import all_fixtures
from tests.pipelines.rules.removal import records, write
from tests.pipelines.rules.unruly_remote_talks import remote_talk
from tests.pipelines.rules.unruly_talks import talk
from tests.scripts.player import capture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = dict[str, Any]
READING = tuple("_".join(one) for one in (*STARTS, *REMOTE_STARTS, AC_RECEIVE))
QUEUE_OBJECT = tuple(f"IMSMQQueue{revision}" for revision in ("2", "3", "4"))
OUTCOMES = ("acked", "nacked", "cancelled", "timed_out", "failed", "rundown", "unfinished")
_QUEUE_TWICE = """
    connect a
    a: RemoteQMOpenQueue hQueue=7 -> phContext=S1
    connect b
    b: ask r RemoteQMStartReceive hRemoteQueue=7 ulTimeout=5000
    close a
    answer r
    b: RemoteQMEndReceive
    close b
"""
_ID_TWICE = """
    connect midstream
    RemoteQMStartReceive2 ulAction=PEEK_CURRENT
    ask one RemoteQMStartReceive2 dwRequestID=5 ulTimeout=9000
    ask two RemoteQMStartReceive2 dwRequestID=5 ulTimeout=9000
    connect b
    b: RemoteQMOpenQueue
    answer one
    answer two
    close
"""


def _reads(call: Row) -> bool:
    """A call of an open queue's object."""
    return (call["interface"] or "").startswith(QUEUE_OBJECT) and (call["member"] or "").startswith(("Receive", "Peek"))


def _agree(local: Local) -> None:
    tables = local.judged()
    readable = {row["call_uid"] for name in READING for row in local.tables.get(name, ()) if row["request"]}
    readable |= {row["call_uid"] for row in tables["com_calls"] if _reads(row)}
    starts = [row["start_call_uid"] for row in tables["reads"] if row["start_call_uid"]]
    assert sorted(starts) == sorted(readable)
    sessions = {row["session_uid"]: row for row in tables["sessions"]}
    assert len(sessions) == len(tables["sessions"])
    found: dict[str, Counter[str]] = {uid: Counter() for uid in sessions}
    for row in tables["reads"]:
        if row["session_uid"]:
            found[row["session_uid"]].update({row["outcome"]: 1, "message_bytes": row["message_bytes"] or 0})
    for uid, session in sessions.items():
        assert {name: session[name] for name in OUTCOMES} == {name: found[uid][name] for name in OUTCOMES}
        assert session["message_bytes"] == found[uid]["message_bytes"]
        told = session["peeks"] + session["receives"] + session["unknown_reads"]
        assert told == sum(found[uid][name] for name in (*OUTCOMES, "peeked"))
    counted = Counter[tuple[str, str, str | None]]()
    for row in tables["findings"]:
        counted[row["rule_id"], row["verdict"], row["reason"]] += row["count"]
    verdicts = {(row["rule_id"], row["verdict"], row["reason"]): row["count"] for row in tables["verdicts"]}
    assert counted == {key: count for key, count in verdicts.items() if key[1] != "pass"}


def test_sample() -> None:
    _agree(Local(ROOT / "samples" / "msmq-loopback.pcap"))


def test_fixtures(tmp_path: Path) -> None:
    for fixture in all_fixtures():
        _agree(Local(capture(tmp_path, fixture.script)))


@pytest.mark.parametrize("script", [_QUEUE_TWICE, _ID_TWICE], ids=["read of another association", "request id twice"])
def test_reads_that_outlive_their_session(script: str, tmp_path: Path) -> None:
    _agree(Local(capture(tmp_path, script)))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("make", [talk, remote_talk])
def test_unruly_talks_whole_and_with_losses(make: Callable[[random.Random], str], seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    whole = capture(tmp_path, make(rng))
    _agree(Local(whole))
    header, packets = records(whole)
    for share in (0.03, 0.1, 0.3):
        left = [packet for packet in packets if rng.random() > share]
        _agree(Local(write(tmp_path / "left.pcap", header, left)))
