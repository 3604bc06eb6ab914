"""Queues by all their names; and those that no call names, by the number they go by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.report.counting import Counted
from pipelines.report.keeping import First
from pipelines.report.limits import MAX_ROWS, NAMED_QUEUES, NAMES_TOLD
from pipelines.report.packing import clipped, fitted
from pipelines.report.sessions import queue_of
from pipelines.report.words import some
from schemas.tables.queues import ACTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.report.packing import Section
    from pipelines.report.reading import Tables

Row = dict[str, Any]
READ: Final = ("queue_uid", "names", "hosts", *ACTS, "first_seen", "last_seen")
COLUMNS: Final = ("queue_uid", "names", "hosts", *ACTS, "first", "last", "named")
_GRAVE: Final = (
    *("purged", "deleted", "secured", "controlled", "changed", "created", "received", "moved_from", "moved_to"),
    *("peeked", "sent", "opened", "inspected"),
)
_OF_SESSION: Final = {
    "purged": "purges",
    "received": "acked",
    "peeked": "peeks",
    "moved_from": "moves",
    "sent": "sends",
}


class QueueNames:
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
        self._named: First[Row] = First(MAX_ROWS["queues"], _gravity)
        self._unnamed = Counted(MAX_ROWS["queues"])

    def add(self, row: Row) -> None:
        self._named.add(_shown(row))

    def session(self, row: Row) -> None:
        if not row["queue_name"]:
            numbers = {ours: row[theirs] or 0 for ours, theirs in _OF_SESSION.items()}
            place = (queue_of(row), row["id.resp_h"])
            self._unnamed.add(place, row["ts"], row["closed_ts"] or row["ts"], numbers | {"opened": 1})

    @property
    def named(self) -> int:
        return self._named.seen

    def rows(self) -> list[Row]:
        both: First[Row] = First(MAX_ROWS["queues"], _gravity)
        return both.add_all(self._named.rows()).add_all(self._without_name()).rows()

    def unnamed(self) -> int:
        return sum(1 for _ in self._unnamed.sums())

    def section(self, rows: list[Row]) -> Section:
        def cut(here: int, there_are: int) -> str:
            return f"{some(here, there_are, 'queues')}, the gravest acts first. The table queues has all."

        return fitted("queues", COLUMNS, rows, self.named + self.unnamed(), cut, _gravity)

    def _without_name(self) -> Iterator[Row]:
        for one in self._unnamed.sums():
            name, server = one.key
            counts = {act: one.numbers[act] for act in ACTS}
            place = {"queue_uid": f"{name} on {server}", "names": [name], "hosts": [server], "named": False}
            yield {**place, **counts, "first": one.first, "last": one.last}


def queue_rows(tables: Tables) -> Iterator[Row]:
    """Alike in every run, however they are spread over files: their order is that of their ids."""
    yield from sorted(tables.rows("queues", READ), key=lambda row: row["queue_uid"])


def usual_name(row: Row) -> str:
    """A format name rather than a path: people look for it elsewhere too."""
    names = sorted(row["names"] or ["queue of unknown name"])
    return clipped(next((name for name in names if "=" in name), names[0])) or ""


def _shown(row: Row) -> Row:
    usual = usual_name(row)
    others = [clipped(name) for name in row["names"] or () if clipped(name) != usual]
    return {
        "queue_uid": row["queue_uid"],
        "names": [usual, *others][:NAMES_TOLD],
        "hosts": (row["hosts"] or [])[:NAMES_TOLD],
        **{act: row[act] or 0 for act in ACTS},
        "first": row["first_seen"],
        "last": row["last_seen"],
        "named": True,
    }


def _gravity(row: Row) -> tuple[Any, ...]:
    return *(-row[act] for act in _GRAVE), row["queue_uid"]
