"""Transactions of a supporting server: [MS-MQMP] 3.1.4.12 to 3.1.4.16, 3.1.7.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.conforming import truth
from tests.conforming.remote_open import QmcommServer
from tests.conforming.transport import CONTEXT_MISMATCH, Call, Reply
from tests.conforming.units_of_work import UnitOfWork

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.schedule import Until

    Handling = Generator[Until | None, None, Reply]

WHEREABOUTS: Final = 48
"""Bytes of what tests.scripts.qmcomm answers."""


@dataclass(slots=True, eq=False)
class TransactionHandle:
    """3.1.1.10."""

    server: InternalTransactions
    unit: UnitOfWork

    def rundown(self) -> None:
        """3.1.7.3: as R_QMAbortTransaction."""
        self.unit.truth.outcomes = frozenset(("rundown",))
        for read in self.unit.reads:
            read.came_to("rundown", "nacked")
        for send in self.unit.sent:
            send.came_to("rundown")
        self.end(committed=False)

    def end(self, *, committed: bool) -> None:
        self.server.units.pop(self.unit.identifier, None)
        if committed:
            self.unit.commit()
        else:
            self.unit.abort()


class InternalTransactions(QmcommServer):
    def __init__(self, manager: QueueManager) -> None:
        super().__init__(manager)
        self.units: dict[str, UnitOfWork] = {}

    def transaction_operations(self) -> dict[str, Callable[[Call], Handling]]:
        return {
            "R_QMGetTmWhereabouts": self.whereabouts,
            "R_QMEnlistTransaction": self.enlist,
            "R_QMEnlistInternalTransaction": self.enlist_internal,
            "R_QMCommitTransaction": self.decide,
            "R_QMAbortTransaction": self.decide,
        }

    def whereabouts(self, call: Call) -> Handling:
        yield None
        if int(call.values["cbBufSize"]) >= WHEREABOUTS:
            return {"status": 0}
        return {"status": "MQ_ERROR_USER_BUFFER_TOO_SMALL", "pcbWhereabouts": WHEREABOUTS}

    def enlist(self, call: Call) -> Handling:
        """An external transaction; once more is no error."""
        yield None
        self._unit(call)
        return {"status": 0}

    def enlist_internal(self, call: Call) -> Handling:
        yield None
        if str(call.values["transaction"]) in self.units:
            return {"status": "MQ_ERROR_TRANSACTION_SEQUENCE"}
        handle = TransactionHandle(self, self._unit(call))
        handle.unit.internal = True
        name = self.manager.handle("X")
        if call.connection.open:
            call.connection.association.handles[name] = handle
        else:
            handle.rundown()
        return {"phIntXact": name}

    def _unit(self, call: Call) -> UnitOfWork:
        name = str(call.values["transaction"])
        if name not in self.units:
            transaction = truth.Transaction(call.connection.client, self.manager.address, call.asked_us, name)
            transaction.sealed = call.connection.security.auth == "privacy"
            self.manager.world.truth.transactions.append(transaction)
            self.units[name] = UnitOfWork(name, transaction)
        return self.units[name]

    def decide(self, call: Call) -> Handling:
        yield None
        name, committed = str(call.values["phIntXact"]), call.operation == "R_QMCommitTransaction"
        handle = call.context(name)
        if not isinstance(handle, TransactionHandle):
            return CONTEXT_MISMATCH
        del call.connection.association.handles[name]
        handle.unit.truth.outcomes = frozenset(("committed" if committed else "aborted",))
        for read in handle.unit.reads:
            read.came_to("acked" if committed else "nacked")
        for send in handle.unit.sent:
            send.came_to("success" if committed else "aborted")
        handle.end(committed=committed)
        return {"status": 0, "phIntXact": "null"}

    def forget_units(self) -> None:
        for unit in self.units.values():
            unit.abort()
        self.units.clear()
