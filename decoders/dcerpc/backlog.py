"""PDUs of one side that wait for the other: an answer is looked at when all that its sender had received has come out.

The packet with which an answer begins acknowledges what the asking side had sent by then (RFC 9293 3.4). Where that is
more than came out, bytes wait behind a hole, or are missing and hide, it may be, the very request that is answered.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.dcerpc.header import FIXED_BYTES, PacketType
from decoders.limits import MAX_EARLY_ANSWERS, MAX_OPEN_STUB_BYTES

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import AnyPdu

LEAST_REQUEST: Final = FIXED_BYTES[PacketType.REQUEST]
_ANSWERS: Final = (
    PacketType.RESPONSE,
    PacketType.FAULT,
    PacketType.BIND_ACK,
    PacketType.BIND_NAK,
    PacketType.ALTER_CONTEXT_RESP,
)


class Waiting(NamedTuple):
    framed: AnyPdu
    heard: int


class Backlog:
    __slots__ = ("_bytes", "end", "waiting")

    def __init__(self) -> None:
        self.end = 0
        """Where the last PDU of this side ends that came out, waiting or not."""
        self.waiting: deque[Waiting] = deque()
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        return len(self.waiting) > MAX_EARLY_ANSWERS or self._bytes > MAX_OPEN_STUB_BYTES // 2

    def must_wait(self, framed: AnyPdu, heard: int, other: Backlog) -> bool:
        """Whether its sender had received what may be a request and has not come out; or what came before it waits."""
        return bool(self.waiting) or (other.may_hide(heard) and framed.header.packet_type in _ANSWERS)

    def may_hide(self, heard: int) -> bool:
        """Whether a request of this side may be in what the other had received and what has not come out."""
        return heard - self.end >= LEAST_REQUEST

    def add(self, framed: AnyPdu, heard: int) -> None:
        self.waiting.append(Waiting(framed, heard))
        self._bytes += len(framed.data)

    def first(self) -> Waiting:
        found = self.waiting.popleft()
        self._bytes -= len(found.framed.data)
        return found

    def has_heard(self, offset: int) -> bool:
        """Whether one waits first whose sender had received no more than this, but for too little for a request."""
        return bool(self.waiting) and self.waiting[0].heard - offset < LEAST_REQUEST
