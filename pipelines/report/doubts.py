"""Reads that may have ended otherwise: what their sessions count of them is told apart from what is sure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from pipelines.report.counting import GroupCounts
from pipelines.report.limits import SESSIONS_IN_DOUBT

if TYPE_CHECKING:
    from collections import Counter

    from pipelines.store.tables import Tables

Row = dict[str, Any]
_ENDS: Final = ("peeked", "acked", "nacked", "rundown", "cancelled", "timed_out", "failed")
"""Outcomes that say how a read ended: `unfinished` says itself that nobody knows."""
_BYTES: Final = ("peeked_bytes", "acked_bytes", "nacked_bytes", "rundown_bytes")
COLUMNS: Final = ("in_doubt", "in_doubt_bytes")


class Doubts:
    def __init__(self, tables: Tables) -> None:
        counted = GroupCounts(SESSIONS_IN_DOUBT)
        columns = ("session_uid", "outcome", "doubt", "message_bytes")
        for row in tables.rows("reads", columns, lambda batch: pc.is_valid(batch.column("doubt"))):
            if row["session_uid"] and row["outcome"] in _ENDS:
                numbers = {row["outcome"]: 1, f"{row['outcome']}_bytes": row["message_bytes"] or 0}
                counted.add((row["session_uid"],), None, None, numbers)
        self._of: dict[str | None, Counter[str]] = {one.key[0]: one.numbers for one in counted.sums()}

    def by_doubt(self, session: Row) -> Row:
        """A row of sessions that counts what is sure, and the rest as `in_doubt`."""
        found = self._of.get(session["session_uid"])
        if found is None:
            return session | dict.fromkeys(COLUMNS, 0)
        less = {name: (session[name] or 0) - found[name] for name in (*_ENDS, *_BYTES)}
        return session | {
            **{name: max(0, count) for name, count in less.items()},
            "in_doubt": sum(found[name] for name in _ENDS),
            "in_doubt_bytes": sum(found[name] for name in _BYTES),
        }
