"""Queues by all their names; those that nothing names by the number they go by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.report.keeping import FirstRows
from pipelines.report.limits import MAX_ROWS, NAMED_QUEUES, NAMES_TOLD
from pipelines.report.packing import clipped, fitted
from pipelines.report.words import some, unnamed_queue
from schemas.tables.queues import ACTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
READ: Final = ("queue_uid", "names", "numbers", "hosts", *ACTS, "first_seen", "last_seen")
COLUMNS: Final = ("queue_uid", "names", "numbers", "hosts", *ACTS, "first", "last", "named")
_GRAVE: Final = (
    *("purged", "deleted", "secured", "controlled", "changed", "created", "received", "read", "moved_from", "moved_to"),
    *("peeked", "sent", "opened", "inspected"),
)


class QueueLabels:
    """One queue has many names: the one that it is shown by."""

    def __init__(self) -> None:
        self._usual: dict[tuple[str, str], str] = {}

    def learn(self, row: Row) -> None:
        if len(self._usual) < NAMED_QUEUES:
            for name in row["names"] or ():
                for host in row["hosts"] or ():
                    self._usual.setdefault((clipped(name) or "", host), usual_name(row))

    def usual(self, name: str, server: str) -> str:
        return self._usual.get((name, server), name)


class Queues:
    def __init__(self) -> None:
        self._rows: FirstRows[Row] = FirstRows(MAX_ROWS["queues"], _gravity)
        self.unnamed = 0

    def add(self, row: Row) -> None:
        self._rows.add(_shown(row))
        self.unnamed += not row["names"]

    def rows(self) -> list[Row]:
        return self._rows.rows()

    def section(self, rows: list[Row]) -> Section:
        def cut(here: int, there_are: int) -> str:
            return f"{some(here, there_are, 'queues')}, the gravest acts first. The table queues has all."

        return fitted("queues", COLUMNS, rows, self._rows.seen, cut, _gravity)


def queue_rows(tables: Tables) -> Iterator[Row]:
    """Alike in every run, however they are spread over files: their order is that of their ids."""
    yield from sorted(tables.rows("queues", READ), key=lambda row: row["queue_uid"])


def usual_name(row: Row) -> str:
    """A format name rather than a path: people look for it elsewhere too."""
    if not row["names"]:
        number = next(iter(row["numbers"] or ()), None)
        is_number = number is not None and number.startswith("0x")
        return unnamed_queue(int(number, 16), None) if number and is_number else unnamed_queue(None, number)
    names = sorted(row["names"])
    return clipped(next((name for name in names if "=" in name), names[0])) or ""


def _shown(row: Row) -> Row:
    usual = usual_name(row)
    others = [clipped(name) for name in row["names"] or () if clipped(name) != usual]
    return {
        "queue_uid": row["queue_uid"],
        "names": [usual, *others][:NAMES_TOLD],
        "numbers": (row["numbers"] or [])[:NAMES_TOLD],
        "hosts": (row["hosts"] or [])[:NAMES_TOLD],
        **{act: row[act] or 0 for act in ACTS},
        "first": row["first_seen"],
        "last": row["last_seen"],
        "named": bool(row["names"]),
    }


def _gravity(row: Row) -> tuple[Any, ...]:
    return *(-row[act] for act in _GRAVE), row["queue_uid"]
