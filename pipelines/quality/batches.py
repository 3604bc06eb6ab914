"""What of a table goes into the batch that is validated, and under which names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pipelines.quality.checks import Check
    from schemas.model import Table

_MOST_SHOWN: Final = 3


ROW: Final = "row number"
"""The column that says which row of the table it is; no column of a table has a space in its name."""


def batch_name(path: str) -> str:
    return path.replace(".", "__")


def measure_name(number: int) -> str:
    """Of what is worked out for the check of that number."""
    return f"measured_{number}"


def subject(number: int, check: Check) -> str:
    """The column of the batch that the check looks at."""
    return batch_name(check.columns[0]) if check.measure is None else measure_name(number)


def shown(table: Table) -> tuple[str, ...]:
    """Columns by which people find a row again."""
    plain = (column.name for column in table.columns if pa.types.is_string(column.type))
    return table.key or tuple(plain)[:_MOST_SHOWN]


def needed(visible: Sequence[str], checks: Sequence[Check]) -> tuple[str, ...]:
    """Paths of the columns to read."""
    return tuple(dict.fromkeys((*visible, *(path for check in checks for path in check.columns))))


def readable(checks: Sequence[Check], broken: Collection[tuple[str, str]]) -> tuple[Check, ...]:
    """Without those that need a column which is not as declared: that is told once, by its type."""

    def is_whole(check: Check) -> bool:
        here = ((check.table, path.partition(".")[0]) for path in check.columns)
        return not any(place in broken for place in (*here, *check.elsewhere))

    return tuple(check for check in checks if is_whole(check))
