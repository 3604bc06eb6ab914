"""MSMQTransaction and its dispensers: [MC-MQAC] 3.6 to 3.9."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming import truth
from tests.conforming.com_server import Served, never
from tests.conforming.units_of_work import UnitOfWork

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]

_SYNCHRONOUS: Final = 2
_NOT_SUPPORTED: Final = {"status": "0x8004D00F"}
_SEQUENCE: Final = {"status": "MQ_ERROR_TRANSACTION_SEQUENCE"}


_NO_TRANSACTION: Final = {"status": "0x8004D00E"}
_INVALID_ARGUMENT: Final = {"status": "0x80070057"}


class Dispenser(Served):
    """`internal`: the queue manager decides what it begins, not a coordinator."""

    def __init__(self, server: ComServer, *, internal: bool = True) -> None:
        super().__init__("MSMQTransactionDispenser" if internal else "MSMQCoordinatedTransactionDispenser")
        self.server, self.internal = server, internal
        self.members = {"BeginTransaction": self.begin, "get_Properties": never}

    def begin(self, call: Call) -> Handling:
        """3.6.4.1.1, 3.7.4.1.1."""
        yield None
        world = self.server.world
        told = truth.Transaction(call.connection.client, self.server.manager.address, call.asked_us, world.name("T"))
        told.sealed = call.connection.security.auth == "privacy"
        told.outcomes = frozenset(("unknown", "aborted", "rundown"))
        world.truth.transactions.append(told)
        return self.server.hand_out(call, TransactionObject(UnitOfWork(told.unit, told, internal=self.internal)))


class TransactionObject(Served):
    """`unit`: None where nothing is attached."""

    def __init__(self, unit: UnitOfWork | None) -> None:
        super().__init__("MSMQTransaction")
        self.unit, self.over = unit, False
        self.members = {
            "Commit": self.decide,
            "Abort": self.decide,
            "InitNew": self.attach,
            "get_Transaction": never,
            "get_Properties": never,
        }

    @property
    def usable(self) -> bool:
        return self.unit is not None and not self.over

    def decide(self, call: Call) -> Handling:
        """3.8.4.1.1, 3.8.4.1.2."""
        committed = names.member(call.operation) == "Commit"
        if self.unit is not None and not self.over:
            self.unit.truth.outcomes |= {"committed" if committed else "aborted"}
        yield None
        if self.unit is None:
            return _INVALID_ARGUMENT
        if self.unit.internal and _is_odd(call):
            return _NOT_SUPPORTED
        if self.over:
            return _SEQUENCE if self.unit.internal else _NO_TRANSACTION
        self.over = True
        self.unit.truth.outcomes = frozenset(("committed" if committed else "aborted",))
        call.if_lost(self._unheard)
        for read in self.unit.reads:
            read.came_to("acked" if committed else "nacked")
        for send in self.unit.sent:
            send.came_to("success" if committed else "aborted")
        if committed:
            self.unit.commit()
        else:
            self.unit.abort()
        return {"status": 0}

    def attach(self, _: Call) -> Handling:
        """3.9.4.2.1: of what these scripts give it nothing is a transaction."""
        yield None
        if self.unit is not None:
            return {"status": "MQ_ERROR_TRANSACTION_USAGE"}
        return _INVALID_ARGUMENT

    def _unheard(self) -> None:
        """The client does not know what came of it."""
        if self.unit is not None:
            self.unit.truth.outcomes |= {"unknown"}

    def gone(self) -> None:
        self._undo()

    def lost(self) -> None:
        self._undo()

    def _undo(self) -> None:
        """Nobody can commit it any more."""
        if self.unit is None or self.over:
            return
        self.over = True
        for read in self.unit.reads:
            read.came_to("unfinished", "rundown", "nacked")
        for send in self.unit.sent:
            send.came_to("unknown", "rundown", "aborted", "success")
        self.unit.abort()


def _is_odd(call: Call) -> bool:
    """3.8.4.1.1, 3.8.4.1.2: forms that a transaction of the queue manager's does not have."""
    flags = v.truth(call, "fRetaining", otherwise=False) or v.truth(call, "fAsync", otherwise=False)
    return flags or int(call.values.get("grfTC", _SYNCHRONOUS)) != _SYNCHRONOUS or call.values.get("grfRM", 0) != 0
