"""Where calls of a session may be missing from its ladder: bytes that were not captured, answers without a question."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.report.keeping import FirstRows
from pipelines.report.limits import FRAMES_TOLD, HOLES_OF_A_SESSION, MAX_ROWS
from pipelines.report.packing import fitted
from pipelines.report.words import size, some

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
COLUMNS: Final = ("session_uid", "ts", "said", "request_frames", "response_frames", "capture_id")
_GAP: Final = re.compile(r"(\d+) bytes from (.*):(\d+) are missing")
_ISSUE: Final = ("code", "detail", "uid", "offset")
_PDU: Final = ("uid", "is_orig", "stream_offset", "ts")
_UNASKED: Final = ("uid", "ts", "outcome", "response_frames", "capture_id")


@dataclass(slots=True)
class _Gap:
    offset: int
    size: int
    before: tuple[int, int] | None = None
    """Offset and time of the last PDU of that side in front of it."""
    after: tuple[int, int] | None = None


class _Side:
    """Gaps in what one side of a connection sent."""

    def __init__(self) -> None:
        self._gaps: list[_Gap] = []
        self._offsets: list[int] = []

    def add(self, offset: int, count: int) -> None:
        place = bisect_right(self._offsets, offset)
        self._offsets.insert(place, offset)
        self._gaps.insert(place, _Gap(offset, count))

    def see(self, offset: int, ts: int) -> None:
        place = bisect_right(self._offsets, offset)
        if place < len(self._gaps):
            next_one = self._gaps[place]
            next_one.before = max(next_one.before or (offset, ts), (offset, ts))
        if place:
            last = self._gaps[place - 1]
            last.after = min(last.after or (offset, ts), (offset, ts))

    def sizes_and_times(self) -> Iterator[tuple[int, int]]:
        """Of each gap: calls of that time and earlier stand in front of it."""
        first = next((gap.after for gap in self._gaps if gap.after is not None), None)
        before = None if first is None else (0, first[1] - 1)
        for gap in self._gaps:
            before = gap.before or before
            if before is not None:
                yield gap.size, before[1]


def holes_section(tables: Tables, sessions: list[Row], calls: Mapping[str, list[Row]]) -> Section:
    """`sessions`: those with a ladder, the most telling first; `calls`: of each, by its uid."""
    of_connection: dict[str, list[Row]] = defaultdict(list)
    clients: dict[str, tuple[str, int]] = {}
    for session in sessions:
        for uid in {session["uid"], *(call["uid"] for call in calls.get(session["session_uid"], ()))}:
            of_connection[uid].append(session)
        for one in (session, *calls.get(session["session_uid"], ())):
            clients[one["uid"]] = one["id.orig_h"], one["id.orig_p"]
    uids = pa.array(sorted(clients), pa.string())
    found: dict[str, FirstRows[Row]] = defaultdict(lambda: FirstRows(HOLES_OF_A_SESSION, _order))
    for uid, hole in (*_gaps(tables, clients, uids), *_unasked(tables, uids)):
        for session in of_connection[uid]:
            if (session["ts"] or 0) <= hole["ts"] <= (session["closed_ts"] or hole["ts"]):
                found[session["session_uid"]].add({"session_uid": session["session_uid"], **hole})
    rows = [row for session in sessions for row in found[session["session_uid"]].rows()][: MAX_ROWS["holes"]]

    def cut(here: int, there_are: int) -> str:
        return f"{some(here, there_are, 'holes')}. All are in the tables issues and calls."

    return fitted("holes", COLUMNS, rows, sum(one.seen for one in found.values()), cut, _order)


def _order(row: Row) -> tuple[Any, ...]:
    return row["ts"], bool(row["response_frames"]), row["said"], row["response_frames"], row["session_uid"]


def _gaps(tables: Tables, clients: Mapping[str, tuple[str, int]], uids: pa.Array) -> Iterator[tuple[str, Row]]:
    sides: dict[tuple[str, bool], _Side] = defaultdict(_Side)
    for row in tables.rows("issues", _ISSUE, lambda batch: _among(batch, uids, "code", "tcp-gap")):
        if (told := _GAP.match(row["detail"] or "")) and row["offset"] is not None:
            sender = told[2].strip("[]"), int(told[3])
            sides[row["uid"], sender == clients[row["uid"]]].add(row["offset"], int(told[1]))
    for row in tables.rows_of("pdus", _PDU, "uid", {uid for uid, _ in sides}):
        side = sides.get((row["uid"], bool(row["is_orig"])))
        if side is not None and row["ts"] is not None:
            side.see(row["stream_offset"], row["ts"])
    for (uid, of_client), side in sides.items():
        for count, ts in side.sizes_and_times():
            were = "was" if count == 1 else "were"
            yield uid, _hole(ts, f"{size(count)} of the {'client' if of_client else 'server'} {were} not captured")


def _unasked(tables: Tables, uids: pa.Array) -> Iterator[tuple[str, Row]]:
    for row in tables.rows("calls", _UNASKED, lambda batch: _among(batch, uids, "outcome", "unasked")):
        if row["ts"] is not None:
            said = "The server answered a call that was not captured"
            yield row["uid"], _hole(row["ts"], said, row["response_frames"], row["capture_id"])


def _hole(ts: int, said: str, frames: list[int] | None = None, capture: str | None = None) -> Row:
    answers = (frames or [])[:FRAMES_TOLD]
    return {"ts": ts, "said": said, "request_frames": [], "response_frames": answers, "capture_id": capture}


def _among(batch: pa.Table, uids: pa.Array, column: str, value: str) -> pa.ChunkedArray:
    return pc.and_(pc.is_in(batch.column("uid"), value_set=uids), pc.equal(batch.column(column), value))
