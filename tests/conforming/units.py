"""Transactions of an application that has a supporting server: [MS-MQMP] 3.2.4.10, 3.2.4.12, 4.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.binding import Binding
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Values

    Doing = Generator[Until | None, None, None]


class Units:
    def __init__(self, binding: Binding, part: str) -> None:
        self.binding, self.part, self.world = binding, part, binding.owner.world
        self.name = "null"
        """The one that is under way; null: none."""
        self.handle = ""

    def begin(self) -> Doing:
        """The whereabouts are asked for first, and for as many bytes as they take."""
        name, part = self.world.name("T"), f"{self.part}/{self.world.name('t')}"
        internal = self.world.likely(0.7)
        if not internal or self.world.likely(0.6):
            reply = yield from self.binding.ask("R_QMGetTmWhereabouts", {"cbBufSize": self.world.one_of((0, 64))}, part)
            if reply is not None and "pcbWhereabouts" in reply:
                yield from self.binding.ask("R_QMGetTmWhereabouts", {"cbBufSize": reply["pcbWhereabouts"]}, part)
        operation = "R_QMEnlistInternalTransaction" if internal else "R_QMEnlistTransaction"
        reply = yield from self.binding.ask(operation, {"transaction": name}, part)
        if reply is None:
            return
        if internal and reply.get("phIntXact", "null") != "null":
            self.name, self.handle = name, str(reply["phIntXact"])
        elif not internal and reply.get("status") == 0:
            self.name = name

    def end(self) -> Doing:
        """Of an external one nothing is said here."""
        self.name = "null"
        if self.handle and not self.binding.lost:
            operation = "R_QMCommitTransaction" if self.world.likely(0.6) else "R_QMAbortTransaction"
            values: Values = {"phIntXact": self.handle}
            self.handle = ""
            if self.world.plant.omits("supported decision", self.binding.connection()):
                self.binding.owner.careless = True
                return
            yield from self.binding.ask(operation, values, self.part)
