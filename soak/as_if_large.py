"""The command line with bounds so low that a small capture goes the way of a large one: many splits, all by Spark.

With SOAK_STEPS, a folder, the run stops at each step of its own until it is told to go on: it makes a file `at-STEP`,
STEP being the first word of what it would say on a terminal, and waits for `go-STEP`.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import ingest.splits

vars(ingest.splits)["SPLIT_BYTES"] = 1024 * 1024

import pipelines.engine.spark  # noqa: E402 - the modules below take the bounds when they are imported

vars(pipelines.engine.spark)["LEAST_PARTS"] = 4

import pipelines.cli.analyze  # noqa: E402
from pipelines.cli import main  # noqa: E402
from pipelines.cli.progress import Progress  # noqa: E402

_PATIENCE_SECONDS = 120.0


class Steps(Progress):
    """In place of the line on a terminal."""

    def __call__(self, what: str) -> None:
        step = what.partition(" ")[0]
        folder = Path(os.environ["SOAK_STEPS"])
        (folder / f"at-{step}").touch()
        until = time.monotonic() + _PATIENCE_SECONDS
        while not (folder / f"go-{step}").exists() and time.monotonic() < until:
            time.sleep(0.01)


if "SOAK_STEPS" in os.environ:
    vars(pipelines.cli.analyze)["Progress"] = Steps
if __name__ == "__main__":
    sys.exit(
        main([*sys.argv[1:], *(["--spark-conf", "spark.sql.shuffle.partitions=4"] if "analyze" in sys.argv else [])])
    )
