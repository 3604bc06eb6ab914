"""Where everything that follows from a PDU is noted, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from decoders.dcerpc.troubles import Trouble

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import CallEvent, PduFate
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.troubles import CallKey, TroubleCode

    PduReport: TypeAlias = tuple[CallKey | None, PduFate]
    """What became of a PDU: the call it is part of, and its fate."""


class CallReport:
    __slots__ = ("_events",)

    def __init__(self) -> None:
        self._events: list[CallEvent] = []

    def add(self, event: CallEvent) -> None:
        self._events.append(event)

    def trouble(self, code: TroubleCode, detail: str, framed: AnyPdu, call: CallKey | None = None) -> None:
        capture, frame = framed.origin.frames[0]
        self.add(Trouble(code, detail, framed.sender, capture, frame, framed.offset, call))

    def take(self) -> list[CallEvent]:
        """All since the last time."""
        events, self._events = self._events, []
        return events


def name_of(framed: AnyPdu) -> str:
    return f"{framed.header.packet_type.name.lower()} with call id {framed.header.call_id}"
