"""Folders of runs to export, without a run: the sample's tables from their golden files, or rows as a test has them."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet

from pipelines.store.places import SORT_KEYS
from schemas.tables import WRITTEN
from tests.golden_files import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from schemas.model import Table

Row = dict[str, Any]
BY_NAME = {table.name: table for table in WRITTEN}


def sample(folder: Path) -> Path:
    for table in WRITTEN:
        golden = GOLDEN / "msmq-loopback" / f"{table.name}.jsonl"
        lines = golden.read_text(encoding="utf-8").splitlines() if golden.exists() else []
        write(folder, table, [_typed(json.loads(line), table.struct) for line in lines])
    return folder


def decided_findings(folder: Path) -> int:
    """Rows of violations and detections."""
    verdicts = parquet.read_table(folder / "tables" / "findings", columns=["verdict"]).column("verdict").to_pylist()
    return sum(verdict != "not_decidable" for verdict in verdicts)


def write(folder: Path, table: Table, rows: Iterable[Row], files: int = 1) -> None:
    """Rows dealt out to so many files, each in its order, as a run writes them."""
    below = folder / "tables" / table.name
    below.mkdir(parents=True, exist_ok=True)
    keys = SORT_KEYS.get(table.name, ())
    rows = list(rows)
    for number in range(files):
        part = sorted(rows[number::files], key=lambda row: [(row.get(key) is not None, row.get(key)) for key in keys])
        parquet.write_table(pa.Table.from_pylist(part, schema=table.arrow), below / f"part-{number:05d}.parquet")


def _typed(value: Any, kind: pa.DataType) -> Any:  # noqa: ANN401 - values of any column
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {field.name: _typed(value.get(field.name), field.type) for field in kind}
    if pa.types.is_list(kind):
        return [_typed(one, kind.value_type) for one in value]
    if pa.types.is_timestamp(kind):
        return dt.datetime.fromisoformat(value)
    if pa.types.is_decimal(kind):
        return Decimal(value)
    return bytes.fromhex(value) if pa.types.is_binary(kind) else value
