"""Every query of docs/recipes.md runs, in DuckDB and in Spark SQL, and says the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest

from tests.conftest import ROOT
from tests.pipelines.running import run

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SAMPLE = ROOT / "samples" / "msmq-loopback.pcap"
QUERIES = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipes")
    run(spark, [SAMPLE], folder)
    return folder / "tables"


def test_there_are_eleven_questions_and_one_more() -> None:
    assert len(QUERIES) == 12


def test_both_engines_agree(spark: SparkSession, tables: Path) -> None:
    known = duckdb.connect()
    for table in tables.iterdir():
        known.execute(f"create view {table.name} as from read_parquet('{table}/**/*.parquet')")
        spark.read.parquet(str(table)).createOrReplaceTempView(table.name)
    for query in QUERIES:
        by_duckdb = known.sql(query).to_arrow_table()
        by_spark = spark.sql(query.replace("unnest(", "explode(")).toArrow()
        assert by_duckdb.column_names == by_spark.column_names, query
        assert len(by_duckdb) == len(by_spark), query
        # The sample capture has no transaction in it.
        assert (len(by_duckdb) > 0) == ("from transactions" not in query), query
