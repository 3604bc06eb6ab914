"""What shows, beyond a call id, that an answer belongs to a request.

[MS-RPCE] 3.3.3.5.2 has call ids increase, but some clients use one id for all their calls, one after the other. Where
bytes of the answering side are missing, the next answer may be that to a later request, which may be missing as well.
It is paired only if the client was seen to count its calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import AnyPdu, FrameRef

    Began: TypeAlias = tuple[int, FrameRef]
    """Time and frame of something's first byte."""

_NEVER: Final = (-1, (-1, -1))


class Evidence:
    __slots__ = ("_ends", "_highest", "_holes", "_reuses", "_several")

    def __init__(self) -> None:
        self._ends: dict[bool, int] = {True: 0, False: 0}
        """Per direction: the offset where the next PDU begins if none is missing."""
        self._holes: dict[bool, Began] = {True: _NEVER, False: _NEVER}
        """Per direction: when the first PDU after the last hole was sent."""
        self._highest = -1
        self._several = False
        self._reuses = False

    def note_pdu(self, from_client: bool, framed: AnyPdu) -> bool:
        """Whether bytes are missing in front of it."""
        expected, self._ends[from_client] = self._ends[from_client], framed.end
        if expected == framed.offset:
            return False
        self._holes[from_client] = framed.origin.began
        return True

    def note_request(self, call_id: int) -> None:
        """A call of the client, not made inside a callback: there the id stays the same."""
        self._several = self._several or self._highest >= 0
        self._reuses = self._reuses or call_id <= self._highest
        self._highest = max(self._highest, call_id)

    @property
    def counts_up(self) -> bool:
        return self._several and not self._reuses

    def hole(self, from_client: bool) -> Began:
        """No byte that this side sent later is missing, as far as its PDUs have come out."""
        return self._holes[from_client]
