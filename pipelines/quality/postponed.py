"""Libraries that another one imports and that we never come to: imported when somebody asks for something of theirs."""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Postponed(ModuleType):
    def __getattr__(self, name: str) -> object:
        """Python itself asks all modules for names like `__file__`: that is no use of it."""
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


@contextmanager
def postponed(*names: str) -> Iterator[None]:
    """What is imported meanwhile gets these later; everybody else gets the library itself."""
    placed = {name: _Postponed(name) for name in names if name not in sys.modules}
    sys.modules.update(placed)
    try:
        yield
    finally:
        for name, module in placed.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
