"""A dataset as the last run left it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.store.files import StoredFile


@dataclass(frozen=True)
class Base:
    """The dataset as the last run left it."""

    tables: Mapping[str, list[StoredFile]] = field(default_factory=dict)
    state: Mapping[str, list[StoredFile]] = field(default_factory=dict)
    run: int = 0
    pruned_before: str = ""
    """Date before which nothing is kept."""

    @property
    def prefix(self) -> str:
        """Of the files that the next run writes."""
        return f"r{self.run + 1:06d}-"
