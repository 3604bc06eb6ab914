"""How many calls there are, and of how many something is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from pipelines.store.tables import Tables

Row = dict[str, Any]
_COLUMNS: Final = ("encrypted", "unsealed", "interface_source", "outcome", "auth_level", "endpoint")
_ENDED: Final = frozenset(("answered", "faulted", "maybe"))
_UNASKED: Final = "unasked"
_NOT_OURS: Final = "epm"
_NO_SECURITY: Final = frozenset((None, 0, 1))
"""Levels: [MS-RPCE] 2.2.1.1.8."""


@dataclass(slots=True)
class Census:
    calls: int = 0
    sealed: int = 0
    """Their values are encrypted, and no secret opened them."""
    inferred: int = 0
    """Their interface is not known from a bind."""
    unanswered: int = 0
    unasked: int = 0
    """Only their answer was captured."""
    unauthenticated: int = 0
    """Of message queuing, without any authentication."""


def census_of(tables: Tables) -> Census:
    found = Census()
    for batch in tables.batches("calls", _COLUMNS):
        counted = batch.append_column("calls", pa.array([1] * len(batch), pa.int64()))
        for row in counted.group_by(list(_COLUMNS)).aggregate([("calls", "sum")]).to_pylist():
            count = row["calls_sum"]
            found.calls += count
            found.sealed += count * (bool(row["encrypted"]) and not row["unsealed"])
            found.inferred += count * (row["interface_source"] != "bind")
            found.unanswered += count * (row["outcome"] not in _ENDED and row["outcome"] != _UNASKED)
            found.unasked += count * (row["outcome"] == _UNASKED)
            asked = row["endpoint"] not in (None, _NOT_OURS)
            found.unauthenticated += count * (asked and row["auth_level"] in _NO_SECURITY)
    return found
