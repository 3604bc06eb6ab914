"""Rows of sessions whose queue is not certain: told with the session, when all that may name it was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from pipelines.sessions.naming import NAMES, for_whom, queue_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.sessions.model import Session
    from schemas.model import AnyRow

TableRow: TypeAlias = "tuple[str, AnyRow]"
"""Table and row."""
MAX_HELD: Final = 65_536
"""Of one server. Past it the rows of the session that waits longest are told with what names it so far."""


class RowsAwaitingName:
    def __init__(self) -> None:
        self._sessions: dict[int, tuple[Session, list[TableRow]]] = {}
        self._count = 0

    def pass_on(self, session: Session | None, rows: list[TableRow]) -> list[TableRow]:
        """The rows, now or later."""
        if session is None or queue_of(session)["naming_doubt"] is None:
            return rows
        self._sessions.setdefault(id(session), (session, []))[1].extend(rows)
        self._count += len(rows)
        return self._release(next(iter(self._sessions))) if self._count > MAX_HELD else []

    def over(self, session: Session) -> list[TableRow]:
        return self._release(id(session))

    def finish(self) -> Iterator[TableRow]:
        for key in list(self._sessions):
            yield from self._release(key)

    def _release(self, key: int) -> list[TableRow]:
        if key not in self._sessions:
            return []
        session, rows = self._sessions.pop(key)
        self._count -= len(rows)
        return [(table, renamed(row, session)) for table, row in rows]


def renamed(row: AnyRow, session: Session) -> AnyRow:
    """With what names the queue by now. An act has the queue for its target too."""
    named = queue_of(session)
    now = {**named, **for_whom(session), "target": named["queue_name"]}
    return {**row, **{name: now[name] for name in (*NAMES, "target") if name in row}}
