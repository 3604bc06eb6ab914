"""The loop that forks Spark's Python workers, with all that they need imported."""

from __future__ import annotations

import contextlib
import gc
from pathlib import Path
from typing import Final

from mqtrail.arrays import without_pandas

without_pandas()

from pyspark.daemon import manager  # noqa: E402

import pipelines.captures.scan  # noqa: E402
import pipelines.connections.exchange  # noqa: E402
import pipelines.judging.exchange  # noqa: E402
import pipelines.messages.exchange  # noqa: E402, F401

NAME: Final = "mqtrail.daemon"
"""Of the process and its workers, for people who look at a list of them."""


def fork_workers() -> None:
    """Until Spark is over."""
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(NAME)
    # Workers collect garbage after each task; modules are none.
    gc.freeze()
    manager()  # type: ignore[no-untyped-call]
