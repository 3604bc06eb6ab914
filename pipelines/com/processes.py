"""Which processes export the objects of a server, and which of them are gone.

[MS-DCOM] 3.1.1.5.1: each exporter has an OXID, one Remote Unknown and a port. Apartments of one process have an OXID
each and share its port, and a process that was started again may get the port of the one before: what tells them apart
is whether both were there at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.com import Exporter
    from pipelines.facts.model import Moment

MAX_APARTMENTS: Final = 50_000
"""Of a server. Of one that was forgotten nobody says that it ended."""
MAX_PORTS: Final = 16
"""Of a process. At further ones nobody takes its place."""
_NOBODY: Final = "0000"


@dataclass(slots=True, eq=False)
class Process:
    number: str = ""
    """Windows puts its process id in the second part of an IPID. Two that differ may be one all the same."""
    gone: Moment | None = None
    """Another one was announced at its port."""
    ports: set[int] = field(default_factory=set)
    same_as: Process | None = None

    def root(self) -> Process:
        one = self
        while one.same_as is not None:
            if one.same_as.same_as is not None:
                one.same_as = one.same_as.same_as
            one = one.same_as
        return one


@dataclass(slots=True, eq=False)
class Apartment:
    """What has an OXID."""

    process: Process
    remote_unknown: str | None = None
    ended: Moment | None = None
    """The OXID came to another."""

    @property
    def gone(self) -> Moment | None:
        return self.ended or self.process.root().gone


class Processes:
    def __init__(self) -> None:
        self._of_oxid: dict[int, Apartment] = {}
        self._at_port: dict[int, Process] = {}
        """The last one that was announced there."""

    def of(self, oxid: int) -> Apartment:
        found = self._of_oxid.get(oxid)
        if found is None:
            if len(self._of_oxid) >= MAX_APARTMENTS:
                del self._of_oxid[next(iter(self._of_oxid))]
            found = self._of_oxid[oxid] = Apartment(Process())
        return found

    def announce(self, exporter: Exporter, moment: Moment) -> bool:
        """True: the OXID had been another apartment's, which had another Remote Unknown."""
        one = self.of(exporter.oxid)
        dealt_again = one.remote_unknown not in (None, exporter.remote_unknown)
        if dealt_again:
            one.ended = moment
            del self._of_oxid[exporter.oxid]
            one = self.of(exporter.oxid)
        one.remote_unknown = exporter.remote_unknown
        process = one.process.root()
        process.number = process.number or _number(exporter.remote_unknown)
        if process.gone is not None:
            # No resolver announces what is gone: those that came after it are of the same process.
            process = self._alive(process)
        for _, port in exporter.bindings:
            process = self._announced_at(port, process, moment)
        return dealt_again

    def answers(self, one: Apartment, moment: Moment) -> None:
        """An object of it, at that time."""
        process = one.process.root()
        if process.gone is not None and moment > process.gone:
            self._alive(process)

    def _announced_at(self, port: int, process: Process, moment: Moment) -> Process:
        before = self._at_port.get(port)
        before = None if before is None else before.root()
        if before is not None and before is not process:
            if before.number == process.number != "":
                process = _joined(before, process)
            else:
                before.gone = moment
        self._at_port[port] = process
        if len(process.ports) < MAX_PORTS:
            process.ports.add(port)
        return process

    def _alive(self, process: Process) -> Process:
        process.gone = None
        for other in self._at(tuple(process.ports)):
            process = _joined(process, other)
        return process

    def _at(self, ports: Iterable[int]) -> list[Process]:
        return [self._at_port[port] for port in ports if port in self._at_port]


def _joined(one: Process, other: Process) -> Process:
    one, other = one.root(), other.root()
    if one is other:
        return one
    other.same_as = one
    one.gone = None
    one.number = one.number or other.number
    one.ports |= set(list(other.ports)[: MAX_PORTS - len(one.ports)])
    return one


def _number(ipid: str) -> str:
    found = ipid[9:13]
    return "" if found == _NOBODY else found
