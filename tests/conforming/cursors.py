"""Which message a read finds: [MS-MQDMPR] 3.1.7.1.10 to 3.1.7.1.15, 3.1.7.3.3, 3.2.7."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.queue_manager import AVAILABLE, DELETED, Message

if TYPE_CHECKING:
    from tests.conforming.queue_manager import Cursor, Queue

WAIT: Final = "wait"
Found = Message | str
"""A message, the name of a status, or WAIT."""
_LAST: Final = (1 << 64) - 1


def at_front(queue: Queue) -> Found:
    return next(iter(queue.available()), WAIT)


def by_cursor(queue: Queue, cursor: Cursor, action: str) -> Found:
    if action == "PEEK_NEXT":
        return _after(queue, cursor) if cursor.at else "MQ_ERROR_ILLEGAL_CURSOR_ACTION"
    if cursor.at is None:
        return at_front(queue)
    return cursor.at if cursor.at.state == AVAILABLE else "MQ_ERROR_MESSAGE_ALREADY_RECEIVED"


def moved(cursor: Cursor, message: Message, action: str) -> None:
    """Where the cursor is afterwards; a receive leaves it unread."""
    cursor.at = None if action == "RECEIVE" else message


def _after(queue: Queue, cursor: Cursor) -> Found:
    at = cursor.at
    assert at is not None
    if at in queue.messages:
        later = queue.messages[queue.messages.index(at) + 1 :]
    else:
        # It came by a transaction that was aborted since.
        later = [one for one in queue.messages if one.lookup_id > at.lookup_id]
    return next((one for one in later if one.state == AVAILABLE), WAIT)


def by_lookup_id(queue: Queue, lookup_id: int, action: str) -> Found:
    """Nobody waits here."""
    way = action.rpartition("_")[2]
    if (way, lookup_id) in (("NEXT", 0), ("PREV", _LAST)):
        found = queue.available()
        return found[0 if way == "NEXT" else -1] if found else "MQ_ERROR_MESSAGE_NOT_FOUND"
    places = [place for place, one in enumerate(queue.messages) if one.lookup_id == lookup_id]
    if not places:
        return "MQ_ERROR_MESSAGE_NOT_FOUND"
    message = queue.messages[places[0]]
    if way == "CURRENT":
        gone = "MQ_ERROR_MESSAGE_ALREADY_RECEIVED" if message.state == DELETED else "MQ_ERROR_MESSAGE_NOT_FOUND"
        return message if message.state == AVAILABLE else gone
    others = queue.messages[places[0] + 1 :] if way == "NEXT" else queue.messages[: places[0]][::-1]
    return next((one for one in others if one.state == AVAILABLE), "MQ_ERROR_MESSAGE_NOT_FOUND")
