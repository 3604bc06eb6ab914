"""How the two halves of a call are completed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.scripts.stubs import Flat


@dataclass(slots=True)
class World:
    """What the script has come to."""

    seconds: int = 0
    """Unix time of the next packet."""
    server: str = ""
    """Address of the server that is spoken to."""
    starts: int = 0
    """Reads begun by qm2qm and RemoteRead; by qmcomm2 they are `receives`."""
    receives: int = 0
    sends: int = 0
    columns: list[int] = field(default_factory=list)
    """Properties that the last search of the directory asks for."""
    numbers: dict[str, tuple[int, int]] = field(default_factory=dict)
    """OXID and OID by IPID."""
    last_request_id: int = 1
    _used: set[int] = field(default_factory=set)

    def object_number(self, oxid: int, ipids: Iterable[str | None]) -> int:
        """OID of the object that has these interfaces; a new one where nobody has seen them."""
        there = [ipid for ipid in ipids if ipid is not None]
        known = next((self.numbers[ipid][1] for ipid in there if ipid in self.numbers), None)
        number = 0x0B01 + len(self.numbers) if known is None else known
        for ipid in there:
            self.numbers.setdefault(ipid, (oxid, number))
        return number

    def request_id(self, given: int | None) -> int:
        """The one given, or the lowest that nobody had."""
        number = given
        if number is None:
            number = next(free for free in range(1, len(self._used) + 2) if free not in self._used)
        self._used.add(number)
        self.last_request_id = number
        return number


@dataclass(frozen=True, slots=True)
class Recipe:
    request: Callable[[Flat, World], Flat]
    """Completes what the script gave."""
    response: Callable[[Flat, Flat, World], Flat]
    """The same, knowing what was asked."""
    left: frozenset[str] = frozenset()
    """Names beyond the declaration's."""
    right: frozenset[str] = frozenset()


def fails(given: Flat) -> bool:
    return bool(given.get("return_value", given.get("status")))


def plain(
    request: Flat | Callable[[Flat, World], Flat], success: Flat | None = None, failure: Flat | None = None
) -> Recipe:
    """Fixed values; a failure is answered like a success unless told otherwise."""
    good = success or {}
    bad = good if failure is None else failure
    ask = request if callable(request) else lambda given, _: {**request, **given}
    return Recipe(ask, lambda given, asked, _: {**asked, **(bad if fails(given) else good), **given})
