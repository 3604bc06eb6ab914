"""Whether tables keep what their declarations promise: Great Expectations suites, made from `schemas`."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.quality.result import QualityResult


_SHARE_SECONDS: Final = 0.0005


def prepare() -> None:
    """Import beside other work what check_tables needs: Great Expectations takes seconds."""
    threading.Thread(target=_import, daemon=True).start()


def check_tables(tables: str, *, pruned: bool = False) -> QualityResult:
    """Of the folder that has one a table.

    `pruned`: rows may refer to others that are gone.
    """
    from pipelines.quality.checking import check_tables as check  # noqa: PLC0415

    return check(tables, pruned=pruned)


class Gate(Protocol):
    def prepare(self) -> None:
        """Beside what comes next."""

    def begin(self, tables: str) -> Callable[[], QualityResult]:
        """What is returned waits for the result."""


class GateHere:
    """In this process, before what comes next."""

    def prepare(self) -> None:
        prepare()

    def begin(self, tables: str) -> Callable[[], QualityResult]:
        result = check_tables(tables)
        return lambda: result


def _import() -> None:
    usual = sys.getswitchinterval()
    # Whoever talks to the JVM in the meantime asks it hundreds of small things, and would wait as long after each.
    sys.setswitchinterval(_SHARE_SECONDS)
    try:
        import pipelines.quality.checking  # noqa: PLC0415, F401
    finally:
        sys.setswitchinterval(usual)
