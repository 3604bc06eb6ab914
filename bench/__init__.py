"""What reading a capture costs, beside a plain dpkt loop and beside merely summing its bytes."""

from __future__ import annotations

import os

# Read when numpy is first imported, so this must come before any module of ours that imports it.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
