"""Tables to Parquet files below a folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import functions as F

from pipelines.stages.judge import JudgedFrames, judged_here
from schemas.internal import FACTS
from schemas.tables import (
    CALLS,
    CAPTURES,
    ENDPOINTS,
    FINDINGS,
    FLOWS,
    ISSUES,
    PDUS,
    READS,
    SESSIONS,
    TYPED,
    WRITTEN,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame

    from pipelines.rules.engine import Tally
    from pipelines.stages.rounds import Rounds
    from schemas.model import Table

Row = dict[str, Any]
SMALL_BYTES: Final = 16 * 1024 * 1024
"""Up to so much, decoded tables are written by the driver: a Spark job a table takes longer than that is worth."""

SORT_KEYS: Final = {
    CAPTURES.name: ("path",),
    FLOWS.name: ("first_ts_ns", "uid"),
    PDUS.name: ("ts_ns", "uid", "is_orig", "stream_offset"),
    CALLS.name: ("ts_ns", "call_uid"),
    ENDPOINTS.name: (
        *("ts_ns", "call_uid", "interface_uuid", "protocol", "host", "port"),
        *("named_pipe", "object_uuid", "annotation", "transfer_syntax"),
    ),
    ISSUES.name: ("path", "frame", "offset", "code", "uid", "call_uid", "detail"),
    SESSIONS.name: ("ts_ns", "session_uid"),
    READS.name: ("ts_ns", "read_uid"),
    FINDINGS.name: ("ts_ns", "rule_id", "verdict", "reason", "uid", "call_uid", "session_uid"),
    **{table.name: ("ts_ns", "call_uid") for table in TYPED.values()},
}


def write_frames(found: dict[str, DataFrame], tables: Path) -> dict[str, int]:
    """All at once, since most are small and a Spark job has its price. Rows by table."""

    def write(name: str) -> int:
        # Files of a sensible size, sorted inside: sorting across files would compute everything twice.
        found[name].hint("rebalance").sortWithinPartitions(*SORT_KEYS[name]).write.parquet(str(tables / name))
        if not (tables / name / "_SUCCESS").exists():
            raise OSError(f"{tables / name}: written where only the workers see it; use a file system all share")
        return sum(parquet.read_metadata(file).num_rows for file in (tables / name).glob("*.parquet"))

    with ThreadPoolExecutor(len(found)) as beside:
        return dict(zip(found, beside.map(write, found), strict=True))


def write_decoded(
    rounds: Rounds, settings: Mapping[str, int], tables: Path, small_bytes: int = SMALL_BYTES
) -> tuple[dict[str, int], Tally]:
    """The tables that travel in parcels, and what sessions and rules make of them. Rows by table; verdicts."""
    size = {
        row.table: row.bytes for row in rounds.parcels().groupBy("table").agg(F.sum("size").alias("bytes")).collect()
    }
    versions = rounds.versions()
    if sum(size.values()) > small_bytes:
        found = {table.name: rounds.unpacked(table) for table in WRITTEN if table.name in size}
        judged = JudgedFrames(rounds.unpacked(FACTS), versions, settings)
        return write_frames(found | judged.frames(), tables), judged.tally()
    fetched = rounds.fetched()
    judged_rows, tally = judged_here(fetched.pop(FACTS.name, []), versions, settings)
    all_rows = {name: pa.Table.from_batches(batches) for name, batches in fetched.items()} | judged_rows
    written = {}
    for name, rows in all_rows.items():
        # As Spark sorts: null first.
        order = [(key, "ascending", "at_start") for key in SORT_KEYS[name]]
        _write_file(rows.take(pa.compute.sort_indices(rows, order)), name, tables)
        written[name] = len(rows)
    return written, tally


def write_rows(table: Table, rows: list[Row], tables: Path) -> int:
    """A table that the driver has whole."""
    _write_file(pa.Table.from_pylist(rows, schema=table.arrow), table.name, tables)
    return len(rows)


def _write_file(rows: pa.Table, name: str, tables: Path) -> None:
    (tables / name).mkdir(parents=True)
    parquet.write_table(rows, tables / name / "part-00000.parquet", compression="zstd")
