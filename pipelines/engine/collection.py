"""The garbage collector, asked to look less often: a task makes millions of objects that are gone at once."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_YOUNG: Final = 20_000
"""New containers until it looks at them; Python's own number is 700."""


@contextmanager
def rarely_collected() -> Iterator[None]:
    """What is there already is not looked at meanwhile."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
