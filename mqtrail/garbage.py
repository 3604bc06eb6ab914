"""How often Python looks for garbage in processes that are ours."""

from __future__ import annotations

import gc
from typing import Final

_ALLOCATIONS: Final = 100_000
"""Between two looks at young objects; a few ten megabytes, if all of them were garbage in cycles."""


def seldom_collect() -> None:
    """Rows and calls are held by the thousand and are in no cycles: to go through them again and again is a tenth."""
    gc.set_threshold(_ALLOCATIONS, 50, 1_000)
