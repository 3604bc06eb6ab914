"""How often Python looks for garbage in processes that are ours."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_ALLOCATIONS: Final = 100_000
"""Between two looks at young objects; a few ten megabytes, if all of them were garbage in cycles."""


def seldom_collect() -> None:
    """Rows and calls are held by the thousand and are in no cycles: to go through them again and again is a tenth."""
    gc.set_threshold(_ALLOCATIONS, 50, 1_000)


@contextlib.contextmanager
def collecting(*, on: bool) -> Iterator[None]:
    """Off for work that makes no cycles, and holds many rows until it is over."""
    before = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        yield
    finally:
        (gc.enable if before else gc.disable)()
