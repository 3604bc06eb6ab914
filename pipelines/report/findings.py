"""Which findings are told one by one: of each rule the earliest; how often it applied is counted in `verdicts`.

What could not be decided is no finding: it is told apart, and takes no room from what was found.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.report.counting import GroupCounts
from pipelines.report.keeping import FirstRows
from pipelines.report.limits import FRAMES_TOLD, MAX_ROWS, SESSIONS_WITH_FINDINGS, VALUES_TOLD
from pipelines.report.packing import clipped, fitted
from pipelines.report.sessions import queue_of
from pipelines.report.words import account, some
from pipelines.rules.model import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
COLUMNS: Final = (
    *("rule_id", "verdict", "reason", "level", "count", "ts", "client", "client_port", "server", "server_port"),
    *("user", "uid", "call_uid", "session_uid", "capture_id", "request_frames", "response_frames", "values"),
    *("queue", "naming_doubt", "opened_for", "opened_for_user"),
)
_READ: Final = (
    *("rule_id", "level", "verdict", "reason", "count", "ts", "ts_ns", "uid", "call_uid", "session_uid", "username"),
    *("domain", "queue_name", "naming_doubt", "opened_for", "opened_for_username", "opened_for_domain"),
    *("id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p", "evidence"),
)
_NUMBERED: Final = ("session_uid", "queue_name", "queue_handle", "handle")
_RANKS: Final = {str(level): level.rank for level in Level}
UNDECIDED: Final = "not_decidable"
Which: TypeAlias = "Callable[[pa.ChunkedArray], pa.ChunkedArray]"
"""From what is undecided to the rows that are wanted."""


def most_of_a_rule(counts: Iterable[int], room: int) -> int:
    """How many of one rule may be told, so that rules that say less leave their room to those that say more."""
    waiting = sorted(counts)
    while waiting and waiting[0] * len(waiting) <= room:
        room -= waiting.pop(0)
    return room // len(waiting) if waiting else room


@dataclass(frozen=True, slots=True)
class ChosenFindings:
    rows: list[Row]
    total: int
    """Rows of their kind, with those that are not told."""


def chosen_findings(tables: Tables, most: int) -> ChosenFindings:
    """Violations and detections, the worst first; of one rule the earliest, `most` at most."""
    return _chosen(tables, most, MAX_ROWS["findings"], pc.invert, _worst_first)


def chosen_questions(tables: Tables, most: int) -> ChosenFindings:
    """What could not be decided, by rule; of one rule the earliest, `most` at most."""
    return _chosen(tables, most, MAX_ROWS["questions"], lambda undecided: undecided, _by_rule)


def _chosen(tables: Tables, most: int, room: int, of: Which, order: Callable[[Row], Any]) -> ChosenFindings:
    latest, total = _latest(tables, most, of)
    of_rule: dict[str, FirstRows[Row]] = defaultdict(lambda: FirstRows(most, _when_and_where))
    for row in tables.rows("findings", _READ, lambda batch: _not_after(batch, latest, of)):
        of_rule[row["rule_id"]].add(row)
    kept = [row for first in of_rule.values() for row in first.rows()]
    told = [_shown(row) for row in heapq.nsmallest(room, kept, key=order)]
    return ChosenFindings(with_numbers(told, tables), total)


def with_numbers(rows: list[Row], tables: Tables) -> list[Row]:
    """Queues that nothing names go by the number or handle of their session."""
    wanted = {row["session_uid"] for row in rows if not row["queue"]} - {None}
    sessions = {row["session_uid"]: row for row in tables.rows_of("sessions", _NUMBERED, "session_uid", wanted)}
    return [
        row | {"queue": queue_of(sessions[row["session_uid"]])}
        if not row["queue"] and row["session_uid"] in sessions
        else row
        for row in rows
    ]


def findings_section(chosen: ChosenFindings, findings: int) -> Section:
    """`findings`: all that there are; a row may sum up many."""

    def cut(here: int, _: int) -> str:
        told = sum(row["count"] for row in chosen.rows[:here])
        return (
            f"{some(told, findings, 'findings')}: of each rule the earliest, the worst rules first. All are "
            "in the table findings."
        )

    return fitted("findings", COLUMNS, chosen.rows, chosen.total, cut, _as_shown)


def questions_section(chosen: ChosenFindings) -> Section:
    def cut(here: int, there_are: int) -> str:
        return (
            f"{some(here, there_are, 'lines')}: of each rule the earliest. All are in the table findings, "
            "where verdict = 'not_decidable'."
        )

    return fitted("questions", COLUMNS, chosen.rows, chosen.total, cut, _as_shown)


def _as_shown(row: Row) -> tuple[Any, ...]:
    return row["ts"] or 0, row["rule_id"], _text(row)


def rank(level: str | None) -> int:
    return _RANKS.get(level or "", -1)


def _latest(tables: Tables, most: int, of: Which) -> tuple[dict[str, int], int]:
    """For each rule the time of the last that is told: the others need not be taken apart. And how many all are."""
    earliest: dict[str, list[int]] = defaultdict(list)
    total = 0
    for batch in tables.batches("findings", ("rule_id", "verdict", "ts_ns")):
        wanted = batch.filter(of(_undecided(batch)))
        total += len(wanted)
        grouped = wanted.set_column(2, "ts_ns", pc.fill_null(wanted.column("ts_ns"), 0)).group_by("rule_id")
        for row in grouped.aggregate([("ts_ns", "list")]).to_pylist():
            held = earliest[row["rule_id"]]
            held[:] = heapq.nsmallest(most, [*held, *row["ts_ns_list"]])
    return {rule: times[-1] for rule, times in earliest.items()}, total


def _not_after(batch: pa.Table, latest: dict[str, int], of: Which) -> pa.ChunkedArray:
    bound = pa.array([latest.get(rule) for rule in batch.column("rule_id").to_pylist()], pa.int64())
    return pc.and_(of(_undecided(batch)), pc.less_equal(pc.fill_null(batch.column("ts_ns"), 0), bound))


def _undecided(batch: pa.Table) -> pa.ChunkedArray:
    return pc.equal(batch.column("verdict"), UNDECIDED)


def _worst_first(row: Row) -> tuple[Any, ...]:
    return -rank(row["level"]), *_by_rule(row)


def _by_rule(row: Row) -> tuple[Any, ...]:
    return row["rule_id"], *_when_and_where(row)


def _when_and_where(row: Row) -> tuple[Any, ...]:
    return row["ts_ns"] or 0, row["uid"] or "", row["call_uid"] or "", row["session_uid"] or "", _text(row)


def _text(row: Row) -> str:
    """Rows that differ, differ here."""
    return str(sorted(row.items()))


def _shown(row: Row) -> Row:
    evidence = row["evidence"] or {}
    return {
        **{name: row[name] for name in ("rule_id", "verdict", "reason", "level", "count", "ts", "uid", "call_uid")},
        "session_uid": row["session_uid"],
        "client": row["id.orig_h"],
        "client_port": row["id.orig_p"],
        "server": row["id.resp_h"],
        "server_port": row["id.resp_p"],
        "user": clipped(account(row["username"], row["domain"])),
        "queue": clipped(row["queue_name"]),
        "naming_doubt": row["naming_doubt"] if row["queue_name"] else None,
        "opened_for": row["opened_for"],
        "opened_for_user": clipped(account(row["opened_for_username"], row["opened_for_domain"])),
        "capture_id": evidence.get("capture_id"),
        "request_frames": (evidence.get("request_frames") or [])[:FRAMES_TOLD],
        "response_frames": (evidence.get("response_frames") or [])[:FRAMES_TOLD],
        "values": [_pair(one) for one in (evidence.get("values") or [])[:VALUES_TOLD]],
    }


def _pair(value: Row) -> list[str | None]:
    return [clipped(value["name"]), clipped(value["value"])]


def sessions_with_findings(tables: Tables) -> dict[str, tuple[int, int]]:
    """How many findings each session has, and the rank of the worst: of all, not only of those that are told."""
    counted = GroupCounts(SESSIONS_WITH_FINDINGS)
    for batch in tables.batches("findings", ("session_uid", "verdict", "level", "count")):
        decided = batch.filter(pc.and_(pc.invert(_undecided(batch)), pc.is_valid(batch.column("session_uid"))))
        for row in decided.group_by(["session_uid", "level"]).aggregate([("count", "sum")]).to_pylist():
            counted.add((row["session_uid"],), None, None, {row["level"]: row["count_sum"]})
    return {
        one.key[0] or "": (one.numbers.total(), max(rank(level) for level in one.numbers)) for one in counted.sums()
    }
