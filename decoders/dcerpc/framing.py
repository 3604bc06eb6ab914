"""Ordered bytes of both directions to PDUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.dcerpc.framer import Framer
from decoders.dcerpc.framing_model import (
    AnyPdu,
    BrokenPdu,
    Framed,
    FramedPdu,
    FrameRef,
    Origin,
    Skipped,
    SkipReason,
)
from decoders.tcp.model import Side

if TYPE_CHECKING:
    from decoders.tcp.model import Data, Gap

__all__ = [
    "AnyPdu",
    "BrokenPdu",
    "ConnectionFramer",
    "FrameRef",
    "Framed",
    "FramedPdu",
    "Framer",
    "Origin",
    "SkipReason",
    "Skipped",
]


class ConnectionFramer:
    """Both directions. A side that began with something else is looked at again once its peer speaks DCE/RPC."""

    __slots__ = ("framers",)

    def __init__(self) -> None:
        self.framers = {side: Framer(side) for side in Side}

    def feed(self, event: Data | Gap, *, from_start: bool = False) -> list[Framed]:
        framer = self.framers[event.sender]
        spoke = framer.speaks
        out = framer.feed(event, from_start=from_start)
        if framer.speaks and not spoke:
            self.framers[event.sender.peer].note_peer_speaks()
        return out

    @property
    def in_step(self) -> bool:
        return all(framer.in_step for framer in self.framers.values())

    def finish(self) -> list[Framed]:
        return [framed for framer in self.framers.values() for framed in framer.finish()]
