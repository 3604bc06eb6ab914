"""Which sessions are told one by one: those with findings, purges, moves and removed messages first."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pipelines.report import doubts
from pipelines.report.keeping import FirstRows
from pipelines.report.limits import LADDER_CALLS, LADDERS, MAX_ROWS, NAMES_TOLD
from pipelines.report.packing import clipped, fitted
from pipelines.report.words import account, some, unnamed_queue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pipelines.report.ladders import LeftOut
    from pipelines.report.packing import Section

Row = dict[str, Any]
_COUNTS: Final = (
    *("peeks", "receives", "peeked", "acked", "nacked", "cancelled", "timed_out", "failed", "rundown", "unfinished"),
    *("purges", "moves", "sends", "message_bytes", "acked_bytes", "peeked_bytes", "nacked_bytes", "rundown_bytes"),
)
_SINGLE: Final = ("purges", "moves", "sends")
READ: Final = (
    *("session_uid", "uid", "ts", "closed_ts", "state", "endpoint", "doubt", "handle", "queue_handle", "queue_name"),
    *(
        "named_by",
        "naming_doubt",
        "other_names",
        "addressed",
        "opened_for",
        "opened_for_username",
        "opened_for_domain",
        "link_uid",
        "access",
        "share_mode",
    ),
    *("username", "domain", "id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p", "capture_id", *_COUNTS),
)
COLUMNS: Final = (
    *(
        "session_uid",
        "uid",
        "ts",
        "closed_ts",
        "state",
        "endpoint",
        "doubt",
        "queue",
        "named_by",
        "naming_doubt",
        "other_names",
        "addressed",
        "opened_for",
    ),
    *("opened_for_user", "link_uid", "access", "share_mode", "user", "client", "client_port", "server", "server_port"),
    *("capture_id", *_COUNTS, *doubts.COLUMNS, "proven", "findings", "worst", "calls_left_out", "left_out_after"),
)


class ChosenSessions:
    def __init__(self, findings: Mapping[str, tuple[int, int]]) -> None:
        """`findings`: of sessions, how many and the rank of the worst."""
        self._findings = findings
        self._first: FirstRows[Row] = FirstRows(MAX_ROWS["sessions"], self._rank)

    def add(self, row: Row) -> None:
        self._first.add(row)

    def rows(self) -> list[Row]:
        """The most telling first."""
        return self._first.rows()

    def _rank(self, row: Row) -> tuple[Any, ...]:
        _, worst = self._findings.get(row["session_uid"], (0, -1))
        telling = [-(row[name] or 0) for name in ("purges", "moves", "acked", "message_bytes", "sends")]
        return -worst, *telling, row["ts"] or 0, row["session_uid"]

    def section(
        self, rows: list[Row], total: int, left_out: Mapping[str, LeftOut], proven: Mapping[tuple[str, str], str]
    ) -> Section:
        """`proven`: of accounts on connections, as `principals.secret` has it."""

        def cut(here: int, there_are: int) -> str:
            return (
                f"{some(here, there_are, 'sessions')}: those with findings, purges, moves and removed messages "
                "first. All are in the table sessions."
            )

        shown = [
            self._shown(row, left_out.get(row["session_uid"]))
            | {"proven": proven.get((row["uid"], row["username"] or ""))}
            for row in rows
        ]
        return fitted("sessions", COLUMNS, shown, total, cut, lambda row: (row["ts"] or 0, row["session_uid"]))

    def _shown(self, row: Row, left_out: LeftOut | None) -> Row:
        count, worst = self._findings.get(row["session_uid"], (0, -1))
        return {
            **{name: row[name] for name in COLUMNS if name in row},
            "queue": queue_of(row),
            "naming_doubt": row["naming_doubt"] if row["queue_name"] else None,
            "other_names": [clipped(name) for name in (row["other_names"] or [])[:NAMES_TOLD]],
            "user": clipped(account(row["username"], row["domain"])),
            "opened_for_user": clipped(account(row["opened_for_username"], row["opened_for_domain"])),
            "client": row["id.orig_h"],
            "client_port": row["id.orig_p"],
            "server": row["id.resp_h"],
            "server_port": row["id.resp_p"],
            "findings": count,
            "worst": worst,
            "calls_left_out": left_out.count if left_out else 0,
            "left_out_after": left_out.after if left_out else None,
        }


def with_ladder(best_first: list[Row]) -> list[Row]:
    """The sessions whose calls are told: as many as there is room for, and those linked to them, as many again."""
    first = list(_first(best_first))
    of_link: dict[str, list[Row]] = defaultdict(list)
    for row in first:
        if row["link_uid"]:
            of_link[row["link_uid"]].append(row)
    rest = (row for row in best_first[len(first) :] if row["link_uid"] in of_link)
    linked = (row for row in rest if any(_at_once(row, one) for one in of_link[row["link_uid"]]))
    return [*first, *islice(linked, len(first))]


def _first(best_first: list[Row]) -> Iterator[Row]:
    """Until their calls are enough: opening, close and purges, and a start and an end for each read."""
    room = LADDERS
    for row in best_first:
        calls = 3 + 2 * ((row["peeks"] or 0) + (row["receives"] or 0)) + sum(row[name] or 0 for name in _SINGLE)
        room -= min(LADDER_CALLS, calls)
        if room < 0:
            return
        yield row


def _at_once(one: Row, other: Row) -> bool:
    """Numbers are used again, so that a link means sessions of one time only."""
    starts, ends = ([row[name] for row in (one, other)] for name in ("ts", "closed_ts"))
    return all(start is None or end is None or start <= end for start in starts for end in ends)


def queue_of(row: Row) -> str:
    return clipped(row["queue_name"]) or unnamed_queue(row["queue_handle"], row["handle"])


def by_uid(rows: Iterable[Row]) -> dict[str, Row]:
    return {row["session_uid"]: row for row in rows}
