"""Sessions and rules in Spark: facts are brought together by server, sorted by time, and streamed through once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pipelines.judging import ORDER, judged
from pipelines.stages.envelopes import unwrapped
from schemas.envelope import envelope_schema, wrap
from schemas.model import ddl
from schemas.state import SUMMARIES
from schemas.tables import JUDGED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame

    from pipelines.facts.versions import Version
    from pipelines.summaries import Summaries

Row = dict[str, Any]
BATCH_ROWS = 1_024
_TABLES = {table.name: table for table in (*JUDGED, *SUMMARIES)}


class JudgedFrames:
    """What the rules and sessions of a large run come to; the judging runs when it is first asked for something."""

    def __init__(self, facts: DataFrame, versions: Mapping[str, Version], settings: Mapping[str, int]) -> None:
        tables = tuple(_TABLES.values())

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            rows = (row for batch in batches for row in batch.to_pylist())
            return _batches(judged(rows, versions, settings))

        ordered = facts.repartition("server").sortWithinPartitions(*ORDER)
        self._envelope = ordered.mapInArrow(run, ddl(envelope_schema(tables))).persist()

    def frames(self) -> dict[str, DataFrame]:
        return {table.name: unwrapped(self._envelope, table) for table in JUDGED}

    def summaries(self) -> Summaries:
        return {
            table.name: [row.asDict(recursive=True) for row in unwrapped(self._envelope, table).collect()]
            for table in SUMMARIES
        }


def judged_here(
    facts: pa.Table, versions: Mapping[str, Version], settings: Mapping[str, int]
) -> tuple[dict[str, pa.Table], Summaries]:
    """The same for what is little, without Spark."""
    rows: dict[str, list[Row]] = {name: [] for name in _TABLES}
    ordered = facts.sort_by([(name, "ascending") for name in ORDER])
    for name, row in judged(ordered.to_pylist(), versions, settings):
        rows[name].append(row)
    tables = {table.name: pa.Table.from_pylist(rows[table.name], schema=table.arrow) for table in JUDGED}
    return tables, {table.name: rows[table.name] for table in SUMMARIES}


def _batches(rows: Iterable[tuple[str, Row]]) -> Iterator[pa.RecordBatch]:
    held: dict[str, list[Row]] = {name: [] for name in _TABLES}
    for name, row in rows:
        held[name].append(row)
        if len(held[name]) >= BATCH_ROWS:
            yield _wrapped(name, held)
    for name, left in held.items():
        if left:
            yield _wrapped(name, held)


def _wrapped(name: str, held: dict[str, list[Row]]) -> pa.RecordBatch:
    rows, held[name] = held[name], []
    table = _TABLES[name]
    return wrap(pa.RecordBatch.from_pylist(rows, schema=table.arrow), table, tuple(_TABLES.values()))
