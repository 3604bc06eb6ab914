"""The examples of the documents, from captures to tables. Refresh the golden files with --update-golden."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT
from tests.golden_files import GOLDEN, compare
from tests.local import Local
from tests.pipelines.rules.removal import records, write
from tests.pipelines.running import Tables, run
from tests.scripts.player import captures

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SCRIPTS = sorted((ROOT / "tests" / "data" / "scripts").glob("*.calls"))
TABLES = ("calls", "sessions", "reads", "findings", "verdicts")
Row = dict[str, Any]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_gives_the_golden_rows(
    spark: SparkSession, script: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    tables = run(spark, captures(tmp_path, script.read_text(encoding="utf-8")), tmp_path / "tables")
    for name in TABLES:
        compare(tables[name], GOLDEN / script.stem / f"{name}.jsonl", request.config)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_is_decoded_whole(script: Path, tmp_path: Path) -> None:
    found = Local(*captures(tmp_path, script.read_text(encoding="utf-8")))
    assert found.imbalances() == []
    assert [issue["detail"] for issue in found.tables["issues"]] == []
    assert {call["decode_state"] for call in found.tables["calls"]} == {"full"}
    assert {call["outcome"] for call in found.tables["calls"]} <= {"answered", "faulted"}


def test_examples_are_those_of_the_documents() -> None:
    names = {path.stem.split("-")[0] + " " + path.stem.split("-")[1] for path in SCRIPTS}
    assert names >= {"mqqp 4.1", "mqqp 4.2", "mqmr 4.1", "mqso 3.3.4.2", "mqso 3.3.4.6", "mqso 6.1.4"}
    assert names >= {"mqmp 4.2", "mqmp 4.4", "mqmp 4.5", "mqrr 4.2", "mqrr 4.3", "mqds directory"}


def test_files_in_any_order_and_by_spark_alone_give_the_same(spark: SparkSession, sample: Path, tmp_path: Path) -> None:
    header, packets = records(sample)
    cuts = [0, 47, 101, 160, len(packets)]
    parts = [
        write(tmp_path / f"{name}.pcap", header, packets[start:end])
        for name, start, end in zip("cadb", cuts, cuts[1:], strict=False)
    ]
    random.Random(3).shuffle(parts)
    whole = run(spark, [sample], tmp_path / "whole")
    cut = run(
        spark,
        parts,
        tmp_path / "cut",
        parts=5,
    )
    for name in ("sessions", "reads", "findings", "verdicts"):
        assert _unplaced(cut, name) == _unplaced(whole, name)


def _unplaced(tables: Tables, name: str) -> list[str]:
    """Without files and frames, which are others by necessity."""
    rows = ({key: value for key, value in row.items() if key != "capture_id"} for row in tables[name])
    return sorted(str(row | ({"evidence": row["evidence"]["values"]} if "evidence" in row else {})) for row in rows)
