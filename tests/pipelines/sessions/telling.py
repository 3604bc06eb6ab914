"""Captures in words to judged tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
Tables: TypeAlias = "dict[str, list[Row]]"


def told(folder: Path, script: str) -> Tables:
    """Rows in the order of time, as they stand in the tables of a run."""
    local = Local(capture(folder, script))
    tables = {**local.tables, **local.judged()}
    return {
        name: sorted(rows, key=lambda row: row["ts"]) if rows and "ts" in rows[0] else rows
        for name, rows in tables.items()
    }


def columns(rows: list[Row], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def violations(tables: Tables) -> set[str]:
    return {row["rule_id"] for row in tables["findings"] if row["verdict"] == "violation"}
