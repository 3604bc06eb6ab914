"""Peeks, receives and cancels of a client of qm2qm: [MS-MQQP] 3.2.4.2, 3.2.4.3, 3.2.4.5 to 3.2.4.7."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

from tests.conforming.schedule import Until

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.qm2qm_client import Numbers, Supporter
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call, Connection, Endpoint, Reply, Values

    Doing = Generator[Until | None, None, None]

_INFINITE: Final = 0xFFFF_FFFF
_TIMEOUTS: Final = (0, 0, 200, 3_000, 60_000, _INFINITE)
_LOOKUPS: Final = tuple(f"LOOKUP_{kind}_{way}" for kind in ("PEEK", "RECEIVE") for way in ("CURRENT", "NEXT", "PREV"))
_FIRST, _LAST = 0, (1 << 64) - 1


class Reads(ABC):
    owner: Supporter
    server: QueueManager
    numbers: Numbers
    endpoint: Endpoint
    cursors: list[int]
    used: set[int]
    busy: int
    closing: bool
    part: str

    @abstractmethod
    def connection(self) -> Connection | None: ...

    @abstractmethod
    def uses_sequential_ids(self) -> bool: ...

    def read(self) -> Doing:
        self.busy += 1
        owner = self.owner
        part = f"{self.part}/{owner.world.name('r')}"
        request_id = owner.request_id()
        connection = self.connection()
        if connection is not None and owner.asks == "each":
            yield from owner.ask_version(connection, part)
        elif connection is not None and self.part not in owner.asked:
            yield from owner.ask_version(connection, self.part)
        connection = self.connection()
        if connection is not None and not self.closing:
            values = self._wanted(request_id)
            call = owner.ask(connection, self._operation(values), values, part)
            yield from self._awaited(call)
            yield from self._ended(call)
        owner.pending.discard(request_id)
        self.busy -= 1
        if self.closing and not self.busy:
            owner.close_idle(self.endpoint)

    def peek(self, part: str) -> Doing:
        """At the front, without waiting."""
        connection, request_id = self.connection(), self.owner.request_id()
        if connection is not None:
            values: Values = {**self._queue(request_id), "ulAction": "PEEK_CURRENT", "ulTimeout": 0}
            yield from self.owner.call(connection, self._operation(values), values, part)
        self.owner.pending.discard(request_id)

    def _queue(self, request_id: int) -> dict[str, Value]:
        numbers = self.numbers
        return {"hRemoteQueue": numbers.handle, "dwQueue": numbers.reference, "dwRequestID": request_id}

    def _operation(self, values: Values) -> str:
        if "LookupId" in values:
            return "RemoteQMStartReceiveByLookupId"
        return "RemoteQMStartReceive2" if self.uses_sequential_ids() else "RemoteQMStartReceive"

    def _wanted(self, request_id: int) -> Values:
        world, numbers = self.owner.world, self.numbers
        values = self._queue(request_id)
        if self.uses_sequential_ids() and world.likely(0.25):
            return {**values, **self._looked_up()}
        actions = ["PEEK_CURRENT", *(["RECEIVE"] * 3 if numbers.may_receive else [])]
        if self.cursors and world.likely(0.5):
            cursor = world.one_of(self.cursors)
            values["hCursor"] = cursor
            self.used.add(cursor)
            actions.append("PEEK_NEXT")
        return {**values, "ulAction": world.one_of(actions), "ulTimeout": world.one_of(_TIMEOUTS)}

    def _looked_up(self) -> Values:
        """The application knows identifiers from messages that it has seen."""
        world = self.owner.world
        known = [one.lookup_id for queue in self.server.queues for one in queue.messages] or [0x1401]
        action = world.one_of([one for one in _LOOKUPS if self.numbers.may_receive or "PEEK" in one])
        edge = {"NEXT": _FIRST, "PREV": _LAST}.get(action.rpartition("_")[2])
        lookup_id = edge if edge is not None and world.likely(0.3) else world.one_of(known)
        return {"ulAction": action, "LookupId": lookup_id}

    def _awaited(self, call: Call) -> Doing:
        """Perhaps with a cancel, which may come too late."""
        world = self.owner.world
        endless = call.values.get("ulTimeout") == _INFINITE
        if call.values.get("ulTimeout", 0) and world.likely(0.8 if endless else 0.3):
            yield Until(lambda: call.over, world.stage.now_us + world.chance.randint(1, 5_000_000))
            if not call.over or world.likely(0.15):
                yield from self._cancel(call)
        yield Until(lambda: call.over)

    def _cancel(self, call: Call) -> Doing:
        connection = self.connection()
        if connection is None:
            return
        values: Values = {
            "hQueue": self.numbers.handle,
            "pQueue": self.numbers.reference,
            "dwRequestID": call.values["dwRequestID"],
        }
        yield from self.owner.call(connection, "RemoteQMCancelReceive", values, call.part)

    def _ended(self, call: Call) -> Doing:
        reply = call.reply
        if reply is not None and "message" not in reply and reply.get("pphContext", "null") != "null":
            yield from self._end_failed(call, reply)
            return
        if not _has_message(reply) or "RECEIVE" not in str(call.values["ulAction"]):
            return
        assert reply is not None
        if self.owner.world.likely(0.2):
            yield Until(deadline_us=self.owner.world.stage.now_us + 2_000_000)
        connection = self.connection()
        if self.owner.world.plant.omits("end", connection):
            self.owner.careless = True
            return
        if connection is None or reply["pphContext"] == "null":
            return
        answer = "RR_ACK" if self.owner.world.likely(0.75) else "RR_NACK"
        values: Values = {"pphContext": reply["pphContext"], "dwAck": answer}
        yield from self.owner.call(connection, "RemoteQMEndReceive", values, call.part)

    def _end_failed(self, call: Call, reply: Reply) -> Doing:
        """Only a careless client ends what no server should have given it."""
        connection = self.connection()
        if connection is not None and self.owner.world.plant.omits("care", connection):
            values: Values = {"pphContext": reply["pphContext"], "dwAck": "RR_ACK"}
            yield from self.owner.call(connection, "RemoteQMEndReceive", values, call.part)


def _has_message(reply: Reply | None) -> bool:
    return reply is not None and "message" in reply
