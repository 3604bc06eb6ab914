"""A script that uses MSMQ's objects: [MC-MQAC] 4. It reads and sends, administers, waits for events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.com_client import failed
from tests.conforming.com_pinging import ping
from tests.conforming.mqac_administering import administer, manage
from tests.conforming.mqac_errands import ERRANDS, WRONG
from tests.conforming.mqac_queue import PEEK, RECEIVE, SEND
from tests.conforming.mqac_reading import Reading
from tests.conforming.mqac_watching import watch
from tests.conforming.schedule import Until
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.com_client import ComClient, Proxy
    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.stage import Value

    Doing = Generator[Until | None, None, None]
    Finding = Generator[Until | None, None, Proxy | None]

WATCH: Final = "watch"
"""As breaches call it."""
_EVERY: Final = {**ERRANDS, **WRONG}
_WORDS: Final = ("order", "receipt", "return")


class Script:
    def __init__(self, client: ComClient, server: QueueManager, *, reachable: bool) -> None:
        self.client, self.server, self.reachable = client, server, reachable
        self.world = client.world

    def live(self) -> Doing:
        world = self.world
        for _ in range(world.one_of((2, 3, 4))):
            yield Until(lambda: self.server.up)
            part = world.name("u")
            yield from self._doing()(part)
            if world.likely(0.3):
                yield from ping(self.client, self.server)
            if world.likely(0.9):
                yield from self.client.release(*[one for one in self.client.proxies if one.part == part])
        self.client.close_all()

    def _doing(self) -> Callable[[str], Doing]:
        world, wanted = self.world, self.world.plant.errand
        usual = (self._read, self._read, self._send, self._send, self._administer, self._manage, self._run_errand)
        doing = world.one_of(usual)
        if self.reachable and (wanted == WATCH or world.likely(0.15)):
            return self._watch
        return self._run_errand if wanted in _EVERY else doing

    def _run_errand(self, part: str) -> Doing:
        chosen = self.world.one_of(tuple(ERRANDS))
        yield from _EVERY[self.world.plant.errand or chosen](self, part)

    def a_queue(self, *, transactional: bool | None = None) -> Queue:
        """Of the server."""
        fit = [one for one in self.server.queues if transactional in (None, one.transactional)]
        return self.world.one_of(fit or self.server.queues)

    def _administer(self, part: str) -> Doing:
        yield from administer(self.client, self.server, part)

    def _manage(self, part: str) -> Doing:
        yield from manage(self.client, self.server, part)

    def _watch(self, part: str) -> Doing:
        opened = yield from self.opened(self.a_queue(), PEEK, 0, part)
        if opened is not None:
            yield from watch(opened, self.server)
            yield from self._close(opened)

    def opened(self, queue: Queue, access: int, share: int, part: str, *, by_path: bool | None = None) -> Finding:
        info = yield from self.client.activate(self.server, "MSMQQueueInfo", part)
        if info is None:
            return None
        by_path = self.world.likely(0.6) if by_path is None else by_path
        put = ("put_PathName", {"bstrPathName": text(queue.path)})
        if not by_path:
            put = ("put_FormatName", {"bstrFormatName": text(queue.format_name)})
        reply = yield from info.call(*put)
        if failed(reply):
            return None
        share_mode: dict[str, Value] = {"ShareMode": share}
        return info.made((yield from info.call("Open", {"Access": access, **share_mode})), "MSMQQueue")

    def _read(self, part: str) -> Doing:
        world, queue = self.world, self.a_queue()
        access = world.one_of((RECEIVE, RECEIVE, PEEK))
        opened = yield from self.opened(queue, access, world.one_of((0, 0, 0, 1)) if access == RECEIVE else 0, part)
        if opened is None:
            return
        unit = None
        if queue.transactional and access == RECEIVE and world.likely(0.7):
            unit = yield from self.begun(part)
        reading = Reading(opened, unit, may_receive=access == RECEIVE)
        for _ in range(world.chance.randint(1, 8)):
            if opened.lost:
                return
            yield from reading.once()
        yield from self._end(unit)
        yield from self._close(opened)

    def begun(self, part: str) -> Finding:
        dispenser = yield from self.client.activate(self.server, "MSMQTransactionDispenser", part)
        if dispenser is None:
            return None
        return dispenser.made((yield from dispenser.call("BeginTransaction")), "MSMQTransaction")

    def _end(self, unit: Proxy | None) -> Doing:
        """Some are left to themselves."""
        if unit is None or self.world.likely(0.1):
            return
        if self.world.likely(0.6):
            said: dict[str, Value] = {"grfTC": 2} if self.world.likely(0.3) else {}
            yield from unit.call("Commit", said)
        else:
            yield from unit.call("Abort")

    def _close(self, opened: Proxy) -> Doing:
        """Or it goes with its last reference."""
        if self.world.likely(0.7):
            yield from opened.call("Close")

    def _send(self, part: str) -> Doing:
        queue = self.a_queue()
        to = yield from self._destination(queue, part)
        unit = None
        if to is not None and queue.transactional and self.world.likely(0.6):
            unit = yield from self.begun(part)
        for _ in range(self.world.chance.randint(1, 3)):
            if to is None or to.lost:
                return
            yield from self._send_one(queue, to, unit, part)
        yield from self._end(unit)
        if to is not None:
            yield from self._close(to)

    def _destination(self, queue: Queue, part: str) -> Finding:
        """A queue that is open, or an MSMQDestination."""
        if self.client.revision_there(self.server) < names.WITH_DESTINATIONS or self.world.likely(0.6):
            return (yield from self.opened(queue, SEND, 0, part))
        made = yield from self.client.activate(self.server, "MSMQDestination", part)
        if made is None:
            return None
        yield from made.call("put_FormatName", {"bstrFormatName": text(queue.format_name)})
        reply = yield from made.call("Open")
        return None if failed(reply) else made

    def _send_one(self, queue: Queue, to: Proxy, unit: Proxy | None, part: str) -> Doing:
        world = self.world
        message = yield from self.client.activate(self.server, "MSMQMessage", part)
        if message is None:
            return
        size = world.one_of((0, 5, 200, 3_000))
        body = text("y" * size) if world.likely(0.6) else v.octets(b"z" * size)
        puts: tuple[tuple[str, dict[str, Value]], ...] = (
            ("put_Label", {"bstrLabel": text(world.one_of(_WORDS))}),
            ("put_Body", {"varBody": body}),
            ("put_Priority", {"lPriority": world.one_of((0, 3, 7))}),
        )
        for name, values in puts:
            if world.likely(0.8):
                yield from message.call(name, values)
        said = yield from message.transaction(unit, queue)
        wanted = names.taken(f"{message.members}.Send", "DestinationQueue")
        argument = yield from to.argument(wanted)
        if argument is None:
            return
        yield from message.call("Send", {"DestinationQueue": argument.ipid, "public": 1, **said})
        if world.likely(0.3):
            yield from message.call("get_Id")
        if world.likely(0.6):
            yield from self.client.release(message)
