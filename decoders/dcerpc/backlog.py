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
    from collections.abc import Iterator

    from decoders.dcerpc.framing_model import AnyPdu

LEAST_REQUEST: Final = FIXED_BYTES[PacketType.REQUEST]
_ANSWERS: Final = frozenset((PacketType.RESPONSE, PacketType.FAULT))


class Waiting(NamedTuple):
    framed: AnyPdu
    heard: int


class Backlog:
    __slots__ = ("_bytes", "_waiting", "end")

    def __init__(self) -> None:
        self.end = 0
        """Where the last PDU of this side ends that came out, waiting or not."""
        self._waiting: deque[Waiting] = deque()
        self._bytes = 0

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def is_full(self) -> bool:
        return len(self._waiting) > MAX_EARLY_ANSWERS or self._bytes > MAX_OPEN_STUB_BYTES // 2

    def must_wait(self, framed: AnyPdu, heard: int, other: Backlog) -> bool:
        """Whether its sender had received what may be a request and has not come out; or what came before it waits."""
        return bool(self._waiting) or (framed.header.packet_type in _ANSWERS and other.may_hide(heard))

    def may_hide(self, heard: int) -> bool:
        """Whether a request of this side may be in what the other had received and what has not come out."""
        return heard - self.end >= LEAST_REQUEST

    def add(self, framed: AnyPdu, heard: int) -> None:
        self._waiting.append(Waiting(framed, heard))
        self._bytes += len(framed.data)

    def first(self) -> Waiting:
        found = self._waiting.popleft()
        self._bytes -= len(found.framed.data)
        return found

    def heard_by(self, offset: int) -> Iterator[Waiting]:
        """Those in front whose sender had received no more than this, but for too few bytes for a request."""
        while self._waiting and self._waiting[0].heard - offset < LEAST_REQUEST:
            yield self.first()
