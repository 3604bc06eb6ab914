"""Packets as they are sent, when, and which of them were captured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.builders.conversations import ACK, PSH, Frame, frames

if TYPE_CHECKING:
    from tests.builders.conversations import Talk

START_US: Final = 1_767_600_000_000_000
"""2026-01-05 08:00:00 UTC."""
STEP_US: Final = 1_000
_SEGMENT: Final = 1_400


@dataclass(frozen=True, slots=True)
class Timed:
    ts_us: int
    frame: Frame
    line: int
    """Of the script."""
    about: str
    tap: str = ""


class Tape:
    def __init__(self) -> None:
        self.frames: list[Timed] = []
        self.pause_us = 0
        """From the last packet to the next, if not one step."""
        self._last_us: int | None = None
        self._taps: dict[Talk, str] = {}

    def place(self, talk: Talk, tap: str) -> None:
        """Says where it is captured."""
        self._taps[talk] = tap

    @property
    def next_us(self) -> int:
        if self._last_us is None:
            return START_US + self.pause_us
        return self._last_us + (self.pause_us or STEP_US)

    def say(self, talk: Talk, line: int, about: str, data: bytes, *, from_client: bool, lost: bool) -> None:
        for at in range(0, len(data), _SEGMENT):
            payload = data[at : at + _SEGMENT]
            self.send(talk, line, about, PSH | ACK, payload, from_client=from_client, lost=lost)

    def send(
        self,
        talk: Talk,
        line: int,
        about: str,
        flags: int,
        payload: bytes = b"",
        *,
        from_client: bool = True,
        lost: bool = False,
    ) -> None:
        """A lost packet was sent, and is not in the capture."""
        now, self.pause_us = self.next_us, 0
        self._last_us = now
        talk.send(payload, flags, from_client=from_client)
        if not lost:
            (frame,) = frames(talk.ends, talk.packets[-1])
            self.frames.append(Timed(now, frame, line, about, self._taps.get(talk, "")))
