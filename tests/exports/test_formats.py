"""What holds of every format: the same bytes however rows lie in files, and few of them in memory."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipelines.exports import rows
from pipelines.exports.formats import FORMATS
from pipelines.store import alignment
from schemas.tables import CALLS, CAPTURES, FINDINGS, FLOWS, HOSTS, ISSUES, SESSIONS, WRITTEN
from tests.every import each
from tests.exports.run_folder import BY_NAME, Row, write

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.model import Table

EPOCH = dt.datetime(2026, 11, 16, tzinfo=dt.UTC)
MSMQ = "1088a980-eae5-11d0-8d9b-00a02453c337"


def made(count: int) -> dict[str, list[Row]]:
    """Rows of which many have the same keys, and some no time."""
    found: dict[str, list[Row]] = {
        name: [] for name in ("calls", "flows", "findings", "issues", "sessions", "hosts", "principals")
    }
    for n in range(count):
        ts = EPOCH + dt.timedelta(microseconds=n // 3) if n % 7 else None
        ns = None if ts is None else n // 3 * 1000
        ends = {"orig_h": f"10.0.0.{n % 5}", "orig_p": n, "resp_h": "10.0.1.1", "resp_p": 2105}
        both = {"ts": ts, "ts_ns": ns, "uid": f"C{n % 6}", "id": ends}
        state = {"outcome": "answered", "decode_state": "full", "username": f"u{n % 4}", "rtt_us": n - 5}
        found["calls"].append(both | state | {"call_uid": f"R{n % 9}", "interface_uuid": MSMQ, "opnum": n % 4})
        # References must lead to one row.
        found["flows"].append({"uid": f"C{n}", "first_ts": ts, "first_ts_ns": ns, "id": ends, "conn_state": "SF"})
        level, verdict = ("low", "high")[n % 2], ("violation", "not_decidable", "detection")[n % 3]
        finding = {"rule_id": f"r{n % 4}", "level": level, "verdict": verdict, "title": f"t{n}", "attack": ["T1485"]}
        found["findings"].append(both | finding | {"count": n, "evidence": {"request_frames": [n]}})
        found["issues"].append({"code": "tcp-gap", "detail": "d", "path": f"{n % 3}", "uid": f"C{n % 8}", "offset": 1})
        found["sessions"].append(both | {"session_uid": f"S{n}", "state": "closed", "opened_ts": ts, "closed_ts": ts})
        found["principals"].append(both | {"auth_context_id": n % 2, "mechanism": "ntlm", "username": f"u{n}"})
        found["hosts"].append({"address": f"10.0.0.{count - n}", "roles": ["application"]})
    for row in found["flows"]:
        row |= {"orig_bytes": 1, "resp_bytes": 2, "orig_pkts": 1, "resp_pkts": 1, "pdus_recognised": 1}
    return found


def parts() -> list[tuple[str, str]]:
    tables = {table.name for table in (CALLS, FLOWS, FINDINGS, ISSUES, SESSIONS, HOSTS)}
    return [
        (name, part)
        for name, form in FORMATS.items()
        for part in form.parts
        if part in tables or part in form.logs or not part
    ]


def lines(folder: Path, form: str, part: str) -> list[str]:
    return list(FORMATS[form].parts[part](str(folder), Counter()))


@pytest.mark.parametrize(("form", "part"), parts())
def test_bytes_are_the_same_however_rows_lie_in_files(form: str, part: str, tmp_path: Path) -> None:
    found = []
    for files in (1, 2, 5):
        folder = tmp_path / str(files)
        for table, table_rows in made(60).items():
            write(folder, BY_NAME[table], table_rows if files != 2 else table_rows[::-1], files)
        found.append(lines(folder, form, part))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 5


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_every_table_can_be_exported(form: str, sample_run: Path) -> None:
    def is_exported(table: Table) -> None:
        read = parquet.read_table(sample_run / "tables" / table.name)
        assert len(lines(sample_run, form, table.name)) == read.num_rows + (form == "csv")

    each(WRITTEN, attrgetter("name"), is_exported)


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_is_there_to_export(form: str, tmp_path: Path) -> None:
    assert [
        line for line in lines(tmp_path, form, FORMATS[form].default) if not line.startswith(("#", "call_uid"))
    ] == []


@pytest.mark.parametrize(
    ("form", "part"),
    [(form, part) for form, part in parts() if part not in ("hosts", "weird", "issues") and form != "timesketch"],
)
def test_first_lines_come_before_the_rest_is_read(
    form: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only looked-up tables, of issues and of a timeline, and those that are small are read through first."""
    for table, table_rows in made(4000).items():
        write(tmp_path, BY_NAME[table], table_rows, 2)
    batches = Counter[str]()
    monkeypatch.setattr(rows, "SMALL_BYTES", 0)
    monkeypatch.setattr(rows, "BATCH_ROWS", 10)
    aligned = alignment.aligned

    def counted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        batches["read"] += 1
        return aligned(batch, schema)

    monkeypatch.setattr(alignment, "aligned", counted)
    assert len(list(islice(FORMATS[form].parts[part](str(tmp_path), Counter()), 5))) == 5
    # What has no time comes first, 572 rows, and some formats pass over it.
    assert batches["read"] <= 2 * 60 + 2 * 2


def test_columns_that_an_older_release_did_not_write_are_null(tmp_path: Path) -> None:
    for number, left_out in enumerate((["link_types"], [])):
        table = pa.Table.from_pylist([{"path": f"{number}", "link_types": [1]}], schema=CAPTURES.arrow)
        below = tmp_path / "tables" / "captures"
        below.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table.drop_columns(left_out), below / f"{number}.parquet")
    first, second = lines(tmp_path, "jsonl", "captures")
    assert first.replace('"path":"0"', '"path":"1"').replace('"link_types":null', '"link_types":[1]') == second


def test_sessions_without_the_queue_are_told(tmp_path: Path) -> None:
    write(tmp_path, SESSIONS, [{"ts": EPOCH, "session_uid": "S", "id": None, "state": "open_at_end"}])
    assert '"message":"queue ? ? -> ?:? open_at_end"' in lines(tmp_path, "timesketch", "")[0]
