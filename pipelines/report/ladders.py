"""The calls of sessions, for their ladders: the openings, endings and purges, and as many others as anybody follows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipelines.report.handles import FOUND, OFTEN, HandleMention, HandleNote, Handles
from pipelines.report.keeping import FirstRows
from pipelines.report.limits import FRAMES_TOLD, LADDER_CALLS
from pipelines.report.packing import clipped, fitted
from pipelines.report.words import some
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
CALL: Final = (
    *("call_uid", "uid", "ts", "rtt_us", "endpoint", "operation", "opnum", "interface_source", "outcome", "status"),
    *("status_name", "fault", "fault_name", "username", "domain", "auth_level", "encrypted", "id.orig_h", "id.orig_p"),
    "id.resp_h",
    *("request_frames", "response_frames", "capture_id"),
)
COLUMNS: Final = (
    *("session_uid", "call_uid", "ts", "rtt_us", "client", "server", "endpoint", "operation", "result", "outcome"),
    *("inferred", "note", "label", "bytes", "message_uid", "doubt", "worst", "request_frames", "response_frames"),
    "capture_id",
)
_READS: Final = (
    *("session_uid", "start_call_uid", "end_call_uid", "ts", "ended_ts", "outcome", "doubt", "message_bytes"),
    *("message_label", "message_id"),
)
_MOVED: Final = {"success": "moved to", "failure": "not moved to", "unknown": "perhaps moved to"}
_MOVES: Final = ("session_uid", "call_uid", "ts", "outcome", "target_queue_name", "message_uid")


@dataclass(frozen=True, slots=True)
class LeftOut:
    count: int
    after: int | None
    """Time from which on calls are missing."""


class Ladders:
    """Which calls are told of which session, and what is known of them beside the calls themselves."""

    def __init__(self, sessions: list[Row], worst_of_calls: Mapping[str, int]) -> None:
        """`worst_of_calls`: the rank of the worst finding about a call."""
        self.sessions = sessions
        self._worst = worst_of_calls
        self._found: dict[str, FirstRows[HandleMention]] = defaultdict(
            lambda: FirstRows(LADDER_CALLS, lambda one: (one.weight, one.ts, one.call_uid))
        )
        self._notes: dict[str, HandleNote] = {}
        self.sessions_of: dict[str, list[str]] = {}
        """Sessions of a call, mostly one."""
        self.left_out: dict[str, LeftOut] = {}

    def gather(self, tables: Tables) -> None:
        uids = [row["session_uid"] for row in self.sessions]
        for named in Handles(self.sessions).calls(tables):
            self._found[named.session_uid].add(named)
        for row in tables.rows_of("reads", _READS, "session_uid", uids):
            self._read(row)
        for row in tables.rows_of("moves", _MOVES, "session_uid", uids):
            where = clipped(row["target_queue_name"]) or "another queue"
            note = HandleNote(f"{_MOVED[row['outcome']]} {where}", message_uid=row["message_uid"])
            self._add(row["session_uid"], row["call_uid"], row["ts"], note)
        for uid, first in self._found.items():
            kept = first.rows()
            for one in kept:
                self.sessions_of.setdefault(one.call_uid, []).append(uid)
                if one.note is not None:
                    self._notes[one.call_uid] = one.note
            self.left_out[uid] = LeftOut(first.seen - len(kept), kept[-1].ts if first.seen > len(kept) else None)

    def _read(self, row: Row) -> None:
        start, end = row["start_call_uid"], row["end_call_uid"]
        uid = derived_uid("M", row["message_id"]) if row["message_id"] else None
        note = HandleNote(row["outcome"], clipped(row["message_label"]), row["message_bytes"], uid, row["doubt"])
        if start is not None:
            self._add(row["session_uid"], start, row["ts"], note)
        if end is not None and end != start:
            self._add(row["session_uid"], end, row["ended_ts"] or row["ts"], note if start is None else None)

    def _add(self, session: str, call: str, ts: int | None, note: HandleNote | None) -> None:
        weight = FOUND if call in self._worst else OFTEN
        self._found[session].add(HandleMention(session, call, ts or 0, weight, note))

    def by_session(self, calls: Mapping[str, Row]) -> dict[str, list[Row]]:
        """`calls`: rows of the calls, by uid."""
        found: dict[str, list[Row]] = defaultdict(list)
        for uid, sessions in self.sessions_of.items():
            for session in sessions if uid in calls else ():
                found[session].append(calls[uid])
        return found

    def section(self, calls: Mapping[str, Row]) -> Section:
        of_session = self.by_session(calls)
        rows = [
            self._shown(session["session_uid"], call)
            for session in self.sessions
            for call in sorted(
                of_session.get(session["session_uid"], ()), key=lambda call: (call["ts"] or 0, call["call_uid"])
            )
        ]

        def cut(here: int, there_are: int) -> str:
            return f"{some(here, there_are, 'calls')}, whole sessions each. All are in the table calls."

        order = {row["session_uid"]: place for place, row in enumerate(self.sessions)}
        return fitted(
            "calls",
            COLUMNS,
            rows,
            len(rows),
            cut,
            lambda row: (order[row["session_uid"]], row["ts"] or 0, row["call_uid"]),
            together="session_uid",
        )

    def _shown(self, session: str, call: Row) -> Row:
        note = self._notes.get(call["call_uid"])
        return {
            **{name: call[name] for name in COLUMNS if name in call},
            **(dict.fromkeys(HandleNote._fields) if note is None else note._asdict()),
            "session_uid": session,
            "client": call["id.orig_h"],
            "server": call["id.resp_h"],
            "operation": operation_of(call),
            "result": result_of(call),
            "inferred": None if call["interface_source"] == "bind" else call["interface_source"] or "unknown",
            "worst": self._worst.get(call["call_uid"], -1),
            "request_frames": (call["request_frames"] or [])[:FRAMES_TOLD],
            "response_frames": (call["response_frames"] or [])[:FRAMES_TOLD],
        }


def operation_of(call: Row) -> str:
    return call["operation"] or f"{call['endpoint'] or 'unknown interface'} opnum {call['opnum']}"


def result_of(call: Row) -> str | None:
    for name, number in (("status_name", "status"), ("fault_name", "fault")):
        if call[name] or call[number] is not None:
            return call[name] or f"0x{call[number]:08x}"
    return None


def calls_by_uid(tables: Tables, wanted: Iterable[str]) -> dict[str, Row]:
    return {row["call_uid"]: row for row in tables.rows_of("calls", CALL, "call_uid", wanted)}
