"""Bytes and holes fed to framers and trackers, and what came out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from decoders.dcerpc.call_model import Call, PduOf
from decoders.dcerpc.calls import CallTracker
from decoders.dcerpc.framing import ConnectionFramer, Framed, Framer, Skipped
from decoders.dcerpc.troubles import Trouble
from decoders.tcp.model import Data, Gap, GapReason, Side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoders.dcerpc.call_model import CallEvent

LOW, HIGH = Side.LOW, Side.HIGH
Piece = bytes | int
"""Captured bytes, or how many are missing."""


def events(pieces: Iterable[Piece], sender: Side = LOW, offset: int = 0) -> list[Data | Gap]:
    """One frame a piece, numbered from 1; odd frames from capture 0, even ones from capture 1."""
    made: list[Data | Gap] = []
    for frame, piece in enumerate(pieces, 1):
        if isinstance(piece, int):
            made.append(Gap(sender, offset, piece, GapReason.NOT_CAPTURED, frame, 0, frame))
            offset += piece
        else:
            made.append(Data(sender, offset, piece, frame, frame % 2, frame))
            offset += len(piece)
    return made


def frame_all(pieces: Iterable[Piece], *, from_start: bool = True) -> list[Framed]:
    framer = Framer(LOW)
    out: list[Framed] = []
    for event in events(pieces):
        out += framer.feed(event, from_start=from_start)
    return out + framer.finish()


def sizes(framed: Iterable[Framed]) -> dict[int, int]:
    """Bytes accounted for, by capture."""
    total: dict[int, int] = {}
    for one in framed:
        by_capture = one.bytes_by_capture if isinstance(one, Skipped) else one.origin.bytes_by_capture
        for capture, size in by_capture.items():
            total[capture] = total.get(capture, 0) + size
    return total


def cut(data: bytes, lengths: list[int]) -> list[bytes]:
    chunks: list[bytes] = []
    at = 0
    while at < len(data):
        chunks.append(data[at : at + lengths[len(chunks) % len(lengths)]])
        at += len(chunks[-1])
    return chunks


@dataclass
class Talk:
    """A connection whose client is LOW, told PDU by PDU in the order of their times. All that is sent is received."""

    from_start: bool = True
    events: list[CallEvent] = field(default_factory=list)
    tracker: CallTracker = field(default_factory=CallTracker)
    _framer: ConnectionFramer = field(default_factory=ConnectionFramer)
    _ends: dict[Side, int] = field(default_factory=lambda: {LOW: 0, HIGH: 0})
    _heard: dict[int, int] = field(default_factory=dict)
    _early: int = 0
    """Bytes that the server received and that come out of the client's stream next."""
    _clock: int = 0

    def client(self, *pieces: Piece, at: int | None = None) -> Talk:
        return self._say(LOW, pieces, at)

    def server(self, *pieces: Piece, at: int | None = None) -> Talk:
        return self._say(HIGH, pieces, at)

    def receive(self, late: bytes) -> Talk:
        """The server has received what the client says next."""
        self._early = len(late)
        return self

    def over(self) -> Talk:
        self._take(self._framer.finish())
        self.events += self.tracker.finish()
        return self

    def _say(self, sender: Side, pieces: Iterable[Piece], at: int | None) -> Talk:
        for piece in pieces:
            self._clock += 1
            made = events([piece], sender, self._ends[sender])[0]
            self._ends[sender] += piece if isinstance(piece, int) else len(piece)
            self._heard[self._clock] = self._ends[sender.peer] + self._early
            if sender is LOW:
                self._early = 0
            ts_ns, frame = self._clock if at is None else at, self._clock
            if isinstance(made, Data):
                made = Data(sender, made.offset, made.payload, ts_ns, 0, frame)
            self._take(self._framer.feed(made, from_start=self.from_start and made.offset == 0))
        return self

    def _take(self, framed: Iterable[Framed]) -> None:
        for one in framed:
            if isinstance(one, Skipped):
                self.events += self.tracker.skipped(one)
            else:
                self.events += self.tracker.pdu(one.sender is LOW, one, self._heard[one.origin.frames[0][1]])

    @property
    def calls(self) -> list[Call]:
        return [event for event in self.events if isinstance(event, Call)]

    @property
    def call(self) -> Call:
        (only,) = self.calls
        return only

    @property
    def pdus(self) -> list[PduOf]:
        return [event for event in self.events if isinstance(event, PduOf)]

    @property
    def fates(self) -> list[str]:
        return [str(event.fate) for event in self.pdus]

    @property
    def troubles(self) -> list[Trouble]:
        return [event for event in self.events if isinstance(event, Trouble)]

    @property
    def codes(self) -> list[str]:
        return [str(trouble.code) for trouble in self.troubles]
