"""Who ended a connection: the first FIN and RST of each side, and which of the two sides knew of the other's.

Numbers decide, not the order of capture: a FIN that acknowledges the other side's FIN answers it (RFC 9293 3.6). What
was not captured leaves its mark in them too, as an acknowledged number that no packet has.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.tcp.model import ACK, SYN, Side
from decoders.tcp.sequence import add, distance

if TYPE_CHECKING:
    from decoders.tcp.half import Half
    from decoders.tcp.model import Segment


class How(enum.StrEnum):
    FIN = "fin"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class Ending:
    """A FIN or RST."""

    sender: Side
    how: How
    ts_ns: int
    capture: int
    frame: int
    seq: int
    """Of the byte after its payload: a FIN has that number itself."""
    ack: int | None
    """None: it acknowledges nothing, as the RST of a host that knows no such connection (RFC 9293 3.5.2)."""
    acked_before: int | None
    """What its sender had acknowledged before."""
    peer_acked: int | None
    """What the other side had acknowledged before."""

    @classmethod
    def of(cls, segment: Segment, how: How, acked_before: int | None, peer_acked: int | None) -> Ending:
        size = segment.wire_len + bool(segment.flags & SYN) if how is How.FIN else 0
        ack = segment.ack if segment.flags & ACK else None
        place = segment.ts_ns, segment.capture, segment.frame
        return cls(segment.sender, how, *place, add(segment.seq, size), ack, acked_before, peer_acked)


_FIRST: Final[dict[tuple[bool | None, bool | None], Side]] = {(False, True): Side.LOW, (True, False): Side.HIGH}
"""By whether each side knew of the other's end."""


def endings(low: Half, high: Half) -> list[Ending]:
    """Those that stand where the bytes of their side end, in the order of capture."""
    found = [one for half in (low, high) for one in (half.fin, half.reset) if one is not None]
    sides = low, high
    return sorted((one for one in found if _fits(one, sides[one.sender], sides[one.sender.peer])), key=_moment)


def ended_by(low: Half, high: Half) -> Side | None:
    """The side that ended it before it knew that the other side had; None: nobody can tell."""
    if not (_seen_to_its_end(low) and _seen_to_its_end(high)):
        return None
    knew: list[bool | None] = []
    for half, peer in ((low, high), (high, low)):
        first = min((one for one in (half.fin, half.reset) if one is not None), key=_moment, default=None)
        if first is not None and not _fits(first, half, peer):
            return None
        knew.append(True if first is None else _knew(first, peer))
    return _FIRST.get((knew[0], knew[1]))


def _seen_to_its_end(half: Half) -> bool:
    stream = half.stream
    # Where the capture begins in the middle and a side says nothing, its FIN may have been before.
    began = half.isn is not None or stream.delivered > 0
    return stream.settled and began and stream.gap_end != stream.next


def _fits(ending: Ending, half: Half, peer: Half) -> bool:
    if not (half.stream.settled and peer.stream.settled):
        return False
    at_end = {half.stream.next_seq}
    if ending.how is How.RESET:
        if half.packets > half.packets_to_reset:
            return False  # it goes on: the RST was another's
        if half.sent_fin:
            at_end.add(add(half.stream.next_seq, 1))
    return ending.seq in at_end and (ending.ack is None or distance(ending.ack, peer.stream.next_seq) <= 1)


def _knew(ending: Ending, peer: Half) -> bool | None:
    """Whether its sender had received the other side's FIN, which has the number after the last byte."""
    acked = ending.acked_before if ending.ack is None else ending.ack
    if acked is not None and distance(acked, peer.stream.next_seq) == 1:
        # One that was acknowledged before it came is sent again: the first of it may have known less.
        return None if _sent_again(ending) else True
    return None if ending.ack is None else False


def _sent_again(ending: Ending) -> bool:
    return ending.how is How.FIN and ending.peer_acked is not None and distance(ending.peer_acked, ending.seq) > 0


def _moment(ending: Ending) -> tuple[int, int, int]:
    return ending.ts_ns, ending.capture, ending.frame
