"""Copies of one message in one queue: [MS-MQDMPR] 3.1.7.1.27 makes one for each name that a message is sent to.

They have one identifier, and two names may be those of one queue. What is not transactional may also come twice from
another queue manager: [MS-MQQB] 3.1.5.8.1, notes <25> and <47>. Only of what was seen sent here, to one name alone,
there is no other copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from pipelines.sessions.steps import CallStep

_MAX_MESSAGES: Final = 4_096
_OF_SEVERAL: Final = ("DL=", "MULTICAST=")


class Copies:
    def __init__(self) -> None:
        self._alone: Recent[str, bool] = Recent(_MAX_MESSAGES)
        """Identifiers of messages that were sent to one name."""

    def sent(self, step: CallStep) -> None:
        message, session = (step.call.message or {}).get("id"), step.session
        name = session.queue_name if session is not None and session.opened is not None else None
        if step.call.method == v.AC_SEND and message and name and not name.upper().startswith(_OF_SEVERAL):
            self._alone.put(message, True)

    def doubt(self, message: str) -> Reason | None:
        """Why there may be another one."""
        return Reason.OTHERS_NOT_SEEN if self._alone.get(message) is None else None
