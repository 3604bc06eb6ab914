"""Who did what to which queue, from where: sessions and acts summed up, the gravest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.report.counting import GroupCounts, Key, Sum
from pipelines.report.keeping import FirstRows
from pipelines.report.limits import MAX_ROWS, TOUCHES_HELD
from pipelines.report.packing import clipped, fitted
from pipelines.report.sessions import queue_of
from pipelines.report.words import account, are

if TYPE_CHECKING:
    from pipelines.report.acts import ReportedAct
    from pipelines.report.packing import Section
    from pipelines.report.queues import QueueLabels

Row = dict[str, Any]
_WHO: Final = ("client", "user", "opened_for", "opened_for_user", "server", "queue", "object")
_OF_SESSION: Final = {
    "peeked": "peeked",
    "removed": "acked",
    "put_back": "nacked",
    "cut_off": "rundown",
    "in_doubt": "in_doubt",
    "refused": "failed",
    "purges": "purges",
    "moves": "moves",
    "sends": "sends",
    "bytes": "message_bytes",
    "removed_bytes": "acked_bytes",
}
_GRAVE: Final = (
    *("purges", "purges_unknown", "administered", "removed", "in_doubt", "moves", "bytes", "sends", "sealed", "peeked"),
    *("inspected", "sessions"),
)
_NUMBERS: Final = (
    "sessions",
    *_OF_SESSION,
    "purges_unknown",
    "administered",
    "inspected",
    "sealed",
    "doubts",
    "unsure_queue",
)
COLUMNS: Final = (*_WHO, "first", "last", *_NUMBERS)


class Touches:
    def __init__(self, names: QueueLabels) -> None:
        self._names = names
        self._counted = GroupCounts(TOUCHES_HELD)
        self.total = 0

    def session(self, row: Row) -> None:
        who = (
            row["id.orig_h"],
            clipped(account(row["username"], row["domain"])),
            row["opened_for"],
            clipped(account(row["opened_for_username"], row["opened_for_domain"])),
            row["id.resp_h"],
            self._names.usual(queue_of(row), row["id.resp_h"]),
            None,
        )
        numbers = {ours: row[theirs] or 0 for ours, theirs in _OF_SESSION.items()}
        numbers |= {"sessions": 1, "doubts": int(row["doubt"] is not None)}
        numbers["unsure_queue"] = int(bool(row["queue_name"] and row["naming_doubt"]))
        self._counted.add(who, row["ts"], row["closed_ts"] or row["ts"], numbers)

    def act(self, act: ReportedAct) -> None:
        counts_as = act.counts_as
        if counts_as is None:
            return
        who = self._who(act.client, act.user, act.opened_for, act.opened_for_user, act.server, act.queue, act.target)
        self._counted.add(who, act.ts, act.ts, {counts_as: 1})

    def deeds(self, acts: list[Row]) -> dict[Key, list[Row]]:
        """Acts that changed something, the first ones first, by whom and what they count for."""
        found: dict[Key, list[Row]] = {}
        for act in acts:
            if act["kind"] == "admin" and act["outcome"] == "done":
                names = ("client", "user", "opened_for", "opened_for_user", "server", "queue", "target")
                found.setdefault(self._who(*(act[name] for name in names)), []).append(act)
        return found

    def _who(self, *parts: Any) -> Key:  # noqa: ANN401 - texts, some of which are there always
        *whose, server, queue, target = parts
        usual = self._names.usual(queue, server) if queue else None
        return (*whose, server, usual, None if usual else target)

    def rows(self) -> list[Row]:
        first: FirstRows[Sum] = FirstRows(MAX_ROWS["touches"], _gravity)
        self.total = first.add_all(self._counted.sums()).seen
        return [_row(one) for one in first.rows()]

    def section(self, rows: list[Row]) -> Section:
        def cut(here: int, there_are: int) -> str:
            more = "" if self._counted.complete else " and more"
            return (
                f"{here:,} of {there_are:,}{more} pairs of who and queue {are(here)} here, the gravest first. All are "
                "in the tables sessions and queues."
            )

        return fitted("touches", COLUMNS, rows, self.total, cut, _rank)


def _gravity(one: Sum) -> tuple[Any, ...]:
    return *(-one.numbers[name] for name in _GRAVE), *("" if part is None else part for part in one.key)


def _rank(row: Row) -> tuple[Any, ...]:
    return *(-row[name] for name in _GRAVE), *("" if row[name] is None else row[name] for name in _WHO)


def key_of(row: Row) -> Key:
    return tuple(row[name] for name in _WHO)


def _row(one: Sum) -> Row:
    return {
        **dict(zip(_WHO, one.key, strict=True)),
        "first": one.first,
        "last": one.last,
        **{name: one.numbers[name] for name in _NUMBERS},
    }
