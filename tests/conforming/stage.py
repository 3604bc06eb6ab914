"""The script as it grows, with its packets and its clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.scripts.player import Player

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.tape import Timed

Value = int | str
"""A string stands in the script as it is: a name, a number, a text with its quotes."""


class Stage:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.parts: list[str] = []
        """To what each line belongs: `u3/r5` is a read of the use `u3` of a queue."""
        self._player = Player()

    def say(self, line: str, part: str = "") -> None:
        self._player.read(line)
        self.lines.append(line)
        self.parts.append(part)

    def wait(self, us: int) -> None:
        self.say(f"wait {us}us")

    @property
    def now_us(self) -> int:
        return self._player.tape.next_us

    @property
    def last_us(self) -> int:
        """When the last packet was sent."""
        return self._player.tape.frames[-1].ts_us

    @property
    def script(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def frames(self) -> list[Timed]:
        return self._player.tape.frames


def written(values: Mapping[str, Value]) -> str:
    return " ".join(f"{name}={value}" for name, value in values.items())


def text(value: str) -> str:
    return f'"{value}"'
