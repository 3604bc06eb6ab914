"""What forks Spark's Python workers on the machine of a run: pyspark's own, with our names guarded.

What is imported here, no worker has to import again.
"""

from __future__ import annotations

import sys

from mqtrail.taking_over import handed_over

if __name__ == "__main__" and handed_over():
    sys.exit()

from mqtrail.archives import without_archives

without_archives()

from mqtrail.forking import fork_workers  # noqa: E402

if __name__ == "__main__":
    fork_workers()
