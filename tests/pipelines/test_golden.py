"""The sample capture's tables, row for row. Refresh with: pytest tests/pipelines/test_golden.py --update-golden."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT
from tests.pipelines.running import Tables, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN = ROOT / "tests" / "golden" / "msmq-loopback"


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return run(spark, [ROOT / "samples" / "msmq-loopback.pcap"], tmp_path_factory.mktemp("golden") / "tables")


@pytest.mark.parametrize("table", ["captures", "flows", "issues", "accounting"])
def test_sample_gives_the_golden_rows(tables: Tables, table: str, request: pytest.FixtureRequest) -> None:
    path = GOLDEN / f"{table}.jsonl"
    found = "".join(_line(row) for row in tables[table])
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found)
    diff = difflib.unified_diff(path.read_text().splitlines(), found.splitlines(), "golden", "found", lineterm="")
    assert list(diff) == [], "refresh with --update-golden if the change is meant"


def _line(row: dict[str, Any]) -> str:
    if row.get("path"):
        row = row | {"path": row["path"].rsplit("/")[-1]}
    return json.dumps(row, default=lambda value: value.isoformat()) + "\n"
