"""Which queue a session has open, for whom, and how well that is known: the columns that many tables share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.facts.reasons import Reason
from pipelines.sessions.links import MESSAGES_DIFFER, MESSAGES_ONLY
from schemas.shared_columns import FOR_WHOM, NAMING
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact
    from pipelines.sessions.model import Session
    from schemas.shared_columns import ForWhom, Naming

Row = dict[str, Any]
NAMES: Final = tuple(column.name for column in (*NAMING, *FOR_WHOM))


def queue_of(session: Session | None) -> Naming:
    name, by, doubt = _named(session) if session is not None else (None, None, str(Reason.OPEN_NOT_SEEN))
    return {"queue_name": name, "named_by": by, "naming_doubt": doubt}


def named_by_call(name: str | None) -> Naming:
    """The columns NAMING of a call that names the queue itself; of one that is about none they are null."""
    return {"queue_name": name, "named_by": None if name is None else "call", "naming_doubt": None}


def for_whom(session: Session | None) -> ForWhom:
    """The columns FOR_WHOM: a supporting server reads for an application on another host, or for whoever calls its
    objects.
    """
    if session is None:
        return asked_by(None)
    return asked_by(session.behind.first if session.behind is not None else session.asked_by)


def asked_by(behind: CallFact | None) -> ForWhom:
    return {
        "opened_for": behind.client if behind else None,
        "opened_for_username": behind.username if behind else None,
        "opened_for_domain": behind.domain if behind else None,
    }


def naming(session: Session) -> Row:
    """All that the row of a session has of it."""
    named = queue_of(session)
    name, link, key = named["queue_name"], session.link, session.link_key
    others = {one.queue_name for one in link.others} | set(session.addressed.names if named["naming_doubt"] else ())
    only = session.addressed.only
    return {
        **named,
        "other_names": sorted(one for one in others - {name} if one is not None) or None,
        "addressed": only.messages
        if only is not None and (named["named_by"] == "messages" or only.shown == name)
        else 0,
        **for_whom(session),
        "link_uid": None if key is None else derived_uid("L", "|".join(map(str, key))),
        "link_doubt": None if key is None else _link_doubt(session),
    }


def _named(session: Session) -> tuple[str | None, str | None, str | None]:
    if session.queue_name is not None:
        return session.queue_name, session.named_by, None
    link, messages = session.link, session.addressed
    if link.opened is not None and link.opened.queue_name is not None:
        return link.opened.queue_name, "remote_open", link.doubt
    if messages.only is not None:
        return messages.only.shown, "messages", MESSAGES_ONLY
    return None, None, MESSAGES_DIFFER if messages.named else link.doubt


def _link_doubt(session: Session) -> str | None:
    """Why it may be another use of the number: one that was not seen puts the count wrong."""
    if session.link.opened is not None and session.link.doubt is not None:
        return session.link.doubt
    reason, key = session.pair.blind_reason, session.link_key
    return str(reason) if reason is not None and key is not None and key.use else None
