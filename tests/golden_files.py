"""Tables against the golden files below tests/golden; refreshed with --update-golden."""

from __future__ import annotations

import difflib
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

Row = dict[str, Any]
GOLDEN = ROOT / "tests" / "golden"


def compare(rows: list[Row], path: Path, config: pytest.Config) -> None:
    found = "".join(_line(row) for row in rows)
    if config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found)
    diff = difflib.unified_diff(path.read_text().splitlines(), found.splitlines(), "golden", "found", lineterm="")
    assert list(diff) == [], "refresh with --update-golden if the change is meant"


def _line(row: Row) -> str:
    if row.get("path"):
        row = row | {"path": row["path"].rsplit("/")[-1]}
    return json.dumps(row, default=_plain) + "\n"


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Decimal):
        return int(value)
    return value.hex() if isinstance(value, bytes) else value.isoformat()
