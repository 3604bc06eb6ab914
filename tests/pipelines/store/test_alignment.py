"""Files of other versions are read: what they lack is null, what they have more is left aside, and kept in the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipelines.exports.jsonl import json_lines
from pipelines.store.alignment import aligned, column_of
from pipelines.store.files import FileWriter, StoredFile
from pipelines.store.reading import read_table
from pipelines.store.removal import NotAmong, NotIssues, Removal, remove_rows
from pipelines.store.tables import Tables
from schemas.model import LONG, STRING
from schemas.tables import CALLS, FINDINGS

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.model import Table

INNER = pa.struct([("p", LONG)])
INNER_TODAY = pa.struct([("n", STRING), ("p", LONG), ("q", pa.list_(INNER))])
OLDER = pa.schema([("a", LONG), ("s", INNER), ("many", pa.list_(INNER)), ("gone", STRING)])
TODAY = pa.schema([("b", STRING), ("many", pa.list_(INNER_TODAY)), ("s", INNER_TODAY), ("a", LONG), ("t", INNER)])
ROWS: list[dict[str, Any]] = [
    {"a": 1, "s": {"p": 2}, "many": [{"p": 3}, None], "gone": "x"},
    {"a": None, "s": None, "many": None, "gone": None},
    {"a": 4, "s": {"p": None}, "many": [], "gone": "y"},
]


def of_today(row: dict[str, Any]) -> dict[str, Any]:
    def inner(one: dict[str, Any] | None) -> dict[str, Any] | None:
        return one and {"n": None, **one, "q": None}

    many = None if row["many"] is None else [inner(one) for one in row["many"]]
    return {"b": None, "many": many, "s": inner(row["s"]), "a": row["a"], "t": None}


@pytest.mark.parametrize("first", [0, 1, 2])
def test_older_rows_as_today(first: int) -> None:
    batch = pa.RecordBatch.from_pylist(ROWS, schema=OLDER).slice(first)
    found = aligned(batch, TODAY)
    found.validate(full=True)
    assert found.schema == TODAY
    assert found.to_pylist() == [of_today(row) for row in ROWS[first:]]
    # And a newer file, read by the version before.
    back = aligned(found, OLDER).to_pylist()
    assert back == [row | {"gone": None} for row in ROWS[first:]]


def test_rows_of_today_are_the_same_object() -> None:
    batch = pa.RecordBatch.from_pylist(ROWS, schema=OLDER)
    assert aligned(batch, OLDER) is batch


def test_members_that_a_file_lacks() -> None:
    table = pa.Table.from_pylist(ROWS, schema=OLDER)
    assert column_of(table, "s.p", None).to_pylist() == [2, None, None]
    assert column_of(table, "s.n", STRING).to_pylist() == [None, None, None]
    assert column_of(table, "a.n", STRING).to_pylist() == [None, None, None]
    assert column_of(table, "none.n", STRING).type == STRING


def stored(folder: Path, schema: pa.Schema, rows: list[dict[str, Any]], table: str = "calls") -> StoredFile:
    writer = FileWriter(str(folder), table, f"tables/{table}/old.parquet", schema)
    writer.add(pa.RecordBatch.from_pylist(rows, schema=schema))
    return StoredFile(str(folder), writer.close())


def test_stored_files_are_read_as_today(tmp_path: Path) -> None:
    file = stored(tmp_path, OLDER, ROWS, "reads")
    assert read_table([file], TODAY).to_pylist() == [of_today(row) for row in ROWS]
    nothing = pa.schema([("b", STRING)])
    assert read_table([file], nothing).to_pylist() == [{"b": None}] * 3


def newer(table: Table) -> pa.Schema:
    return table.arrow.append(pa.field("shade", pa.struct([("of", STRING)])))


def test_a_column_of_a_newer_version_stays_in_a_file_written_again(tmp_path: Path) -> None:
    rows = [{"uid": uid, "capture_id": "c", "shade": {"of": uid}} for uid in ("a", "b")]
    file = stored(tmp_path / "old", newer(CALLS), rows)
    written = remove_rows(
        Removal(file, NotAmong("uid", frozenset("a"))), str(tmp_path / "new"), "r000002-", "0"
    ).written
    assert written is not None
    again = parquet.ParquetFile(tmp_path / "new" / written.path).read()
    assert again.schema.equals(newer(CALLS))
    assert [(row["uid"], row["shade"]) for row in again.to_pylist()] == [("b", {"of": "b"})]


@pytest.mark.parametrize("keeps", [NotAmong("uid", frozenset("a")), NotIssues(frozenset([("c", 1, "x")]), frozenset())])
def test_rows_stay_where_the_column_that_decides_is_missing(keeps: NotAmong | NotIssues, tmp_path: Path) -> None:
    file = stored(tmp_path / "old", OLDER, ROWS, "of_a_newer_version")
    removed = remove_rows(Removal(file, keeps), str(tmp_path / "new"), "r000002-", "0")
    assert (removed.kept, removed.written) == (True, None)


def test_exports_and_the_report_read_files_of_all_ages(tmp_path: Path) -> None:
    """Also where a member of a structure inside of a list is newer than the file."""
    evidence = FINDINGS.arrow.field("evidence").type
    known = pa.struct([one for one in evidence if one.name in ("capture_id", "request_frames")])
    older = pa.schema([pa.field("rule_id", STRING), pa.field("ts_ns", LONG), pa.field("evidence", known)])
    proof = {"capture_id": "c", "request_frames": [1]}
    for name, schema in (("1", older), ("2", FINDINGS.arrow), ("3", newer(FINDINGS))):
        path = tmp_path / "tables" / "findings" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        row = {"rule_id": "r", "ts_ns": int(name), "evidence": proof, "shade": {"of": "night"}}
        parquet.write_table(pa.Table.from_pylist([row], schema=schema), path)
    lines = [json.loads(line) for line in json_lines(str(tmp_path), FINDINGS)]
    expected = dict.fromkeys(FINDINGS.names) | {"rule_id": "r"}
    full = {one.name: None for one in evidence} | proof
    assert lines == [expected | {"ts_ns": number, "evidence": full} for number in (1, 2, 3)]
    found = list(Tables(str(tmp_path)).rows("findings", ("ts_ns", "evidence", "id.orig_h", "level")))
    assert found == [{"ts_ns": number, "evidence": full, "id.orig_h": None, "level": None} for number in (1, 2, 3)]
