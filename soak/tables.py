"""Tables as plain values, to be compared; order and files are not part of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyarrow import parquet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = dict[str, Any]


def rows(out: Path, kept: Callable[[str, Row], bool] = lambda _table, _row: True) -> dict[str, list[str]]:
    """Of the folder of a run or dataset: table to its rows as text, sorted."""
    found: dict[str, list[str]] = {}
    for table in sorted((out / "tables").iterdir()):
        read = (
            row for file in sorted(table.rglob("*.parquet")) for row in parquet.ParquetFile(file).read().to_pylist()
        )
        found[table.name] = sorted(str(row) for row in read if kept(table.name, row))
    return found


def different(found: dict[str, list[str]], expected: dict[str, list[str]]) -> list[str]:
    """Names of tables that are not the same."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


def counted(found: dict[str, list[str]]) -> str:
    return f"{sum(map(len, found.values()))} rows in {len(found)} tables"
