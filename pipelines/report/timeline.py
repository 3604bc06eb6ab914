"""What the tables say happened, as events of the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.report.findings import UNDECIDED
from pipelines.report.limits import EVENTS
from pipelines.report.packing import clipped
from pipelines.report.sessions import queue_of
from pipelines.report.words import account

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.report.acts import ReportedAct
    from pipelines.report.events import Events
    from pipelines.report.rule_hits import RuleHits
    from pipelines.store.tables import Tables

Row = dict[str, Any]
READS: Final = {
    "peeked": "Message peeked at",
    "acked": "Message removed",
    "nacked": "Message read and put back",
    "rundown": "Message read, cut off, goes back",
    "unfinished": "Message read, end not seen",
    "in_doubt": "Message read, end in doubt",
}
"""Outcomes by which a message left its server."""
_OF_SESSION: Final = {
    "peeked": ("peeked", "peeked_bytes"),
    "acked": ("acked", "acked_bytes"),
    "nacked": ("nacked", "nacked_bytes"),
    "rundown": ("rundown", "rundown_bytes"),
    "in_doubt": ("in_doubt", "in_doubt_bytes"),
}
_BEHIND: Final = ("opened_for", "opened_for_username", "opened_for_domain", "naming_doubt")
_READ: Final = (
    *("session_uid", "start_call_uid", "end_call_uid", "ts", "given_ts", "outcome", "doubt", "message_bytes"),
    *("username", "domain", "queue_name", "id.orig_h", "id.resp_h", *_BEHIND),
)
_MOVE: Final = (
    *("call_uid", "ts", "session_uid", "queue_name", "target_queue_name", "outcome", "username", "domain"),
    *("id.orig_h", "id.resp_h"),
)
_SENT: Final = (
    *("call_uid", "ts", "session_uid", "queue_name", "naming_doubt", "message_bytes", "outcome"),
    *("username", "domain", "id.orig_h", "id.resp_h"),
)
_FINDING: Final = ("rule_id", "level", "username", "domain", "queue_name", "id.orig_h", "id.resp_h", *_BEHIND)
_PLACE: Final = ("session_uid", "call_uid")
_WHOSE: Final = ("queue_name", "queue_handle", "handle")
_OUTCOMES: Final = {
    "success": "done",
    "failure": "refused",
    "unknown": "answer not seen",
    "aborted": "undone by an abort",
    "rundown": "undone by a disconnect",
}


def add_act(events: Events, act: ReportedAct, attached: RuleHits) -> None:
    events.add(
        act.kind,
        act.ts,
        what=act.what,
        outcome=act.outcome,
        client=act.client,
        server=act.server,
        user=act.user,
        queue=act.queue,
        call_uid=act.call_uid,
        session_uid=act.session_uid,
        doubt=act.doubt,
        naming_doubt=act.naming_doubt,
        opened_for=act.opened_for,
        opened_for_user=act.opened_for_user,
        **attached.of(act.call_uid)._asdict(),
    )


def add_moves(events: Events, tables: Tables, attached: RuleHits) -> None:
    for row in tables.rows("moves", _MOVE):
        events.add(
            "move",
            row["ts"],
            what=f"Message moved to {clipped(row['target_queue_name']) or 'another queue'}",
            outcome=_OUTCOMES.get(row["outcome"], row["outcome"]),
            client=row["id.orig_h"],
            server=row["id.resp_h"],
            user=clipped(account(row["username"], row["domain"])),
            queue=clipped(row["queue_name"]),
            call_uid=row["call_uid"],
            session_uid=row["session_uid"],
            **attached.of(row["call_uid"])._asdict(),
        )


def one_by_one(tables: Tables) -> bool:
    """Reads are few enough to be told each; else their sessions tell them."""
    return tables.count("reads") <= EVENTS["read"]


def add_reads(events: Events, tables: Tables, attached: RuleHits) -> None:
    """All, or those of no session, which no session can tell."""
    alone = None if one_by_one(tables) else lambda batch: pc.is_null(batch.column("session_uid"))
    rows: Iterable[Row] = (row for row in tables.rows("reads", _READ, alone) if disclosed(row))
    whose: dict[str, Row] = {}
    if alone is None:
        rows = list(rows)
        uids = {row["session_uid"] for row in rows} - {None}
        found = tables.rows_of("sessions", ("session_uid", *_WHOSE), "session_uid", uids)
        whose = {row["session_uid"]: row for row in found}
    for row in rows:
        session = whose.get(row["session_uid"] or "")
        events.add(
            "read",
            row["given_ts"] or row["ts"],
            size=row["message_bytes"] or 0,
            what=READS["in_doubt" if row["doubt"] else row["outcome"]],
            client=row["id.orig_h"],
            server=row["id.resp_h"],
            user=clipped(account(row["username"], row["domain"])),
            queue=clipped(row["queue_name"]) or (queue_of(session) if session else None),
            session_uid=row["session_uid"],
            call_uid=row["start_call_uid"] or row["end_call_uid"],
            doubt=row["doubt"],
            **_behind(row),
            **attached.of(row["start_call_uid"], row["end_call_uid"])._asdict(),
        )


def add_reads_of_session(events: Events, row: Row) -> None:
    for way, (count, size) in _OF_SESSION.items():
        if row[count]:
            events.add(
                "read",
                row["ts"],
                until=row["closed_ts"],
                count=row[count],
                size=row[size] or 0,
                what=READS[way],
                client=row["id.orig_h"],
                server=row["id.resp_h"],
                user=clipped(account(row["username"], row["domain"])),
                queue=queue_of(row),
                session_uid=row["session_uid"],
                doubt=row["doubt"],
                **_behind(row),
            )


def add_sent(events: Events, tables: Tables, attached: RuleHits) -> None:
    for row in tables.rows("sends", _SENT):
        events.add(
            "sent",
            row["ts"],
            size=row["message_bytes"] or 0,
            what="Message sent",
            outcome=_OUTCOMES.get(row["outcome"], row["outcome"]),
            client=row["id.orig_h"],
            server=row["id.resp_h"],
            user=clipped(account(row["username"], row["domain"])),
            queue=clipped(row["queue_name"]),
            naming_doubt=row["naming_doubt"] if row["queue_name"] else None,
            call_uid=row["call_uid"],
            session_uid=row["session_uid"],
            **attached.of(row["call_uid"])._asdict(),
        )


def add_findings(events: Events, tables: Tables, titles: Mapping[str, str], attached: RuleHits) -> None:
    """Those that no other event tells, summed up batch by batch: there may be many for each call."""
    columns = (*_FINDING, *_PLACE, "verdict", "ts", "count")
    for batch in tables.batches("findings", columns):
        told = pc.or_(pc.equal(batch.column("verdict"), UNDECIDED), attached.of_acts(batch))
        decided = batch.filter(pc.invert(pc.fill_null(told, False)))
        width = events.width_us("finding")
        for name in _PLACE:
            decided = decided.set_column(decided.column_names.index(name), name, pc.fill_null(decided.column(name), ""))
        slots = _slots(decided.column("ts"), width)
        # Alone as long as there is room, so that it does not matter which findings share a batch.
        keys = [*_FINDING, "slot", *(_PLACE if width == 0 else ())]
        ends = [("ts", "min"), ("ts", "max"), *((name, end) for name in _PLACE for end in ("min", "max"))]
        grouped = decided.append_column("slot", slots).group_by(keys)
        for row in grouped.aggregate([("count", "sum"), *ends]).to_pylist():
            events.add(
                "finding",
                row["ts_min"],
                until=row["ts_max"],
                count=row["count_sum"],
                what=titles.get(row["rule_id"], row["rule_id"]),
                level=row["level"],
                rule_id=row["rule_id"],
                client=row["id.orig_h"],
                server=row["id.resp_h"],
                user=clipped(account(row["username"], row["domain"])),
                queue=clipped(row["queue_name"]),
                **_behind(row),
                session_uid=_same(row, "session_uid"),
                call_uid=_same(row, "call_uid"),
            )


def _slots(ts: pa.ChunkedArray, width: int | None) -> pa.ChunkedArray | pa.Array:
    if width is None:
        return pa.nulls(len(ts), pa.int64())
    return ts if width == 0 else pc.cast(pc.floor(pc.divide(pc.cast(ts, pa.float64()), width)), pa.int64())


def _same(row: Row, name: str) -> str | None:
    first: str | None = row[f"{name}_min"]
    return first if first and first == row[f"{name}_max"] else None


def _behind(row: Row) -> dict[str, Any]:
    """For whom, and whether that and the queue are certain."""
    return {
        "opened_for": row["opened_for"],
        "opened_for_user": clipped(account(row["opened_for_username"], row["opened_for_domain"])),
        "naming_doubt": row["naming_doubt"] if row["queue_name"] else None,
    }


def disclosed(row: Row) -> bool:
    """By this read a message left its server; an unfinished one may have got nothing."""
    return row["outcome"] in READS and (row["outcome"] != "unfinished" or bool(row["message_bytes"]))
