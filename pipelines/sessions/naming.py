"""Which queue a session has open, for whom, and how well that is known: the columns that many tables share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from schemas.shared_columns import FOR_WHOM, NAMING

if TYPE_CHECKING:
    from pipelines.sessions.model import Session

Row = dict[str, Any]
_NOTHING: Final[Row] = dict.fromkeys(column.name for column in (*NAMING, *FOR_WHOM))
NOT_KNOWN: Final = "open_not_seen"
"""`naming_doubt` of a queue that nothing names."""


def queue_of(session: Session | None) -> Row:
    """The columns NAMING."""
    if session is None:
        return {column.name: _NOTHING[column.name] for column in NAMING}
    behind = session.behind
    name = session.queue_name or (behind.queue_name if behind else None)
    return {
        "queue_name": name,
        "named_by": None if name is None else "open" if session.queue_name else "remote_open",
        "naming_doubt": NOT_KNOWN if name is None else None,
    }


def for_whom(session: Session | None) -> Row:
    """The columns FOR_WHOM: a supporting server reads for an application on another host."""
    behind = session.behind.first if session is not None and session.behind is not None else None
    return {
        "opened_for": behind.client if behind else None,
        "opened_for_username": behind.username if behind else None,
        "opened_for_domain": behind.domain if behind else None,
    }


def named_by_call(name: str | None) -> Row:
    """The columns NAMING of a call that names the queue itself."""
    return {"queue_name": name, "named_by": None if name is None else "call", "naming_doubt": None}
