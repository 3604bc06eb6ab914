"""All tables of a folder against their declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd

from ingest.files import join
from pipelines.quality import footers
from pipelines.quality.batches import needed, readable, shown
from pipelines.quality.checks import checks_of
from pipelines.quality.gate import Gate
from pipelines.quality.result import MAX_EXAMPLES, Checked, QualityResult, Suite, example
from pipelines.quality.small import small_batch
from pipelines.quality.stored import Stored
from schemas.relations import Reference
from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession

    from pipelines.quality.checks import Check
    from pipelines.quality.gate import Outcome
    from schemas.model import Table

SMALL_ROWS: Final = 1_000_000
"""Up to so many, a table is looked at in this process: Spark would take longer to begin."""


def check_tables(
    spark: SparkSession | None, tables: str, small_rows: int = SMALL_ROWS, *, pruned: bool = False
) -> QualityResult:
    """Where no Spark is given it is started for tables of more rows only."""
    checking = Checking(spark, str(tables), small_rows, pruned=pruned)
    return QualityResult((checking.types(), *(checking.suite(table) for table in WRITTEN)))


class Checking:
    """Table by table."""

    def __init__(
        self, spark: SparkSession | None, tables: str, small_rows: int = SMALL_ROWS, *, pruned: bool = False
    ) -> None:
        self._spark, self._small_rows, self._pruned = spark, small_rows, pruned
        self._gate = Gate()
        self._stored = {table.name: Stored(table.name, join(tables, table.name)) for table in WRITTEN}
        self._types = list(footers.type_rows((table, self._stored[table.name]) for table in WRITTEN))
        self._broken = footers.broken_columns(self._types)

    def types(self) -> Suite:
        return Suite(footers.SUITE, len(self._types), tuple(self._of_types()))

    def _of_types(self) -> Iterator[Checked]:
        """Told table by table, though looked at together."""
        batch = pd.DataFrame(self._types, columns=list(footers.COLUMNS))
        for outcome in self._gate.outcomes(footers.SUITE, footers.CHECKS, batch, footers.COLUMNS, all_rows=True):
            by_table: dict[str, list[dict[str, object]]] = {}
            for row in outcome.rows:
                by_table.setdefault(str(row["table"]), []).append(row)
            if not by_table:
                yield _checked("all tables", outcome)
            for table, rows in by_table.items():
                told = [{name: value for name, value in row.items() if name != "table"} for row in rows]
                yield _checked(table, outcome, told)

    def suite(self, table: Table) -> Suite:
        stored, checks = self._stored[table.name], readable(checks_of(table), self._broken)
        if self._pruned:
            checks = tuple(check for check in checks if not isinstance(check.measure, Reference))
        if not stored.rows or not checks:
            return Suite(table.name, stored.rows, ())
        visible = [name for name in shown(table) if (table.name, name) not in self._broken]
        outcomes = self._outcomes(table, checks, visible)
        return Suite(table.name, stored.rows, tuple(_checked(table.name, one) for one in outcomes))

    def _outcomes(self, table: Table, checks: Sequence[Check], visible: Sequence[str]) -> list[Outcome]:
        paths = needed(visible, checks)
        if self._stored[table.name].rows <= self._small_rows:
            batch = small_batch(self._stored[table.name], paths, checks, self._stored)
            return self._gate.outcomes(table.name, checks, batch, visible)
        from pipelines.quality.large import large_batch  # noqa: PLC0415 - nothing of Spark where it is not needed
        from pipelines.session import spark_session  # noqa: PLC0415

        self._spark = self._spark or spark_session()
        declared = {one.name: (one, self._stored[one.name]) for one in WRITTEN}
        rows = large_batch(self._spark, table, paths, checks, declared)
        try:
            return self._gate.outcomes(table.name, checks, rows, visible)
        finally:
            # Great Expectations keeps it, so that counting and checking are one pass; it does not let go of it.
            rows.unpersist()


def _checked(table: str, outcome: Outcome, rows: Sequence[dict[str, object]] | None = None) -> Checked:
    kept = outcome.rows if rows is None else rows
    unexpected = outcome.unexpected if rows is None else len(rows)
    examples = tuple(example(row) for row in kept[:MAX_EXAMPLES])
    return Checked(table, str(outcome.check.kind), outcome.check.what, unexpected, examples)
