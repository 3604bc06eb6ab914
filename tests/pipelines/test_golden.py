"""The sample capture's tables, row for row. Refresh with: pytest tests/pipelines/test_golden.py --update-golden."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schemas.tables import WRITTEN
from tests.conftest import ROOT
from tests.golden_files import GOLDEN, compare
from tests.pipelines.running import Tables, run

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("golden")


@pytest.fixture(scope="module")
def tables(spark: SparkSession, folder: Path) -> Tables:
    return run(spark, [ROOT / "samples" / "msmq-loopback.pcap"], folder)


def test_of_com_nothing_is_written(tables: Tables) -> None:
    assert not [table.name for table in WRITTEN if table.only_with_rows and table.name in tables]


@pytest.mark.parametrize("table", [table.name for table in WRITTEN if not table.only_with_rows])
def test_sample_gives_the_golden_rows(tables: Tables, table: str, request: pytest.FixtureRequest) -> None:
    compare(tables[table], GOLDEN / "msmq-loopback" / f"{table}.jsonl", request.config)
