"""What may still be told when packets are missing or cut: less, in doubt, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.local import Local
from tests.pipelines.com.story import RPC

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
_KEYS: Final = {
    "sessions": ("ts",),
    "reads": ("ts",),
    "sends": ("ts",),
    "transactions": ("ts",),
    "admin_actions": ("ts", "operation"),
    "message_sightings": ("ts", "operation"),
}
_NAMES: Final = frozenset(("queue_name", "named_by", "target", "queue_names", "destination_queue", "admin_queue"))
"""Of these `naming_doubt` says whether they are certain."""
_COUNTS: Final = frozenset(
    (
        *("peeks", "receives", "peeked", "acked", "nacked", "cancelled", "timed_out", "failed", "rundown"),
        *("unfinished", "purges", "sends", "sent_bytes", "message_bytes", "peeked_bytes", "acked_bytes"),
        *("nacked_bytes", "rundown_bytes", "unfinished_bytes", "reads"),
    )
)
_ALWAYS: Final = frozenset(("doubt", "naming_doubt", "counts_doubt", "capture_id", "uid", "id", "username", "domain"))
"""Doubts, and what belongs to the connection: other tests look at that."""


class Truth:
    def __init__(self, *paths: Path) -> None:
        self.rows = _judged(*paths)
        self._found = {table: {_key(table, row): row for row in self.rows[table]} for table in _KEYS}

    def objections(self, *paths: Path) -> list[str]:
        """What a capture with less in it says that is certain and not so."""
        judged = _judged(*paths)
        return [text for table in _KEYS for row in judged[table] for text in self._against(table, row)]

    def _against(self, table: str, row: Row) -> list[str]:
        true = self._found[table].get(_key(table, row))
        if true is None:
            return [] if _doubted(row) else [f"{table}: {_key(table, row)} is not there, and not in doubt"]
        return [
            f"{table} {_key(table, row)}: {name} is {value!r}, not {true[name]!r}"
            for name, value in row.items()
            if value != true[name] and not _excused(table, name, row, true)
        ]


def _judged(*paths: Path) -> dict[str, list[Row]]:
    return Local(*paths, choice=RPC).judged()


def _key(table: str, row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in _KEYS[table])


def _doubted(row: Row) -> bool:
    return any(row.get(name) is not None for name in ("doubt", "naming_doubt", "counts_doubt"))


def _excused(table: str, name: str, row: Row, true: Row) -> bool:
    value = row[name]
    if name == "changes" and value is not None and [_said(one) for one in value] == [_said(one) for one in true[name]]:
        return True
    if name in _ALWAYS or name.endswith(("_uid", "_uids", "_frames", "_ts", "ts", "ts_ns", "auth_type", "auth_level")):
        return True
    if value is None or value == [] or row.get("doubt") is not None:
        return True
    if name in _NAMES:
        return row.get("naming_doubt") is not None
    if table == "message_sightings":
        # Properties that were not seen to be fetched are not there; `complete` says whether it is whole.
        return name == "complete" and value is False
    if name in _COUNTS:
        return row.get("counts_doubt") is not None
    return False


def _said(change: Row) -> Row:
    """Which call told the old value depends on what was seen."""
    return {name: value for name, value in change.items() if name != "old_call_uid"}
