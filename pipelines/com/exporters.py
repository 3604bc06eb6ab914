"""Where objects of a server are: what its resolver told of each OXID, and the process behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.com.processes import Processes

if TYPE_CHECKING:
    from pipelines.com.com_object import ComObject
    from pipelines.facts.com import Exporter
    from pipelines.facts.model import Moment

MAX_EXPORTERS: Final = 10_000


class Exporters:
    def __init__(self) -> None:
        self._known: dict[int, Exporter] = {}
        self._processes = Processes()

    def has_room(self, exporter: Exporter) -> bool:
        return exporter.oxid in self._known or len(self._known) < MAX_EXPORTERS

    def announce(self, exporter: Exporter, moment: Moment) -> bool:
        """True: the OXID had been another's."""
        dealt_again = self._processes.announce(exporter, moment)
        known = None if dealt_again else self._known.get(exporter.oxid)
        if known is None or known.principal is None:
            self._known[exporter.oxid] = exporter
        return dealt_again

    def knows(self, oxid: int | None) -> bool:
        return oxid in self._known

    def bring_home(self, one: ComObject, oxid: int) -> None:
        """To what exports it."""
        if one.home is None or one.oxid != oxid:
            one.oxid, one.home = oxid, self._processes.of(oxid)

    def place(self, one: ComObject) -> bool:
        """Where it is, and as whom it runs. False: nobody said so."""
        exporter = self._known.get(one.oxid) if one.oxid is not None else None
        if exporter is None:
            return False
        one.runs_as = one.runs_as or exporter.principal
        if one.port is None and exporter.bindings:
            one.port = exporter.bindings[0][1]
        return True

    def answers(self, one: ComObject, moment: Moment) -> None:
        if one.home is not None:
            self._processes.answers(one.home, moment)
