"""A scene of [MS-MQSO], from its script to the tables: `tables("send")` plays send.calls."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests.local import Local
from tests.scripts.player import captures

Row = dict[str, Any]
Tables: TypeAlias = "dict[str, list[Row]]"
FOLDER: Final = Path(__file__).parent


@cache
def tables(scene: str) -> Tables:
    """Rows in the order of time. Nothing may be left unread."""
    script = (FOLDER / f"{scene}.calls").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        local = Local(*captures(Path(folder), script))
        found = {**local.tables, **local.judged()}
    assert found["issues"] == []
    assert local.imbalances() == []
    return {
        name: sorted(rows, key=lambda row: row["ts"]) if rows and "ts" in rows[0] else rows
        for name, rows in found.items()
    }


def columns(rows: list[Row], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def changes(act: Row) -> list[tuple[str, str | None, str | None]]:
    return [(one["name"], one["old"], one["new"]) for one in act["changes"] if one["name"] != "security"]


def accused(found: Tables) -> list[str]:
    """Rules that say that something is wrong."""
    return [row["rule_id"] for row in found["findings"] if row["verdict"] != "not_decidable"]
