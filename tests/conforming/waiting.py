"""Reads that wait for a message: [MS-MQQP] 3.1.2, [MS-MQRR] 3.1.2.1; and servers that let them wait for too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from tests.conforming import cursors
from tests.conforming.schedule import Until

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.transport import Call

_INFINITE: Final = 0xFFFF_FFFF
_LATE_US: Final = 600_000_000
HELD_US: Final = 300_000_000
_TIME_IS_OVER: Final = "MQ_ERROR_IO_TIMEOUT"


class Pending(Protocol):
    cancelled: str
    """The status with which it ends."""
    held_until_us: int
    """By a server that goes on with what it should have ended."""


def waited(
    call: Call, pending: Pending, look: Callable[[], cursors.Found], timer: str
) -> Generator[Until | None, None, cursors.Found]:
    """`timer`: what a server leaves out that answers late."""
    world = call.connection.endpoint.host.world
    stage, timeout = world.stage, int(call.values.get("ulTimeout", 0))
    deadline = None if timeout == _INFINITE else call.asked_us + timeout * 1_000
    while True:
        if stage.now_us < pending.held_until_us:
            yield Until(deadline_us=pending.held_until_us)
            found = look()
            return _TIME_IS_OVER if found == cursors.WAIT else found
        found = pending.cancelled or look()
        if found != cursors.WAIT:
            return found
        if deadline is not None and stage.now_us >= deadline:
            if not timeout or not world.plant.omits(timer, call.connection):
                return _TIME_IS_OVER
            deadline += _LATE_US
        yield Until(lambda: bool(pending.cancelled or pending.held_until_us) or look() != cursors.WAIT, deadline)
