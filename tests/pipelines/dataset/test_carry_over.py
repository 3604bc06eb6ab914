"""What a run holds of conversations for the next one goes with those that are taken or undecided, not with all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from pipelines.captures import key_ranges
from pipelines.dataset.carry_over import UNDECIDED_BYTES, CarryOver
from schemas.internal import CONVERSATIONS, SYNS, UNSPOKEN
from schemas.state import CARRIED_CONVERSATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = 1_700_000_000_000_000_000
MANY = 50_000
TAKEN = np.arange(0, MANY, 5_000, dtype=np.int64)
NONE = np.empty(0, np.int64)
UNDECIDED = np.arange(7, MANY, 10_000, dtype=np.int64)


def carrying(known: pa.Table | None = None) -> CarryOver:
    """Of conversations that all end now; each has a SYN, and most have said much."""
    key = np.arange(MANY, dtype=np.int64)
    said = np.where(np.isin(key, UNDECIDED), UNDECIDED_BYTES, UNDECIDED_BYTES + 1)
    columns = {"file": key * 0, "split": key * 0, "key": key, "low_end": key, "high_end": -key}
    seen = {one.name: key * 0 for one in UNSPOKEN}
    seen |= {"last_ts_ns": key * 0 + NOW, "payload_bytes": said}
    rows = {CONVERSATIONS.name: columns | seen, SYNS.name: columns}

    def batches(table: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_arrays([pa.array(rows[table][one.name], one.type) for one in schema], schema=schema)

    selection: Any = SimpleNamespace(rows=2 * MANY, scan=SimpleNamespace(batches=batches))
    nothing = CARRIED_CONVERSATIONS.arrow.empty_table()
    return CarryOver(NOW, NOW, nothing if known is None else known, selection)


@pytest.mark.parametrize("at_once", [1_000_000, 7_000], ids=["at once", "by ranges"])
def test_only_what_is_taken_or_undecided_is_held(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(key_ranges, "ROWS_AT_ONCE", at_once)
    seen = carrying().seen(TAKEN)
    assert seen.column("key").to_pylist() == sorted((*TAKEN.tolist(), *UNDECIDED.tolist()))
    assert seen.get_total_buffer_size() < 100 * (len(TAKEN) + len(UNDECIDED))


def test_a_later_round_takes_more() -> None:
    more = np.union1d(TAKEN, np.array([3], np.int64))
    stored = carrying().stored(more)
    assert stored.tolist() == sorted((*more.tolist(), *UNDECIDED.tolist()))
    rows = {row["key"]: row for row in carrying().conversations(more, NONE).to_pylist()}
    assert [key for key, row in rows.items() if row["streamed"]] == more.tolist()


def test_what_earlier_runs_knew_stays() -> None:
    known = pa.Table.from_pylist(
        [
            {"key": -5, "low_end": 1, "high_end": 2, "last_ts_ns": NOW, "midstream": False, "streamed": True},
            {"key": 4, "low_end": 4, "high_end": -4, "last_ts_ns": NOW - 1, "midstream": False, "streamed": False},
        ],
        schema=CARRIED_CONVERSATIONS.arrow,
    )
    rows = {row["key"]: row for row in carrying(known).conversations(TAKEN, NONE).to_pylist()}
    assert rows[-5]["streamed"]
    assert (rows[4]["last_ts_ns"], rows[4]["streamed"]) == (NOW - 1, False), "not taken: as it was"
    assert rows.keys() == {-5, 4, *TAKEN.tolist(), *UNDECIDED.tolist()}
