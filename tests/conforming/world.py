"""One conversation: chance, clock, addresses, names."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tests.conforming.planting import Plant
from tests.conforming.schedule import Schedule
from tests.conforming.stage import Stage
from tests.conforming.truth import Truth

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from tests.conforming.planting import Breach
    from tests.conforming.transport import Call

    T = TypeVar("T")

_FIRST_PORT: Final = 50_001
_ROAMING: Final = 0.12
_AT_HOME: Final = 0.7
_OTHER: Final = 130
"""Between the two addresses of a client."""


class World:
    def __init__(self, seed: int, breach: Breach | None = None) -> None:
        self.plant = Plant(breach)
        self.chance = random.Random(f"conforming {seed}")
        self.manners = random.Random(f"manners {seed}")
        """For what changes bytes and not what happens."""
        self.stage = Stage()
        self.schedule = Schedule(self.stage, self.chance)
        self.truth = Truth()
        self.behalf: dict[str, str] = {}
        """By connection: the person for whom a server of objects asks there; empty: nobody sees who that is."""
        self.history: list[Call] = []
        self.first_group = self.chance.choice((0x0, 0x1000, 0x57A1))
        """Every endpoint of every server counts from there, so equal numbers are common."""
        self.six = self.chance.random() < 0.2
        """IPv6."""
        self.thrifty = random.Random(f"thrift {seed}").random() < 0.5
        """Servers give a number again as soon as nothing has it any more."""
        self._roaming = random.Random(f"roaming {seed}")
        self.truth.roaming = self._roaming.random() < _ROAMING
        """Clients have a second address: a temporary one of IPv6, another card, or a pool of translated ones."""
        self._used: dict[str, int] = {}
        self._ports: dict[str, int] = {}

    def likely(self, share: float) -> bool:
        return self.chance.random() < share

    def one_of(self, choices: Sequence[T]) -> T:
        return self.chance.choice(choices)

    def name(self, kind: str) -> str:
        """c1, c2 ..."""
        self._used[kind] = self._used.get(kind, 0) + 1
        return f"{kind}{self._used[kind]}"

    def address(self, number: int) -> str:
        return f"fd00::{number:x}" if self.six else f"10.0.0.{number}"

    def seen_from(self, address: str) -> str:
        """Where the next connection of a client comes from."""
        if not self.truth.roaming or self._roaming.random() < _AT_HOME:
            return address
        start, mark, number = address.rpartition(":" if self.six else ".")
        return f"{start}{mark}{int(number, 16) + _OTHER:x}" if self.six else f"{start}{mark}{int(number) + _OTHER}"

    def source_port(self, address: str) -> int:
        self._ports[address] = self._ports.get(address, _FIRST_PORT - 1) + 1
        return self._ports[address]

    def rebooted(self, address: str) -> None:
        """Its ports are given out from the beginning."""
        self._ports.pop(address, None)
