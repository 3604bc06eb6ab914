"""The timeline: acts, purges, moves, reads, sent messages and findings; where they are many, those alike are one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.report.condensing import Coarseness, Condensed, Group
from pipelines.report.limits import EVENTS, FRAMES_TOLD
from pipelines.report.packing import fitted
from pipelines.report.sessions import queue_of
from pipelines.report.words import are, counted, some, span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.report.packing import Section

Row = dict[str, Any]
_VALUES: Final = (
    *("what", "outcome", "level", "rule_id", "server", "client", "user", "queue"),
    *("session_uid", "call_uid", "doubt", "naming_doubt", "opened_for", "opened_for_user"),
)
_ALIKE, _ANY_QUEUE, _ANY_USER, _ANY_CLIENT = 8, 7, 6, 5
_SECOND: Final = 1_000_000
_HOUR: Final = 3_600 * _SECOND
LEVELS: Final = (
    Coarseness(0, len(_VALUES)),
    *(Coarseness(seconds * _SECOND, _ALIKE) for seconds in (1, 10, 60, 600, 3_600)),
    Coarseness(_HOUR, _ANY_QUEUE),
    Coarseness(_HOUR, _ANY_USER),
    Coarseness(6 * _HOUR, _ANY_USER),
    Coarseness(6 * _HOUR, _ANY_CLIENT),
    Coarseness(24 * _HOUR, _ANY_CLIENT),
    Coarseness(None, _ANY_CLIENT),
)
_WHATEVER: Final = {
    _ANY_QUEUE: ", whatever the queue,",
    _ANY_USER: ", whatever the queue and account,",
    _ANY_CLIENT: ", whatever the client, account and queue,",
}
COLUMNS: Final = (
    *("kind", *_VALUES, "ts", "until", "count", "bytes", "request_frames", "response_frames", "capture_id"),
)
KINDS: Final = tuple(EVENTS)
"""The gravest first, should the section have no room for all."""
_NAMES: Final = {
    "finding": ("finding", "findings"),
    "purge": ("purge", "purges"),
    "admin": ("administrative act", "administrative acts"),
    "move": ("move", "moves"),
    "read": ("read", "reads"),
    "sent": ("message sent", "messages sent"),
    "query": ("inquiry", "inquiries"),
}


class Events:
    def __init__(self) -> None:
        self._of = {kind: Condensed(most, LEVELS) for kind, most in EVENTS.items()}

    def add(
        self, kind: str, ts: int | None, *, until: int | None = None, count: int = 1, size: int = 0, **what: str | None
    ) -> None:
        """`what`: the names of _VALUES, as far as they are known."""
        last = ts if until is None or ts is None else max(ts, until)
        self._of[kind].add(Group(tuple(what.get(name) for name in _VALUES), ts, last, count, size))

    def width_us(self, kind: str) -> int | None:
        return self._of[kind].level.width_us

    def calls(self) -> set[str]:
        """Calls of events that are one call."""
        return {row["call_uid"] for row in self._rows() if row["call_uid"]}

    def section(self, calls: Mapping[str, Row], sessions: Mapping[str, Row]) -> Section:
        """`calls`: rows of calls that events are; `sessions`: of sessions that they belong to; both by uid."""
        rows = [
            _with_session(_with_call(row, calls.get(row["call_uid"] or "")), sessions.get(row["session_uid"] or ""))
            for row in self._rows()
        ]

        def cut(here: int, there_are: int) -> str:
            return f"{some(here, there_are, 'lines')}, findings and purges first; the tables have all."

        return fitted("events", COLUMNS, rows, len(rows), cut, _order, note=self._said())

    def _said(self) -> str:
        """Where a line stands for several events, or some have none."""
        said = []
        for kind, condensed in self._of.items():
            width, alike = condensed.level
            if width != 0:
                within = f"within {span(width)}" if width else "however far apart"
                said.append(f"{_NAMES[kind][1]} alike {within}{_WHATEVER.get(alike, '')} are one line with their count")
            if condensed.left_out:
                said.append(f"{counted(condensed.left_out, *_NAMES[kind])} {are(condensed.left_out)} left out")
        return f"{'; '.join(said).capitalize()}." if said else ""

    def _rows(self) -> Iterator[Row]:
        for kind, condensed in self._of.items():
            for group in condensed.groups():
                yield {
                    "kind": kind,
                    **dict(zip(_VALUES, group.values, strict=True)),
                    "ts": group.first,
                    "until": None if group.last == group.first else group.last,
                    "count": group.count,
                    "bytes": group.size,
                }


def _order(row: Row) -> tuple[Any, ...]:
    return row["ts"] or 0, KINDS.index(row["kind"]), *(row[name] or "" for name in _VALUES), row["until"] or 0


def _with_call(row: Row, call: Row | None) -> Row:
    if call is None:
        return row | {"request_frames": None, "response_frames": None, "capture_id": None}
    return row | {
        "request_frames": (call["request_frames"] or [])[:FRAMES_TOLD],
        "response_frames": (call["response_frames"] or [])[:FRAMES_TOLD],
        "capture_id": call["capture_id"],
    }


def _with_session(row: Row, session: Row | None) -> Row:
    return row if session is None else row | {"queue": row["queue"] or queue_of(session)}
