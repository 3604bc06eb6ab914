"""What shows, beyond a call id, that an answer belongs to a request.

[MS-RPCE] 3.3.3.5.2 has call ids increase, but some clients use one id for all their calls, one after the other, and a
hostile one any. Where bytes of the asking side are missing since a request, another with its call id may be among them:
an answer is paired with none. Where bytes of the answering side are missing, the next answer may be that to a later
request. It is paired only if the client was seen to count its calls, or if the hole has room for no answer: a
connection begins with a bind, and its bind_ack must be in a hole at the server's start.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.dcerpc.backlog import LEAST_REQUEST
from decoders.dcerpc.header import FIXED_BYTES, PacketType
from decoders.limits import MAX_GAPS_REMEMBERED

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import AnyPdu, FrameRef

    Began: TypeAlias = tuple[int, FrameRef]
    """Time and frame of something's first byte."""

NEVER: Final = (-1, (-1, -1))
_LEAST_ANSWER: Final = FIXED_BYTES[PacketType.RESPONSE]
_LEAST_ACK: Final = 32
_RESULT_BYTES: Final = 24


class Evidence:
    __slots__ = (
        "_ack_bytes", "_ends", "_forgotten", "_heard", "_highest", "_holes", "_reuses", "_several", "_silences",
        "hidden",
    )  # fmt: skip

    def __init__(self) -> None:
        self._ends: dict[bool, int] = {True: 0, False: 0}
        """Per direction: the offset where the next PDU begins if none is missing."""
        self._holes: dict[bool, Began] = {True: NEVER, False: NEVER}
        """Per direction: when the first PDU after the last hole that may hide an answer was sent."""
        self._silences: dict[bool, deque[tuple[int, int]]] = {True: deque(), False: deque()}
        """Per direction: from where to where bytes are missing that may hide a request."""
        self._forgotten: dict[bool, int] = {True: 0, False: 0}
        """Per direction: where the last of those that are not kept ends."""
        self._heard = 0
        self.hidden = False
        """Whether the sender of the PDU noted last had received what may be requests and has not come out."""
        self._ack_bytes: int | None = None
        """The least that the answer to the bind has that began the connection, if one did."""
        self._highest = -1
        self._several = False
        self._reuses = False

    def note_pdu(self, from_client: bool, framed: AnyPdu, heard: int, *, hidden: bool) -> bool:
        """Whether bytes are missing in front of it."""
        self._heard, self.hidden = heard, hidden
        expected, self._ends[from_client] = self._ends[from_client], framed.end
        if expected == framed.offset:
            if from_client and not expected and framed.header.packet_type is PacketType.BIND:
                self._ack_bytes = _least_ack(framed)
            return False
        if not 0 < framed.offset - expected < LEAST_REQUEST:
            self._note_silence(from_client, expected, framed.offset)
        if from_client or expected or not self._is_bind_ack(framed.offset):
            self._holes[from_client] = framed.origin.began
        return True

    def _is_bind_ack(self, missing: int) -> bool:
        """Whether the bytes missing before the server's first PDU are too few for a bind_ack and any answer."""
        return self._ack_bytes is not None and missing < self._ack_bytes + _LEAST_ANSWER

    def _note_silence(self, from_client: bool, start: int, end: int) -> None:
        silences = self._silences[from_client]
        silences.append((start, end))
        if len(silences) > MAX_GAPS_REMEMBERED:
            self._forgotten[from_client] = silences.popleft()[1]

    def note_level(self, client_end: int, server_end: int, heard: int) -> None:
        """Up to there PDUs came in turn, and nothing of them is missing."""
        self._ends[True], self._ends[False] = client_end, server_end
        self._heard, self.hidden = heard, False

    def may_have_asked(self, from_client: bool, since: int) -> bool:
        """Whether this side may have asked what was not captured, behind `since` and before the PDU noted last."""
        if self.hidden or since < self._forgotten[from_client]:
            return True
        for start, end in reversed(self._silences[from_client]):
            if end <= since:
                return False
            if start < self._heard:
                return True
        return False

    def note_request(self, call_id: int) -> None:
        """A call of the client, not made inside a callback: there the id stays the same."""
        self._several = self._several or self._highest >= 0
        self._reuses = self._reuses or call_id <= self._highest
        self._highest = max(self._highest, call_id)

    @property
    def counts_up(self) -> bool:
        return self._several and not self._reuses

    def hole(self, from_client: bool) -> Began:
        """No answer that this side sent later is missing, as far as its PDUs have come out."""
        return self._holes[from_client]


def _least_ack(bind: AnyPdu) -> int | None:
    """[C706] 12.6.4.4: one result for each context, and an empty address. None where the bind is cut before them."""
    return _LEAST_ACK + _RESULT_BYTES * bind.data[24] if len(bind.data) > 24 else None
