"""What a client of RemoteRead does with messages: [MS-MQRR] 3.2.4.3 to 3.2.4.5, 3.2.4.9 to 3.2.4.11."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.binding import Binding
from tests.conforming.schedule import Until

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.queue_manager import Queue
    from tests.conforming.remote_read_client import RemoteReader
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call, Values

    Doing = Generator[Until | None, None, None]

_INFINITE: Final = 0xFFFF_FFFF
_TIMEOUTS: Final = (0, 0, 200, 3_000, 60_000, _INFINITE)
_ROOM: Final = (0, 10, 1_000, 0x40_0000, 0x40_0000)
_LOOKUPS: Final = tuple(f"LOOKUP_{kind}_{way}" for kind in ("PEEK", "RECEIVE") for way in ("CURRENT", "NEXT", "PREV"))
_CLASSES: Final = (0xC004, 0xC004, 0)


class RemoteReads(Binding):
    reader: RemoteReader
    queue: Queue
    handle: str
    cursors: list[int]
    unit: str
    """The transaction in which it reads; null: none."""
    may_receive: bool
    busy: int
    holding: int
    """Messages that are not acknowledged yet."""
    closing: bool
    leaving: bool
    """With a message in hand, and without a word."""

    def read(self) -> Doing:
        self.busy += 1
        owner = self.owner
        part = f"{self.part}/{owner.world.name('r')}"
        request_id = self.reader.request_id()
        connection = self.connection()
        if connection is not None and not self.closing:
            values = self._wanted(request_id)
            transactional = self.unit != "null" and self.queue.transactional and "RECEIVE" in str(values["ulAction"])
            operation = "R_StartReceive"
            if transactional:
                operation, values = "R_StartTransactionalReceive", {**values, "transaction": self.unit}
            call = owner.ask(connection, operation, values, part)
            yield from self._awaited(call)
            self.holding += 1
            yield from self._ended(call)
            self.holding -= 1
        self.reader.pending.discard(request_id)
        self.busy -= 1
        if self.closing and not self.busy:
            owner.close_idle(self.endpoint)

    def peek(self, part: str) -> Doing:
        """At the front, without waiting."""
        request_id = self.reader.request_id()
        values: Values = {"phContext": self.handle, "dwRequestId": request_id, "ulAction": "PEEK_CURRENT"}
        yield from self.ask("R_StartReceive", {**values, "dwMaxBodySize": _ROOM[-1]}, part)
        self.reader.pending.discard(request_id)

    def _wanted(self, request_id: int) -> Values:
        world = self.owner.world
        values: dict[str, Value] = {
            "phContext": self.handle,
            "dwRequestId": request_id,
            "dwMaxBodySize": world.one_of(_ROOM),
        }
        known = [one.lookup_id for one in self.queue.messages]
        if known and world.likely(0.25):
            action = world.one_of([one for one in _LOOKUPS if self.may_receive or "PEEK" in one])
            return {**values, "ulAction": action, "LookupId": world.one_of(known)}
        actions = ["PEEK_CURRENT", *(["RECEIVE"] * 3 if self.may_receive else [])]
        if self.cursors and world.likely(0.5):
            values["hCursor"] = world.one_of(self.cursors)
            actions.append("PEEK_NEXT")
        return {**values, "ulAction": world.one_of(actions), "ulTimeout": world.one_of(_TIMEOUTS)}

    def _awaited(self, call: Call) -> Doing:
        """Perhaps with a cancel, which may come too late."""
        world = self.owner.world
        endless = call.values.get("ulTimeout") == _INFINITE
        if call.values.get("ulTimeout", 0) and world.likely(0.8 if endless else 0.3):
            yield Until(lambda: call.over, world.stage.now_us + world.chance.randint(1, 5_000_000))
            if not call.over or world.likely(0.15):
                values: Values = {"phContext": self.handle, "dwRequestId": call.values["dwRequestId"]}
                yield from self.ask("R_CancelReceive", values, call.part)
        yield Until(lambda: call.over)

    def _ended(self, call: Call) -> Doing:
        """Only what was received, not what failed."""
        reply, world = call.reply, self.owner.world
        if reply is None or "message" not in reply or "RECEIVE" not in str(call.values["ulAction"]):
            return
        if world.likely(0.2):
            yield Until(deadline_us=world.stage.now_us + world.one_of((2_000_000, 2_000_000, 310_000_000)))
        transactional = "transaction" in call.values
        operation = "R_EndTransactionalReceive" if transactional else "R_EndReceive"
        acked = world.likely(0.75)
        values: Values = {
            "phContext": self.handle,
            "dwAck": "RR_ACK" if acked else "RR_NACK",
            "dwRequestId": call.values["dwRequestId"],
        }
        if world.plant.omits("remote end", self.connection()):
            self.leaving = True
            return
        if transactional and world.plant.omits("remote order", self.connection()):
            yield from self._reject(int(reply["pSequenceId"]), call.part)
        ended = yield from self.ask(operation, values, call.part)
        is_rejected = transactional and acked and call.values["transaction"] == self.unit and world.likely(0.3)
        if is_rejected and ended is not None and ended.get("status") == 0:
            yield from self._reject(int(reply["pSequenceId"]), call.part)

    def _reject(self, sequence_id: int, part: str) -> Doing:
        """By the lookup identifier, of which pSequenceId has seven bytes; the eighth follows from the priority."""
        low = (1 << 56) - 1
        known = [one.lookup_id for one in self.queue.messages if one.lookup_id & low == sequence_id]
        if known:
            values: Values = {
                "phContext": self.handle,
                "LookupId": known[0],
                "usClass": self.owner.world.one_of(_CLASSES),
            }
            yield from self.ask("R_SetUserAcknowledgementClass", values, part)
