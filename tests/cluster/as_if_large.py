"""The command line with bounds so low that a small capture goes the way of a large one: many splits, all by Spark.

First it prints where tasks import our packages from: one line a place.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pyarrow as pa

import ingest.splits

vars(ingest.splits)["SPLIT_BYTES"] = 16_384

import pipelines.engine.spark  # noqa: E402 - the modules below take the bounds when they are imported

vars(pipelines.engine.spark)["LEAST_PARTS"] = 4

from pipelines.cli import main  # noqa: E402
from pipelines.engine.spark_session import spark_session  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SETTINGS = {"spark.sql.shuffle.partitions": "2"}
NAMES = ("decoders", "schemas", "ingest", "pipelines.connections.assembler")


def places(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        found = [str(importlib.import_module(name).__file__) for name in NAMES]
        yield pa.RecordBatch.from_pydict({"place": found})


spark = spark_session(sys.argv[1], SETTINGS)
rows = spark.range(0, 8, 1, 8).mapInArrow(places, "place string").collect()
sys.stdout.write("".join(f"{place}\n" for place in sorted({row.place for row in rows})))
sys.stdout.flush()
sys.exit(main([*sys.argv[2:], "--master", sys.argv[1]]))
