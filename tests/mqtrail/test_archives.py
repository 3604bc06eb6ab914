"""Workers take Spark's Python from where it is installed, not from archives, and do without pandas."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa

from mqtrail.archives import without_archives

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest
    from pyspark.sql import SparkSession

OURS = ["/opt/app/mqtrail-1.0.whl", "/opt/app/userFiles", "/opt/app/helpers.zip"]
INSIDE = "/opt/spark/jars/spark-core_2.13-4.jar/org"
ARCHIVES = ["/opt/spark/lib/pyspark.zip", "/opt/spark/lib/py4j-0.10-src.zip", "/opt/spark/jars/spark-core_2.13-4.jar"]


def test_only_spark_s_own_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*ARCHIVES, *OURS, *sys.path])
    monkeypatch.setattr(sys, "path_importer_cache", dict.fromkeys((*ARCHIVES, INSIDE, *OURS)))
    without_archives()
    assert sys.path[: len(OURS)] == OURS
    assert not {*ARCHIVES, INSIDE} & {*sys.path, *sys.path_importer_cache}
    assert sys.path_importer_cache.keys() >= set(OURS)


def test_they_stay_where_spark_is_installed_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*ARCHIVES, *OURS])
    without_archives()
    assert sys.path == [*ARCHIVES, *OURS]


def test_workers_have_none_and_no_pandas(spark: SparkSession) -> None:
    def seen(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyspark

        list(batches)
        places = [pyspark.__file__, *sys.path, *sys.path_importer_cache, *{"pandas"} & sys.modules.keys()]
        yield pa.RecordBatch.from_pydict({"place": places})

    places = [row.place for row in spark.range(1).mapInArrow(seen, "place string").collect()]
    assert places
    assert not [place for place in places if "pyspark.zip" in place or "spark-core" in place or place == "pandas"]


def test_pyarrow_does_without_pandas_and_others_have_it() -> None:
    program = (
        "import sys; from mqtrail.arrays import without_pandas; without_pandas(); import numpy, pyarrow as pa\n"
        "assert pa.array(numpy.arange(3)).to_pylist() == [0, 1, 2] and 'pandas' not in sys.modules\n"
        "import pandas; assert pandas.__version__"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
