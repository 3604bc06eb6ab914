"""A queue that an application has opened by its supporting server: [MS-MQMP] 3.2.4.8 to 3.2.4.16."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.schedule import Until
from tests.conforming.stage import text
from tests.conforming.units import Units

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.binding import Binding
    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.stage import Value
    from tests.conforming.transport import Values

    Doing = Generator[Until | None, None, None]

_RECEIVE, _SEND = 0x01, 0x02
_TIMEOUTS: Final = (0, 0, 200, 3_000, 60_000)
_BODIES: Final = (0, 1, 100, 700)
_ROOM, _LITTLE = 9_000, 50
_LONGEST_PAUSE_US: Final = 30_000_000
_MOST: Final = 8
"""Messages received in a row."""
_SAID: Final[tuple[Values, ...]] = (
    {},
    {},
    {},
    {"pPriority": "null"},
    {"pPriority": 6},
    {"ppTitle": text("late order")},
    {"ppTitle": "null"},
    {"pulSenderIDType": 1, "ppSenderID": "010100000000000512000000", "uSenderIDLen": 12},
    {"ppSignature": "aabbccdd", "ulSignatureSize": 4, "pulHashAlg": 0x8004, "fDefaultProvider": 1, "pulProvType": 1},
)
"""What senders say of a message."""
_PRIVATELY: Final[Values] = {"pulPrivLevel": 1, "pulEncryptAlg": 0x6602}
"""3.1.5.2: not on a queue that was opened by a direct name."""
_RESERVED_CURSOR: Final = 0xB


class SupportedSession:
    def __init__(
        self,
        binding: Binding,
        place: QueueManager,
        queue: Queue,
        handle: str,
        context: int,
        access: int,
        part: str,
        *,
        direct: bool,
    ) -> None:
        self.binding, self.place, self.queue = binding, place, queue
        self.handle, self.context, self.access, self.part = handle, context, access, part
        self.direct, self.world = direct, binding.owner.world
        self.cursors: list[int] = []
        self.units = Units(binding, part)
        self.remote = place is not binding.server
        self.busy = 0

    def use(self) -> Doing:
        world = self.world
        if self.access != _SEND and world.likely(0.35):
            yield from self._create_cursor()
        if not self.remote and (self.queue.transactional or world.likely(0.1)) and world.likely(0.8):
            yield from self.units.begin()
        if self.access == _RECEIVE and world.likely(0.3):
            yield from self._empty()
        for _ in range(world.chance.randint(0, 5)):
            if world.likely(0.15):
                yield Until(deadline_us=world.stage.now_us + world.chance.randint(1, _LONGEST_PAUSE_US))
            if self.binding.lost:
                break
            if self.access == _RECEIVE and world.likely(0.08):
                yield from self.binding.ask("rpc_ACPurgeQueue", {"hQueue": self.handle}, f"{self.part}/purge")
            elif world.likely(0.1):
                yield from self._name()
            elif self.access == _SEND:
                yield from self._send()
            elif world.likely(0.3):
                self.world.schedule.add(self._receive(), self.binding.owner)
                yield None
            else:
                yield from self._receive()
            if world.likely(0.3):
                yield from self.units.end()
        yield from self.units.end()
        if world.likely(0.9):
            yield Until(lambda: self.busy == 0 or self.binding.lost)
        yield from self._finish()

    def _create_cursor(self) -> Doing:
        """3.2.4.8."""
        asked: Values = {"hQueue": self.handle}
        reply = yield from self.binding.ask("rpc_ACCreateCursorEx", asked, self.part, "qmcomm2")
        if reply is None or "hCursor" not in reply:
            return
        cursor, is_known = int(reply["hCursor"]), True
        if reply.get("status", 0) != 0:
            is_known = yield from self._create_remote_cursor(cursor, reply)
        if is_known:
            self.cursors.append(cursor)
        else:
            yield from self.binding.ask("rpc_ACCloseCursor", {"hQueue": self.handle, "hCursor": cursor}, self.part)

    def _create_remote_cursor(self, cursor: int, reply: Values) -> Generator[Until | None, None, bool]:
        """What older servers leave to the client."""
        owner, place = self.binding.owner, self.place
        named = yield from self.binding.ask("R_QMGetRemoteQueueName", {"pQueue": reply["cli_pQMQueue"]}, self.part)
        if named is None or "lplpRemoteQueueName" not in named or not place.up:
            return False
        connection = owner.connect(place.endpoints[place.handshake_port], "qmcomm")
        made = yield from owner.call(connection, "R_QMCreateRemoteCursor", {"hQueue": reply["srv_hACQueue"]}, self.part)
        owner.close(connection)
        if made is None or "phCursor" not in made:
            return False
        values: Values = {"hProxy": self.handle, "hCursor": cursor, "hRemoteCursor": made["phCursor"]}
        done = yield from self.binding.ask("rpc_ACSetCursorProperties", values, self.part)
        return done is not None and done.get("status") == 0

    def _name(self) -> Doing:
        """3.2.4.14."""
        room, name = self.world.one_of((0, 5, 200, 200)), "rpc_ACHandleToFormatName"
        values: dict[str, Value] = {"hQueue": self.handle, "dwFormatNameRPCBufferLen": room}
        if room == 0:
            values["lpwcsFormatName"] = "null"
        reply = yield from self.binding.ask(name, values, self.part)
        if reply is not None and reply.get("status") == "MQ_ERROR_FORMATNAME_BUFFER_TOO_SMALL":
            values = {"hQueue": self.handle, "dwFormatNameRPCBufferLen": reply["pdwLength"]}
            yield from self.binding.ask(name, values, self.part)

    def _send(self) -> Doing:
        size = self.world.one_of(_BODIES)
        values: dict[str, Value] = {"hQueue": self.handle, "message": f"{size}/{self.world.chance.randint(1, 99)}"}
        values |= self.world.one_of((*_SAID, *(() if self.direct else (_PRIVATELY,))))
        if self.units.name != "null":
            values["transaction"] = self.units.name
        yield from self.binding.ask("rpc_ACSendMessageEx", values, f"{self.part}/{self.world.name('s')}", "qmcomm2")

    def _empty(self) -> Doing:
        """Everything that is there."""
        values: dict[str, Value] = {"hQMContext": self.context, "ulBodyBufferSizeInBytes": _ROOM, "Action": "RECEIVE"}
        if self.units.name != "null":
            values["transaction"] = self.units.name
        for _ in range(_MOST):
            part = f"{self.part}/{self.world.name('r')}"
            reply = yield from self.binding.ask("rpc_ACReceiveMessageEx", values, part, "qmcomm2")
            if reply is None or "message" not in reply:
                return

    def _receive(self) -> Doing:
        """3.2.4.11, 3.2.4.12."""
        world = self.world
        self.busy += 1
        actions = ["PEEK_CURRENT", *(["RECEIVE"] * 3 if self.access == _RECEIVE else [])]
        values: dict[str, Value] = {
            "hQMContext": self.context,
            "RequestTimeout": world.one_of(_TIMEOUTS),
            "ulBodyBufferSizeInBytes": _LITTLE if not self.remote and world.likely(0.15) else _ROOM,
        }
        if self.cursors and world.likely(0.5):
            values["Cursor"] = world.one_of(self.cursors)
            actions.append("PEEK_NEXT")
        values["Action"] = world.one_of(actions)
        if values["Action"] == "RECEIVE" and self.units.name != "null":
            values["transaction"] = self.units.name
        part = f"{self.part}/{world.name('r')}"
        reply = yield from self.binding.ask("rpc_ACReceiveMessageEx", values, part, "qmcomm2")
        # 3.1.5.3: a transaction that was ended meanwhile is not enlisted any more.
        is_over = values.get("transaction", self.units.name) != self.units.name
        if reply is not None and reply.get("status") == "MQ_ERROR_BUFFER_OVERFLOW" and not is_over:
            enough: Values = {**values, "ulBodyBufferSizeInBytes": reply["pBodySize"]}
            yield from self.binding.ask("rpc_ACReceiveMessageEx", enough, part, "qmcomm2")
        self.busy -= 1

    def _finish(self) -> Doing:
        world, binding = self.world, self.binding
        if binding.lost:
            if world.likely(0.4):
                yield from self._try_again()
            return
        for cursor in self.cursors:
            yield from binding.ask("rpc_ACCloseCursor", {"hQueue": self.handle, "hCursor": cursor}, self.part)
        if world.likely(0.1):
            values: Values = {"hQueue": self.handle, "hCursor": _RESERVED_CURSOR}
            yield from binding.ask("rpc_ACCloseCursor", values, self.part)
        if world.plant.omits("supported close", binding.connection()):
            binding.owner.careless = True
        else:
            yield from binding.ask("rpc_ACCloseHandle", {"phQueue": self.handle}, self.part)

    def _try_again(self) -> Doing:
        """After the connection was lost a client may find out by calling that the server has forgotten it."""
        owner, server = self.binding.owner, self.binding.server
        if not server.up or not owner.alive:
            return
        connection = owner.connect(self.binding.endpoint, "qmcomm")
        calls: list[tuple[str, Values]] = [
            ("rpc_ACCloseHandle", {"phQueue": self.handle}),
            ("rpc_ACHandleToFormatName", {"hQueue": self.handle, "dwFormatNameRPCBufferLen": 200}),
        ]
        if self.units.handle:
            calls.append(("R_QMAbortTransaction", {"phIntXact": self.units.handle}))
        operation, values = self.world.one_of(calls)
        yield from owner.call(connection, operation, values, f"{self.part}/again")
        owner.close(connection)
