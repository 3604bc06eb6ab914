"""What forks Spark's Python workers on the machine of a run: pyspark's own, with our names guarded.

What is imported here, no worker has to import again.
"""

from __future__ import annotations

import gc

# Spark wants pandas for mapInArrow.
import pandas as pd  # noqa: F401
from pyspark.daemon import manager

import pipelines.captures.scan
import pipelines.connections.exchange
import pipelines.judging.exchange
import pipelines.messages.exchange  # noqa: F401

if __name__ == "__main__":
    # Workers collect garbage after each task; modules are none.
    gc.freeze()
    manager()  # type: ignore[no-untyped-call]
