"""pyarrow in workers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


class _NoPandas:
    """A finder that hides pandas."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name == "pandas":
            raise ModuleNotFoundError(name=name)
        return None


def without_pandas() -> None:
    """Let pyarrow believe that there is no pandas; whoever else asks for it gets it.

    With its first array pyarrow imports pandas, to know its columns when it sees them: a third of a second before the
    first task of a run. Nothing in workers has any.
    """
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)
