"""Members of an open queue, by what they do: [MC-MQAC] 3.11.4.1."""

from __future__ import annotations

from typing import Final

from pipelines.rules.mqac.demands import gets, methods

QUEUE: Final = "MSMQQueue"
_FIRST_RECEIVES: Final = methods(QUEUE, "Receive", "ReceiveCurrent")
_FIRST_PEEKS: Final = methods(QUEUE, "Peek", "PeekNext", "PeekCurrent")
_NAMED_RECEIVES: Final = methods(
    QUEUE,
    "ReceiveByLookupId",
    "ReceiveNextByLookupId",
    "ReceivePreviousByLookupId",
    "ReceiveByLookupIdAllowPeek",
)
_NAMED_PEEKS: Final = methods(QUEUE, "PeekByLookupId", "PeekNextByLookupId", "PeekPreviousByLookupId")
_END_RECEIVES: Final = methods(QUEUE, "ReceiveFirstByLookupId", "ReceiveLastByLookupId")
_END_PEEKS: Final = methods(QUEUE, "PeekFirstByLookupId", "PeekLastByLookupId")

TIMED: Final = (*_FIRST_RECEIVES, *_FIRST_PEEKS)
"""They have a ReceiveTimeout."""
BY_LOOKUP_ID: Final = (*_NAMED_RECEIVES, *_NAMED_PEEKS)
BY_POSITION: Final = (*BY_LOOKUP_ID, *_END_RECEIVES, *_END_PEEKS)
RECEIVES: Final = (*_FIRST_RECEIVES, *_NAMED_RECEIVES, *_END_RECEIVES)
PEEKS: Final = (*_FIRST_PEEKS, *_NAMED_PEEKS, *_END_PEEKS)
READS: Final = (*RECEIVES, *PEEKS)
PEEK_NEXT: Final = methods(QUEUE, "PeekNext")
AT_CURSOR: Final = methods(QUEUE, "PeekCurrent", "ReceiveCurrent")
PURGE: Final = methods(QUEUE, "Purge")
RESET: Final = methods(QUEUE, "Reset")
CLOSE: Final = methods(QUEUE, "Close")
NOTIFY: Final = methods(QUEUE, "EnableNotification")
TELLS: Final = gets(QUEUE, "Access", "ShareMode", "QueueInfo", "Handle", "IsOpen")
OPEN_ONLY: Final = (*READS, *PURGE, *RESET, *NOTIFY)
"""They say that a closed queue is refused."""
EVERY: Final = (*OPEN_ONLY, *TELLS, *CLOSE)
