"""All tables of a folder against their declarations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Final

import pandas as pd

from ingest.files import join
from pipelines.quality import evidence, footers
from pipelines.quality.batches import ROW, needed, readable, shown
from pipelines.quality.checks import checks_of
from pipelines.quality.evidence import DecidingValues
from pipelines.quality.frames import as_frame
from pipelines.quality.gate import CheckOutcome, gate
from pipelines.quality.measures import KEYS_AT_ONCE, Measures
from pipelines.quality.result import MAX_EXAMPLES, ExpectationResult, QualityResult, Suite, example
from pipelines.quality.table_files import BATCH_ROWS, TableFiles
from schemas.relations import Reference
from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from pipelines.quality.checks import Check
    from pipelines.quality.measures import Values
    from schemas.model import Table


@dataclass(frozen=True, slots=True)
class Limits:
    """Of what is in memory at a time."""

    rows: int = BATCH_ROWS
    keys: int = KEYS_AT_ONCE


@dataclass(frozen=True, slots=True)
class _Look:
    """At some rows of a table."""

    table: Table
    first_row: int
    batch: pa.Table
    seen: Mapping[int, Values]
    """What the checks of these numbers look at."""


_LIMITS: Final = Limits()


def check_tables(tables: str, *, pruned: bool = False) -> QualityResult:
    return Checking(str(tables), pruned=pruned).result()


class Checking:
    """Great Expectations is asked twice: whether a check holds, of a few values by which that is decided; and of
    those that do not hold, which rows break them.
    """

    def __init__(self, tables: str, limits: Limits = _LIMITS, *, pruned: bool = False) -> None:
        self._pruned, self._keys_at_once = pruned, limits.keys
        self._gate = gate()
        every = (TableFiles(table, join(tables, table.name), limits.rows) for table in WRITTEN)
        self._stored = {one.table.name: one for one in every if one.files or not one.table.only_with_rows}
        self._types = list(footers.type_rows(self._stored.values()))
        self._broken = footers.broken_columns(self._types)

    def result(self) -> QualityResult:
        return QualityResult((self.types(), *self.suites([one.table for one in self._stored.values()])))

    def types(self) -> Suite:
        return Suite(footers.SUITE, len(self._types), tuple(self._of_types()))

    def _of_types(self) -> Iterator[ExpectationResult]:
        """Told table by table, though looked at together."""
        batch = pd.DataFrame(self._types, columns=list(footers.COLUMNS))
        for outcome in self._gate.outcomes(footers.SUITE, footers.CHECKS, batch, footers.COLUMNS, all_rows=True):
            by_table: dict[str, list[dict[str, object]]] = {}
            for row in outcome.rows:
                by_table.setdefault(str(row["table"]), []).append(row)
            if not by_table:
                yield _checked("all tables", outcome)
            for table, rows in by_table.items():
                told = tuple({name: value for name, value in row.items() if name != "table"} for row in rows)
                yield _checked(table, CheckOutcome(outcome.check, len(rows), told))

    def suites(self, tables: Sequence[Table]) -> list[Suite]:
        checks = [check for table in tables for check in self._checks(table)]
        failed = self._failed(checks)
        broken = self._rows({number: checks[number] for number in failed}) if failed else {}
        by_table: dict[str, list[ExpectationResult]] = {table.name: [] for table in tables}
        for number, check in enumerate(checks):
            by_table[check.table].append(_checked(check.table, broken.get(number, CheckOutcome(check))))
        return [Suite(name, self._stored[name].rows, tuple(checked)) for name, checked in by_table.items()]

    def _checks(self, table: Table) -> Iterator[Check]:
        """None where there are no rows: nothing could break them."""
        for check in readable(checks_of(table), self._broken) if self._stored[table.name].rows else ():
            # What they lead to may be gone.
            if not (self._pruned and isinstance(check.measure, Reference)):
                yield check

    def _failed(self, checks: Sequence[Check]) -> list[int]:
        found = [DecidingValues(check) for check in checks]
        for look in self._looks(dict(enumerate(checks))):
            for number, values in look.seen.items():
                found[number].add(values)
        tests, batch = evidence.as_batch(found)
        outcomes = self._gate.outcomes(evidence.SUITE, tests, batch, (evidence.NUMBER,), all_rows=True)
        return sorted({int(row[evidence.NUMBER]) for outcome in outcomes for row in outcome.rows})

    def _rows(self, checks: Mapping[int, Check]) -> dict[int, CheckOutcome]:
        """Counts of the batches are added up; of the rows the first are kept."""
        found = {number: CheckOutcome(check) for number, check in checks.items()}
        for look in self._looks(checks, with_shown=True):
            here = [(number, checks[number]) for number in look.seen]
            measured = {
                place: look.seen[number] for place, (number, check) in enumerate(here) if check.measure is not None
            }
            asked = [check for _, check in here]
            frame = as_frame(look.batch, asked, measured, look.first_row)
            visible = (ROW, *self._visible(look.table))
            for (number, _), outcome in zip(
                here, self._gate.outcomes(look.table.name, asked, frame, visible), strict=True
            ):
                found[number] = _first(found[number] + outcome)
        return found

    def _looks(self, checks: Mapping[int, Check], *, with_shown: bool = False) -> Iterator[_Look]:
        """Through the tables batch by batch; again for each share of the keys of tables that have too many."""
        for number in count():
            measures = Measures(self._stored, self._keys_at_once, number)
            open_ones = {key: check for key, check in checks.items() if number < measures.rounds(check)}
            if not open_ones:
                return
            for name in dict.fromkeys(check.table for check in open_ones.values()):
                mine = {key: check for key, check in open_ones.items() if check.table == name}
                yield from self._through(self._stored[name], mine, measures, with_shown=with_shown)

    def _through(
        self, stored: TableFiles, checks: Mapping[int, Check], measures: Measures, *, with_shown: bool
    ) -> Iterator[_Look]:
        measured = {key: measures.measured(check) for key, check in checks.items()}
        visible = self._visible(stored.table) if with_shown else ()
        first_row = 0
        for batch in stored.batches(needed(visible, tuple(checks.values()))):
            yield _Look(stored.table, first_row, batch, {key: of(batch) for key, of in measured.items()})
            first_row += len(batch)

    def _visible(self, table: Table) -> list[str]:
        return [name for name in shown(table) if (table.name, name) not in self._broken]


def _first(outcome: CheckOutcome) -> CheckOutcome:
    """With the first rows that break it."""
    return replace(outcome, rows=tuple(sorted(outcome.rows, key=lambda row: row.get(ROW, 0))[:MAX_EXAMPLES]))


def _checked(table: str, outcome: CheckOutcome) -> ExpectationResult:
    examples = _first(outcome).rows
    told = tuple(example({name: value for name, value in row.items() if name != ROW}) for row in examples)
    return ExpectationResult(table, str(outcome.check.kind), outcome.check.what, outcome.unexpected, told)
