"""What the peer's ACKs prove about bytes that were not captured."""

from __future__ import annotations

from collections import deque

from decoders.limits import REORDER_GRACE_PACKETS


class PeerAcks:
    """ACKs ahead of the stream; one is proof once REORDER_GRACE_PACKETS packets of the connection followed it."""

    __slots__ = ("_young", "next_then", "proven")

    def __init__(self) -> None:
        self._young: deque[tuple[int, int, int]] = deque()
        self.proven = 0
        """Position up to which the peer has everything."""
        self.next_then = 0
        """Where the stream stood when that ACK came."""

    def __len__(self) -> int:
        return len(self._young)

    @property
    def furthest(self) -> int:
        """Highest position of those that are not proof yet."""
        return self._young[-1][1] if self._young else 0

    def note(self, packet: int, position: int, stream_next: int) -> None:
        self.expire(packet)
        if not self._young or position > self._young[-1][1]:
            self._young.append((packet, position, stream_next))

    def expire(self, packet: int) -> None:
        """Let the ACKs that are old enough become proof. Called for every noted one: none is older than the grace."""
        young = self._young
        while young and packet - young[0][0] >= REORDER_GRACE_PACKETS:
            _, self.proven, self.next_then = young.popleft()
