"""What forks Spark's Python workers on the machine of a run: pyspark's own, with our names guarded.

What is imported here, no worker has to import again.
"""

from __future__ import annotations

import gc

from mqtrail.archives import without_archives

without_archives()

from mqtrail.arrays import without_pandas  # noqa: E402

without_pandas()

from pyspark.daemon import manager  # noqa: E402

import pipelines.captures.scan  # noqa: E402
import pipelines.connections.exchange  # noqa: E402
import pipelines.judging.exchange  # noqa: E402
import pipelines.messages.exchange  # noqa: E402, F401

if __name__ == "__main__":
    # Workers collect garbage after each task; modules are none.
    gc.freeze()
    manager()  # type: ignore[no-untyped-call]
