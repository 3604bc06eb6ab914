"""Notes of several servers to hosts and queues."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from pipelines.knowledge.hosts import host_rows
from pipelines.knowledge.queues import queue_rows

if TYPE_CHECKING:
    from schemas.state import HostNoteRow, QueueNoteRow

SECOND = 1_000_000_000


def host(address: str, kind: str, value: str, first: int = 1, last: int = 2, server: str = "10.0.0.9") -> HostNoteRow:
    return {
        "server": server,
        "address": address,
        "kind": kind,
        "value": value,
        "first_ts_ns": first * SECOND,
        "last_ts_ns": last * SECOND,
    }


def test_roles_follow_from_what_a_host_serves_and_calls() -> None:
    notes = [
        host("10.0.0.10", "serves", "qmcomm", 5, 9, "10.0.0.10"),
        host("10.0.0.10", "supports", "qmcomm", 5, 9, "10.0.0.10"),
        host("10.0.0.9", "serves", "qmcomm"),
        host("10.0.0.10", "calls", "qm2qm"),
        host("10.0.0.20", "calls", "qmcomm"),
        host("10.0.0.20", "opens", "qmcomm"),
        host("10.0.0.20", "client_name", "DESK20"),
        host("10.0.0.10", "opens", "qmcomm"),
    ]
    middle, client, owner = host_rows(notes)
    assert owner["roles"] == ["queue_server"]
    assert middle["roles"] == ["supporting_server", "remote_reader"]
    assert middle["first_seen"] == 1_000_000
    assert middle["last_seen"] == 9_000_000
    assert client["roles"] == ["application", "dependent_client"]
    assert client["computer_names"] == [{"name": "DESK20", "told_by": "client_name"}]


def queue(
    keys: list[str], names: list[str], act: str | None, who: str = "10.0.0.5", count: int = 1, at: int = 1
) -> QueueNoteRow:
    return {
        "server": "10.0.0.9",
        "keys": keys,
        "names": names,
        "act": act,
        "address": who,
        "username": "alice",
        "domain": "CORP",
        "numbers": [],
        "opened_for_username": None,
        "naming_doubt": None,
        "count": count,
        "first_ts_ns": at * SECOND,
        "last_ts_ns": at * SECOND,
    }


def test_names_that_share_a_key_are_one_queue_in_whichever_order_they_come() -> None:
    notes = [
        queue(["a"], ["A"], "opened", at=4),
        queue(["b", "c"], ["B", "C"], None, at=2),
        queue(["c"], ["C"], "purged", "10.0.0.6", 2, at=3),
        queue(["a", "b"], ["A", "B"], None, at=9),
        queue(["z"], ["Z"], "opened"),
    ]
    expected = queue_rows(notes)
    assert len(expected) == 2
    (found,) = (row for row in expected if "A" in row["names"])
    assert found["names"] == ["A", "B", "C"]
    assert (found["opened"], found["purged"]) == (1, 2)
    assert [(one["act"], one["address"], one["count"]) for one in found["acts"]] == [
        ("opened", "10.0.0.5", 1),
        ("purged", "10.0.0.6", 2),
    ]
    assert (found["first_seen"], found["last_seen"]) == (2_000_000, 9_000_000)
    for seed in range(20):
        random.Random(seed).shuffle(notes)
        assert queue_rows(notes) == expected
