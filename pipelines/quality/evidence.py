"""The few values of a table by which a check is decided: if any row breaks it, one of them does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import pyarrow.compute as pc

from pipelines.quality.batches import measure_name
from pipelines.quality.checks import NotNull, OneOf, Within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.quality.checks import Check, Test
    from pipelines.quality.measures import Values

SUITE: Final = "evidence"
NUMBER: Final = "number"
"""The column that says whose evidence a row is."""


@dataclass(slots=True)
class DecidingValues:
    check: Check
    values: set[Any] = field(default_factory=set)

    def add(self, seen: Values) -> None:
        match self.check.test:
            case NotNull():
                self.values |= {None} if seen.null_count else {True}
            case Within():
                # What lies between the least and the greatest is within the bounds if they are.
                extremes = pc.min_max(seen).as_py().values()
                known = self.values.union(value for value in extremes if value is not None)
                self.values = {min(known), max(known)} if known else known
            case OneOf(allowed):
                # Of more different values than are allowed, one is not.
                if len(self.values) <= len(allowed):
                    self.values.update(seen.unique().drop_null()[: len(allowed) + 1].to_pylist())
            case test:
                raise TypeError(test)


def as_batch(evidence: Sequence[DecidingValues]) -> tuple[list[Check], pd.DataFrame]:
    """One batch for all checks, and one check for all that have the same test: the library takes long over each."""
    numbers: dict[Test, int] = {}
    checks: list[Check] = []
    rows: list[tuple[int, int, Any]] = []
    for number, one in enumerate(evidence):
        test = one.check.test
        if test not in numbers:
            numbers[test] = len(checks)
            checks.append(replace(one.check, table=SUITE, columns=(measure_name(len(checks)),), measure=None))
        rows += ((number, numbers[test], value) for value in one.values)
    columns = {
        check.columns[0]: [value if mine == place else _no_matter(check.test) for _, mine, value in rows]
        for place, check in enumerate(checks)
    }
    return checks, pd.DataFrame({NUMBER: [number for number, _, _ in rows]} | columns, dtype=object)


def _no_matter(test: Test) -> bool | None:
    """What the test finds no fault with, for rows that are not about it."""
    return True if isinstance(test, NotNull) else None
