"""Which findings are told one by one: of each rule the earliest; how often it applied is counted in `verdicts`."""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.report.keeping import First
from pipelines.report.limits import FINDINGS_OF_A_RULE, FRAMES_TOLD, MAX_ROWS, VALUES_TOLD
from pipelines.report.packing import clipped, fitted
from pipelines.report.sessions import queue_of
from pipelines.report.words import account, some
from pipelines.rules.model import Level

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.report.packing import Section
    from pipelines.report.reading import Tables

Row = dict[str, Any]
COLUMNS: Final = (
    *("rule_id", "verdict", "reason", "level", "count", "ts", "client", "client_port", "server", "server_port"),
    *("user", "uid", "call_uid", "session_uid", "capture_id", "request_frames", "response_frames", "values"),
    *("queue", "opened_for", "opened_for_user"),
)
_KIND: Final = ("rule_id", "verdict")
_READ: Final = (
    *("rule_id", "level", "verdict", "reason", "count", "ts", "ts_ns", "uid", "call_uid", "session_uid", "username"),
    *("id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p", "evidence"),
)
_OPENED: Final = (
    *("session_uid", "queue_name", "queue_handle", "handle", "opened_for", "opened_for_username"),
    "opened_for_domain",
)
_RANKS: Final = {str(level): level.rank for level in Level}
_VERDICTS: Final = ("violation", "detection", "not_decidable")


def findings_of_a_rule(kinds: int) -> int:
    """How many of one rule and verdict there is room for, where so many have something to say."""
    return max(FINDINGS_OF_A_RULE, MAX_ROWS["findings"] // max(kinds, 1))


def chosen_findings(tables: Tables, most: int) -> list[Row]:
    """The worst first; of one rule and verdict the earliest, `most` at most."""
    latest = _latest(tables, most)
    of_kind: dict[tuple[str, str], First[Row]] = defaultdict(lambda: First(most, _when_and_where))
    for row in tables.rows("findings", _READ, lambda batch: _not_after(batch, latest)):
        of_kind[row["rule_id"], row["verdict"]].add(row)
    kept = [row for first in of_kind.values() for row in first.rows()]
    return [_shown(row) for row in heapq.nsmallest(MAX_ROWS["findings"], kept, key=_worst_first)]


def with_domains(rows: list[Row], tables: Tables) -> list[Row]:
    """Findings name accounts without their domains: the connection's security contexts have them."""
    uids = {row["uid"] for row in rows if row["user"]}
    known = {
        (row["uid"], row["username"]): clipped(account(row["username"], row["domain"]))
        for row in tables.rows_of("principals", ("uid", "username", "domain"), "uid", uids)
    }
    return [row | {"user": known.get((row["uid"], row["user"])) or row["user"]} for row in rows]


def with_queues(rows: list[Row], tables: Tables) -> list[Row]:
    """Which queue a finding is about, and for whom it was opened: its session knows, or the act that is its call."""
    wanted = {row["session_uid"] for row in rows} - {None}
    sessions = {row["session_uid"]: row for row in tables.rows_of("sessions", _OPENED, "session_uid", wanted)}
    alone = {row["call_uid"] for row in rows if row["session_uid"] not in sessions} - {None}
    acts = tables.rows_of("admin_actions", ("call_uid", "queue_name", "opened_for"), "call_uid", alone)
    by_call = {row["call_uid"]: row for row in acts}
    return [row | _place(sessions.get(row["session_uid"]), by_call.get(row["call_uid"])) for row in rows]


def _place(session: Row | None, act: Row | None) -> Row:
    if session is not None:
        user = clipped(account(session["opened_for_username"], session["opened_for_domain"]))
        return {"queue": queue_of(session), "opened_for": session["opened_for"], "opened_for_user": user}
    queue, client = (clipped(act["queue_name"]), act["opened_for"]) if act else (None, None)
    return {"queue": queue, "opened_for": client, "opened_for_user": None}


def findings_section(rows: list[Row], total: int) -> Section:
    def cut(here: int, there_are: int) -> str:
        return (
            f"{some(here, there_are, 'findings')}: of each rule the earliest, the worst rules first. All are "
            "in the table findings."
        )

    return fitted("findings", COLUMNS, rows, total, cut, lambda row: (row["ts"] or 0, row["rule_id"], _text(row)))


def rank(level: str | None) -> int:
    return _RANKS.get(level or "", -1)


def _latest(tables: Tables, most: int) -> dict[tuple[str, str], int]:
    """For each rule and verdict the time of the last finding told; so that the others need not be taken apart."""
    earliest: dict[tuple[str, str], list[int]] = defaultdict(list)
    for batch in tables.batches("findings", (*_KIND, "ts_ns")):
        grouped = batch.set_column(2, "ts_ns", pc.fill_null(batch.column("ts_ns"), 0)).group_by(list(_KIND))
        for row in grouped.aggregate([("ts_ns", "list")]).to_pylist():
            held = earliest[row["rule_id"], row["verdict"]]
            held[:] = heapq.nsmallest(most, [*held, *row["ts_ns_list"]])
    return {kind: times[-1] for kind, times in earliest.items()}


def _not_after(batch: pa.Table, latest: dict[tuple[str, str], int]) -> pa.ChunkedArray:
    rules, verdicts = (batch.column(name).to_pylist() for name in _KIND)
    bound = pa.array([latest[kind] for kind in zip(rules, verdicts, strict=True)], pa.int64())
    return pc.less_equal(pc.fill_null(batch.column("ts_ns"), 0), bound)


def _worst_first(row: Row) -> tuple[Any, ...]:
    decided = row["verdict"] in _VERDICTS[:2]
    return not decided, -rank(row["level"]), row["rule_id"], *_when_and_where(row)


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
        "user": clipped(account(row["username"], None)),
        "capture_id": evidence.get("capture_id"),
        "request_frames": (evidence.get("request_frames") or [])[:FRAMES_TOLD],
        "response_frames": (evidence.get("response_frames") or [])[:FRAMES_TOLD],
        "values": [_pair(one) for one in (evidence.get("values") or [])[:VALUES_TOLD]],
    }


def _pair(value: Row) -> list[str | None]:
    return [clipped(value["name"]), clipped(value["value"])]


def sessions_with_findings(rows: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """How many of the findings, and the rank of the worst; what is not decidable does not count."""
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        if row["session_uid"] and row["verdict"] != "not_decidable":
            count, worst = found.get(row["session_uid"], (0, -1))
            found[row["session_uid"]] = count + 1, max(worst, rank(row["level"]))
    return found
