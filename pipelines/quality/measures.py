"""What a check looks at where that is not a column: worked out batch by batch, some after a look at whole tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.quality.checks import Key, Twins
from pipelines.quality.hashing import Share
from pipelines.quality.keys import KeySizes, KnownValues
from schemas.relations import AtLeast, Balance, NotAbove, Reference, RowCount, Sum
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.quality.checks import Check
    from pipelines.quality.table_files import TableFiles

Values: TypeAlias = Any
"""An Arrow array, in one piece or several."""
Measured: TypeAlias = Callable[[pa.Table], Values]
KEYS_AT_ONCE: Final = 1 << 24
"""Of eight bytes each, for each column that others refer to and for one key."""


class Measures:
    """Of all tables of a folder, for one round. A round sees a share of the keys of tables that have too many."""

    def __init__(self, stored: Mapping[str, TableFiles], keys_at_once: int = KEYS_AT_ONCE, number: int = 0) -> None:
        self._stored, self._keys_at_once, self._number = stored, keys_at_once, number
        self._known: dict[tuple[str, str], KnownValues] = {}

    def rounds(self, check: Check) -> int:
        """After which all rows have been looked at."""
        match check.measure:
            case Key():
                return self._shares(check.table)
            case Reference(_, other, _):
                return self._shares(other)
            case _:
                return 1

    def measured(self, check: Check) -> Measured:
        """Of a batch of its table. Null where there is nothing to be said, and where another round says it."""
        match check.measure:
            case None:
                return lambda batch: batch[check.columns[0]]
            case Key(columns):
                return KeySizes(self._stored[check.table], columns, self._share(check.table)).column
            case Twins(micros, nanos):
                return lambda batch: pc.subtract(batch[nanos], pc.multiply(_number(batch[micros]), 1000))
            case Reference(column, other, to):
                known = self._known_values(other, to)
                return lambda batch: known.column(batch[column])
            case NotAbove(lower, upper):
                return lambda batch: pc.subtract(_number(batch[upper]), _number(batch[lower]))
            case AtLeast(column, _, where, equals, _):
                return lambda batch: pc.if_else(pc.equal(batch[where], equals), batch[column], None)
            case Sum(total, parts):
                return lambda batch: pc.subtract(reduce(pc.add, (batch[part] for part in parts)), batch[total])
            case Balance() as balance:
                return _balances(balance, self._stored[check.table])
            case RowCount() as counted:
                return _miscounts(counted, self._stored[counted.table])

    def _shares(self, table: str) -> int:
        return max(1, -(-self._stored[table].rows // self._keys_at_once))

    def _share(self, table: str) -> Share:
        return Share(self._number, self._shares(table))

    def _known_values(self, table: str, column: str) -> KnownValues:
        """Read once for all that refer to it."""
        if (table, column) not in self._known:
            self._known[table, column] = KnownValues(self._stored[table], column, self._share(table))
        return self._known[table, column]


def _balances(balance: Balance, stored: TableFiles) -> Measured:
    """Told by the first row of each group; there are a few for each capture."""
    left: Counter[tuple[object, ...]] = Counter()
    for batch in stored.batches((*balance.by, balance.name, balance.value)):
        names, values = batch[balance.name].to_pylist(), batch[balance.value].to_pylist()
        for group, name, value in zip(_tuples(batch, *balance.by), names, values, strict=True):
            left[group] += (value or 0) * (1 if name == balance.total else -1)
    return lambda batch: pa.array([left.pop(group, None) for group in _tuples(batch, *balance.by)], pa.int64())


def _miscounts(counted: RowCount, stored: TableFiles) -> Measured:
    counts: Counter[tuple[object, ...]] = Counter()
    names = ["capture_id", counted.column]
    for batch in stored.batches(names):
        groups = batch.group_by(names).aggregate([([], "count_all")])
        counts.update(dict(zip(_tuples(groups, *names), groups["count_all"].to_pylist(), strict=True)))

    def measured(batch: pa.Table) -> Values:
        there = pa.array([counts[name] for name in _tuples(batch, "capture_id", "counter")], pa.int64())
        concerned = pc.and_(pc.equal(batch["stage"], counted.stage), pc.not_equal(batch["counter"], IN))
        return pc.if_else(concerned, pc.subtract(batch["value"], there), None)

    return measured


def _tuples(batch: pa.Table, *names: str) -> list[tuple[object, ...]]:
    return list(zip(*(batch[name].to_pylist() for name in names), strict=True))


def _number(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return values.cast(pa.int64())
