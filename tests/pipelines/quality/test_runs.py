"""Tables of a real run keep all that is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.quality import check_tables, prepare
from tests.pipelines.running import run

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_the_sample(spark: SparkSession, sample: Path, tmp_path: Path) -> None:
    prepare()
    run(spark, [sample], tmp_path)
    result = check_tables(str(tmp_path / "tables"))
    assert [failure.sentence for failure in result.failures] == []
    assert len(result.checked) > 500
