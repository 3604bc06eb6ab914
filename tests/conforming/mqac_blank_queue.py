"""An MSMQQueue that a client made itself: [MC-MQAC] 3.11.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conforming.com_server import Served
from tests.conforming.mqac_queue import BY_CURSOR, BY_LOOKUP, FRONT

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]


class BlankQueue(Served):
    """3.11.3: a client made it, and nothing opened it."""

    def __init__(self) -> None:
        super().__init__("MSMQQueue")
        self.members = dict.fromkeys((*FRONT, *BY_CURSOR, *BY_LOOKUP, "Purge", "Reset", "Close", "get_Access"), _blank)


def _blank(_: Call) -> Handling:
    yield None
    return {"status": "0x80040007"}
