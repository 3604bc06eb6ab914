"""What one side of a connection sent."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from decoders.limits import MAX_AHEAD_BYTES, MAX_EARLY_ACKS
from decoders.tcp.endings import Ending, How
from decoders.tcp.model import FIN, RST
from decoders.tcp.sequence import distance

if TYPE_CHECKING:
    from decoders.tcp.model import Data, Segment
    from decoders.tcp.stream import Stream


class Half:
    __slots__ = (
        "_placed", "ahead_since_ns", "ahead_to", "duplicates_noted", "early", "fin", "first_ack", "first_seq",
        "gaps_noted", "isn", "last_ack", "packets", "packets_to_reset", "peer_stream", "plain_noted", "reset",
        "sent_syn", "side", "stream",
    )  # fmt: skip

    def __init__(self, stream: Stream, peer_stream: Stream) -> None:
        self.side = stream.sender
        self.stream = stream
        self.peer_stream = peer_stream
        self.packets = 0
        self.first_seq: int | None = None
        self.first_ack: int | None = None
        self.last_ack: int | None = None
        self.ahead_since_ns: int | None = None
        """When it first acknowledged bytes that had not been captured, since the capture was last level with it."""
        self.ahead_to = 0
        """The furthest number that it acknowledged since then; without meaning where there is no such time."""
        self.early: list[tuple[int, int]] = []
        """What it acknowledged, and when, before the other's stream had a place: its SYN-ACK may be captured late."""
        self._placed: deque[tuple[int, int]] = deque()
        """The same by positions, once there are any, of which no byte from there on came out."""
        self.isn: int | None = None
        """Initial sequence number, from its SYN or from the peer's SYN-ACK."""
        self.sent_syn = False
        self.fin: Ending | None = None
        self.reset: Ending | None = None
        """The first of each."""
        self.packets_to_reset = 0
        """Packets up to the first RST, and all other RSTs."""
        self.plain_noted = [False, False]
        """Whether a packet without payload, and one with it, is in the history already."""
        self.gaps_noted = self.duplicates_noted = 0

    @property
    def sent_fin(self) -> bool:
        return self.fin is not None

    @property
    def sent_rst(self) -> bool:
        return self.reset is not None

    def note_ahead(self, ack: int, ts_ns: int) -> None:
        """It acknowledges bytes that have not been captured. An older packet that comes late takes nothing back."""
        if self.ahead_since_ns is None:
            self.ahead_since_ns, self.ahead_to = ts_ns, ack
        elif distance(ack, self.ahead_to) > 0:
            self.ahead_to = ack

    def note_early(self, ack: int, ts_ns: int) -> None:
        if len(self.early) < MAX_EARLY_ACKS and (not self.early or ack != self.early[-1][0]):
            self.early.append((ack, ts_ns))

    def place_early(self) -> None:
        """The other's stream has its place: what was acknowledged before may have been captured after that."""
        if self.peer_stream.settled:
            ends = [(distance(ack, self.peer_stream.base_seq), ts_ns) for ack, ts_ns in self.early]
            self._placed.extend((end, ts_ns) for end, ts_ns in ends if 0 < end <= MAX_AHEAD_BYTES)
            self.early = []

    @property
    def is_level(self) -> bool:
        """Whether all that it acknowledged was captured before, as far as is known."""
        return self.ahead_since_ns is None and not self._placed

    def acknowledged_before_ns(self, data: Data) -> int:
        """How long before these bytes of the other side were captured it acknowledged bytes behind their beginning."""
        placed = self._placed
        while placed and placed[0][0] <= data.offset:
            placed.popleft()
        if placed:
            return max(0, data.ts_ns - placed[0][1])
        since, stream = self.ahead_since_ns, self.peer_stream
        if since is None:
            return 0
        if stream.next + distance(self.ahead_to, stream.next_seq) > data.offset:
            return max(0, data.ts_ns - since)
        self.ahead_since_ns = None
        return 0

    def note_end(self, segment: Segment, peer: Half) -> None:
        """A FIN or RST of this side."""
        flags = segment.flags
        if flags & RST:
            if self.reset is None:
                self.reset = Ending.of(segment, How.RESET, self.last_ack, peer.last_ack)
                self.packets_to_reset = self.packets
            else:
                self.packets_to_reset += 1
        if flags & FIN and self.fin is None:
            self.fin = Ending.of(segment, How.FIN, self.last_ack, peer.last_ack)
