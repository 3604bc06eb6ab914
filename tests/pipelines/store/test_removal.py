"""Rows taken out of files, and captures numbered another way."""

from __future__ import annotations

import json
import resource
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from pipelines.exports.jsonl import json_lines
from pipelines.exports.rows import order_of
from pipelines.facts.model import BlindFact, Moment
from pipelines.facts.reasons import Reason
from pipelines.facts.stored_form import from_row, to_row
from pipelines.store.files import StoredFile
from pipelines.store.places import SORT_KEYS, Places
from pipelines.store.removal import NotAmong, NotIssues, OfKeys, Removal, removals
from pipelines.store.renumbering import Renumbering
from pipelines.store.writing import write_rows
from schemas.internal import CONNECTIONS, FACTS, SEGMENTS
from schemas.tables import ISSUES, PDUS, SESSIONS, WRITTEN
from tests.every import each

if TYPE_CHECKING:
    from schemas.model import Table


def stored(folder: Path, table: Table, rows: list[dict[str, Any]], name: str = "old") -> list[StoredFile]:
    place = Places(str(folder / name), dated=True, prefix="r000001-").table(table)
    return [
        StoredFile(str(folder / name), one) for one in write_rows(place, pa.Table.from_pylist(rows, schema=table.arrow))
    ]


def rows_of(folder: Path, paths: list[str]) -> list[dict[str, Any]]:
    return [row for path in paths for row in parquet.ParquetFile(folder / path).read().to_pylist()]


def test_only_files_that_lose_rows_are_written_again(tmp_path: Path) -> None:
    day = 86_400_000_000
    rows = [
        {"uid": uid, "ts": ts, "capture_id": "c", "fate": "call"}
        for uid, ts in (("a", 0), ("b", 1), ("a", day), ("c", 2 * day))
    ]
    files = stored(tmp_path, PDUS, rows)
    assert len(files) == 3
    to_remove = [Removal(file, NotAmong("uid", frozenset("a"))) for file in files]
    done = list(removals("00000", to_remove, str(tmp_path / "new"), "r000002-"))
    assert [one.file.written.path for one in done if one.kept] == [files[2].written.path]
    written = [one.written.path for one in done if one.written]
    assert written == ["tables/pdus/date=1970-01-01/r000002-again-00000-0.parquet"]
    assert [row["uid"] for row in rows_of(tmp_path / "new", written)] == ["b"]
    assert [dict(one.went) for one in done] == [{("c", "pdus", "call"): 1}, {("c", "pdus", "call"): 1}, {}]
    assert len(list((tmp_path / "new").rglob("*.parquet"))) == 1


def test_rows_are_told_apart_by_servers_places_and_keys(tmp_path: Path) -> None:
    sessions = pa.Table.from_pylist(
        [{"id": {"resp_h": host}} for host in ("10.0.0.1", "10.0.0.2")], schema=SESSIONS.arrow
    )
    assert NotAmong("id.resp_h", frozenset(["10.0.0.2"]))(sessions).to_pylist() == [True, False]
    issues = pa.Table.from_pylist(
        [
            {"capture_id": "c", "frame": 1, "code": "x", "uid": None},
            {"capture_id": "c", "frame": 2, "code": "x", "uid": None},
            {"capture_id": "c", "frame": 1, "code": "x", "uid": "U"},
        ],
        schema=ISSUES.arrow,
    )
    keeps = NotIssues(frozenset([("c", 2, "x")]), frozenset("U"))
    assert keeps(issues).to_pylist() == [True, False, False]
    segments = pa.Table.from_pylist([{"key": key, "ts_ns": ts} for key, ts in ((5, 1), (5, 9), (7, 1))], SEGMENTS.arrow)
    since = np.array([3], np.int64)
    assert OfKeys(np.array([5], np.int64), since)(segments).to_pylist() == [True, True, False]
    assert OfKeys(np.array([5], np.int64), since, "ts_ns")(segments).to_pylist() == [False, True, False]


def test_captures_are_renumbered_wherever_rows_name_them() -> None:
    to = Renumbering({0: 2, 1: 0, 2: 1})
    fact = BlindFact(Moment(5, 0, 1), "U", "10.0.0.1", "10.0.0.2", Moment(9, 1, 3), Reason.SEALED)
    (batch,) = pa.Table.from_pylist([to_row(fact)], schema=FACTS.arrow).to_batches()
    (row,) = to.batch(batch, FACTS).to_pylist()
    assert from_row(row) == BlindFact(Moment(5, 2, 1), "U", "10.0.0.1", "10.0.0.2", Moment(9, 0, 3), Reason.SEALED)
    counts = [
        [{"file": 0, "stage": "s", "counter": "c", "value": 1}, {"file": 1, "stage": "s", "counter": "c", "value": 2}],
        [],
        [{"file": 2, "stage": "s", "counter": "c", "value": 3}],
    ]
    rows = [{"uid": str(n), "key": n, "counts": one} for n, one in enumerate(counts)]
    (batch,) = pa.Table.from_pylist(rows, schema=CONNECTIONS.arrow).to_batches()
    found = to.batch(batch, CONNECTIONS).to_pylist()
    assert [[one["file"] for one in row["counts"]] for row in found] == [[2, 0], [], [1]]
    assert to.reversed().batch(to.batch(batch, CONNECTIONS), CONNECTIONS) == batch


def test_every_table_has_an_order_to_be_exported_in() -> None:
    def has_an_order(table: Table) -> None:
        assert set(order_of(table)) <= set(table.names)

    each(WRITTEN, attrgetter("name"), has_an_order)


def test_export_of_more_files_than_a_process_may_have_open(tmp_path: Path) -> None:
    days = 150
    for n in range(days):
        stored(tmp_path, PDUS, [{"ts": n * 86_400_000_000, "ts_ns": n * 86_400_000_000_000, "call_id": n}])
        place = Places(str(tmp_path / "old"), prefix=f"r{n:06d}-").table(ISSUES)
        write_rows(place, pa.Table.from_pylist([{"path": f"{days - n:03d}", "code": "c"}], schema=ISSUES.arrow))
    stored(tmp_path, PDUS, [{"call_id": -1}])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 64, hard))
    try:
        pdus, issues = (list(json_lines(str(tmp_path / "old"), table)) for table in (PDUS, ISSUES))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert [json.loads(line)["call_id"] for line in pdus] == list(range(-1, days))
    assert [json.loads(line)["path"] for line in issues] == [f"{n:03d}" for n in range(1, days + 1)]


def test_export_is_the_same_however_rows_lie_in_files(tmp_path: Path) -> None:
    rows = [
        {"ts_ns": n // 3 if n % 7 else None, "uid": f"U{n % 4}", "is_orig": n % 2 == 0, "stream_offset": n % 5}
        | {"call_id": n}
        for n in range(60)
    ]
    found = []
    for files in (1, 2, 5):
        for part in range(files):
            place = Places(str(tmp_path / str(files)), prefix=f"p{part}-").table(PDUS)
            write_rows(place, pa.Table.from_pylist(rows[part::files], schema=PDUS.arrow), SORT_KEYS[PDUS.name])
        found.append(list(json_lines(str(tmp_path / str(files)), PDUS)))
    assert found[0] == found[1] == found[2]
    assert sorted(json.loads(line)["call_id"] for line in found[0]) == list(range(60))
    times = [json.loads(line)["ts_ns"] for line in found[0]]
    assert times == sorted(times, key=lambda ts: (ts is not None, ts or 0))
