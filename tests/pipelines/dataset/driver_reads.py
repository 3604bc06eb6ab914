"""Which files of a dataset the driver reads itself, and which tasks do: the local engine is both, and told apart."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ingest.files import open_input
from pipelines.engine.local import LocalEngine

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pipelines.engine.model import Exchange


@dataclass
class Reads:
    root: str
    driver: set[str] = field(default_factory=set)
    """Folders below the root: `state/facts`, `tables/calls`."""
    tasks: set[str] = field(default_factory=set)
    working: bool = False

    def see(self, path: str) -> None:
        if path.startswith(f"{self.root}/"):
            place = "/".join(path.removeprefix(f"{self.root}/").split("/")[:2])
            (self.tasks if self.working else self.driver).add(place)


class WatchedEngine(LocalEngine):
    def __init__(self, reads: Reads) -> None:
        super().__init__()
        self._reads = reads

    def run(self, *exchanges: Exchange) -> list[Any]:
        self._reads.working = True
        try:
            return super().run(*exchanges)
        finally:
            self._reads.working = False


def watched(root: Path, monkeypatch: pytest.MonkeyPatch) -> Reads:
    """All that pipelines read goes through one function."""
    reads = Reads(str(root))

    def seen(path: str) -> Any:  # noqa: ANN401 - whatever the function gives
        reads.see(path)
        return open_input(path)

    for name, module in list(sys.modules.items()):
        if name.startswith("pipelines.") and getattr(module, "open_input", None) is open_input:
            monkeypatch.setattr(module, "open_input", seen)
    return reads
