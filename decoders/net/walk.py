"""A position in a packet, and how far the headers passed so far say that it reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from decoders.errors import Malformed, Truncated
from decoders.net.model import IpFragment, PacketOutcome, SetAside

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.net.model import Dissected

    Layer: TypeAlias = Callable[["Walk"], Dissected]


@dataclass(slots=True)
class Walk:
    packet: bytes
    end: int
    """End of the captured bytes of this layer."""
    wire_end: int
    """End of this layer on the wire; never before `end`."""
    bounded: bool
    """Whether an IP header fixed wire_end: what reaches beyond it is then a contradiction and not a cut."""
    src: bytes = b""
    dst: bytes = b""
    at: int = 0
    depth: int = 0
    """Encapsulations unwrapped."""
    sized: bool = True
    """Whether the innermost IP header gave its length; 0 is left there by segmentation offload."""

    def require(self, size: int, what: str) -> None:
        if self.at + size <= self.end:
            return
        if self.bounded and self.at + size > self.wire_end:
            raise Malformed(f"{what} does not fit in its datagram", self.at)
        raise Truncated(f"{what} is cut", self.at)

    def take(self, size: int, what: str) -> bytes:
        self.require(size, what)
        self.at += size
        return self.packet[self.at - size : self.at]

    def bound(self, start: int, size: int) -> None:
        """An IP datagram of `size` bytes begins at `start`; size 0 leaves the bounds of what carries it."""
        self.sized = size > 0
        if self.sized:
            self.wire_end = start + size
            self.end = min(self.end, self.wire_end)
            self.bounded = True

    def fragment(self, protocol: int, identification: int, offset: int, more: int) -> IpFragment:
        if not self.sized:
            raise Malformed("fragment without a length", self.at)
        return IpFragment(
            src=self.src,
            dst=self.dst,
            protocol=protocol,
            identification=identification,
            fragment_offset=offset,
            more=bool(more),
            payload_offset=self.at,
            payload_len=self.end - self.at,
            payload_wire_len=self.wire_end - self.at,
        )

    def aside(self, outcome: PacketOutcome, detail: str) -> SetAside:
        return SetAside(outcome, detail, self.at)


def run(layer: Layer, walk: Walk) -> Dissected:
    try:
        return layer(walk)
    except Truncated as cut:
        return SetAside(PacketOutcome.HEADER_CUT, cut.detail, cut.offset)
    except Malformed as wrong:
        return SetAside(PacketOutcome.MALFORMED, wrong.detail, wrong.offset)
