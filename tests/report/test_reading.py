"""Tables are read as far as they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from pipelines.report.building import report_of
from pipelines.report.rendering import rendered
from pipelines.store.tables import Tables

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, name: str, rows: list[dict[str, object]], file: str = "part-0.parquet") -> None:
    (folder / "tables" / name).mkdir(parents=True, exist_ok=True)
    path = folder / "tables" / name / file
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path)


def test_members_times_and_what_is_not_there(tmp_path: Path) -> None:
    ends = {"orig_h": "10.0.0.1", "orig_p": 5}
    write(tmp_path, "calls", [{"call_uid": "R1", "id": ends}, {"call_uid": "R2", "id": None}])
    rows = list(Tables(str(tmp_path)).rows("calls", ("call_uid", "id.orig_h", "id.resp_h", "ts", "request_frames")))
    nothing = {"id.resp_h": None, "ts": None, "request_frames": None}
    assert rows == [
        {"call_uid": "R1", "id.orig_h": "10.0.0.1", **nothing},
        {"call_uid": "R2", "id.orig_h": None, **nothing},
    ]


def test_partitions_of_a_dataset_are_one_table(tmp_path: Path) -> None:
    for day in ("2026-01-01", "2026-01-02"):
        write(tmp_path, "calls", [{"call_uid": f"R{day}"}], f"date={day}/part-0.parquet")
    tables = Tables(str(tmp_path))
    assert tables.count("calls") == 2
    assert [row["call_uid"] for row in tables.rows("calls", ("call_uid",))] == ["R2026-01-01", "R2026-01-02"]


def test_rows_by_key_and_by_condition(tmp_path: Path) -> None:
    write(tmp_path, "calls", [{"call_uid": f"R{number}", "opnum": number} for number in range(5)])
    tables = Tables(str(tmp_path))
    assert [row["opnum"] for row in tables.rows_of("calls", ("call_uid", "opnum"), "call_uid", {"R3", "R1"})] == [1, 3]
    assert list(tables.rows_of("calls", ("call_uid",), "call_uid", ())) == []
    few = tables.rows("calls", ("opnum",), lambda batch: pc.less(batch.column("opnum"), 2))
    assert [row["opnum"] for row in few] == [0, 1]
    assert list(tables.rows_of("calls", ("call_uid", "uid"), "uid", {"C1"})) == []


def test_a_folder_without_any_table_has_a_report(tmp_path: Path) -> None:
    report = report_of(str(tmp_path), {})
    assert all(not section.rows for section in report.sections)
    assert b"Nobody was seen to read" in rendered(report)
