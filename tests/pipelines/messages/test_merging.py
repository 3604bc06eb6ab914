"""Sightings of one message become one row."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pyarrow as pa
import pytest

from pipelines.messages.merging import ORDER, merged
from schemas.tables.messages import MAX_CALLS_TOLD, MESSAGES, SEEN


def seen(uid: str, at: int, **values: Any) -> Any:  # noqa: ANN401 - a SeenRow
    row: dict[str, Any] = dict.fromkeys(SEEN.names)
    row |= {
        "message_uid": uid,
        "ts_ns": at * 1000,
        "ts": at * 1_000_000,
        "call_uid": f"R{at:06d}",
    }
    return row | {"operation": "R_StartReceive", "seen_as": "peeked"} | values


def in_order(rows: list[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: tuple(row[name] for name in ORDER))


def test_a_message_seen_three_times_is_one() -> None:
    rows = [
        seen("M1", 1, complete=False, label="cut", body_sha256=None),
        seen("M1", 2, complete=True, label="whole", body_sha256="aa", seen_as="received"),
        seen("M1", 3, operation="R_MoveMessage", seen_as="moved"),
        seen("M2", 2, complete=True, label="other", body_sha256="bb"),
    ]
    for shuffled in permutations(rows):
        first, second = merged(in_order(list(shuffled)))
        assert (first["label"], first["sightings"], first["bodies"], first["complete"]) == ("whole", 3, 1, True)
        assert [call["seen_as"] for call in first["calls"]] == ["peeked", "received", "moved"]
        assert (first["first_ts"], first["last_ts"]) == (1_000_000, 3_000_000)
        assert second["label"] == "other"


def test_another_body_under_the_same_id_shows() -> None:
    (row,) = merged([seen("M1", at, complete=True, body_sha256=str(at % 2)) for at in range(4)])
    assert row["bodies"] == 2


def test_calls_are_told_up_to_a_limit() -> None:
    (row,) = merged(seen("M1", at) for at in range(MAX_CALLS_TOLD + 5))
    assert (row["sightings"], len(row["calls"])) == (MAX_CALLS_TOLD + 5, MAX_CALLS_TOLD)


@pytest.mark.parametrize("rows", [[], [seen("M1", 1)]])
def test_rows_fit_the_table(rows: list[Any]) -> None:
    assert len(pa.Table.from_pylist(list(merged(rows)), schema=MESSAGES.arrow)) == len(rows)


def test_what_sessions_know_of_a_call_stands_beside_it() -> None:
    told = {"queue_name": "Q", "outcome": "acked", "opened_for_username": "jdoe", "naming_doubt": "messages_only"}
    rows = [
        seen("M1", 2, seen_as="received", username="HQ$"),
        seen("M1", 2, operation=None, seen_as=None, **told),
        seen("M1", 3, seen_as="peeked"),
        seen("M2", 5, operation=None, seen_as=None, **told),
    ]
    (row,) = merged(rows)
    assert (row["sightings"], row["queue_names"]) == (2, ["Q"])
    first, second = map(dict, row["calls"])
    assert {name: first[name] for name in told} == told
    assert first["username"] == "HQ$"
    assert {second[name] for name in told} == {None}
