"""How a script reads: at the front, with the cursor, by lookup identifiers. [MC-MQAC] 3.11.4.1, 4.2, 4.3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import mqac_values as v
from tests.conforming.com_client import failed
from tests.conforming.mqac_queue import BY_CURSOR, BY_LOOKUP, FRONT
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_client import Proxy
    from tests.conforming.schedule import Until
    from tests.conforming.stage import Value

    Doing = Generator[Until | None, None, None]

_BY_LOOKUP_SINCE: Final = 3
_ALLOW_PEEK_SINCE: Final = 4
_PROPERTIES: Final = ("get_Label", "get_BodyLength", "get_Id", "get_Priority", "get_Class")
_TIMEOUTS: Final = (0, 0, 200, 5_000)


class Reading:
    def __init__(self, queue: Proxy, unit: Proxy | None, *, may_receive: bool) -> None:
        self.queue, self.unit, self.may_receive = queue, unit, may_receive
        self.world = queue.client.world
        self.revision = queue.client.revision_at(queue.exporter)
        self._lookup_ids: list[str] = []

    def once(self) -> Doing:
        world, queue = self.world, self.queue
        if world.likely(0.06) and self.revision >= _BY_LOOKUP_SINCE and self.may_receive:
            yield from queue.call("Purge")
            return
        if world.likely(0.08):
            yield from queue.call("Reset")
            return
        action = world.one_of(self._actions())
        values: dict[str, Value] = {}
        if action in BY_LOOKUP and "First" not in action and "Last" not in action:
            values["LookupId"] = world.one_of(self._lookup_ids)
        elif action not in BY_LOOKUP:
            values["ReceiveTimeout"] = world.one_of(_TIMEOUTS)
        if action.startswith("Receive"):
            values |= yield from queue.transaction(self.unit)
        if world.likely(0.2):
            values["WantBody"] = v.FALSE
        reply = yield from queue.call(action, values)
        message = queue.made(reply, "MSMQMessage")
        if message is not None and not failed(reply):
            yield from self._look(message)

    def _actions(self) -> list[str]:
        found = [*FRONT, *BY_CURSOR]
        if self.revision >= _BY_LOOKUP_SINCE:
            found += [one for one in BY_LOOKUP if self._lookup_ids or "First" in one or "Last" in one]
        if self.revision < _ALLOW_PEEK_SINCE:
            found = [one for one in found if not one.endswith("AllowPeek")]
        return [one for one in found if self.may_receive or one.startswith("Peek")]

    def _look(self, message: Proxy) -> Doing:
        world = self.world
        if world.likely(0.7):
            yield from message.call("get_Body")
        for name in world.chance.sample(_PROPERTIES, world.chance.randint(0, 3)):
            yield from message.call(name)
        if self.revision >= _BY_LOOKUP_SINCE and world.likely(0.5):
            reply = yield from message.call("get_LookupId")
            if not failed(reply) and reply is not None:
                self._lookup_ids.append(text(str(reply["result"]).strip('"')))
        if world.likely(0.7):
            yield from message.client.release(message)
