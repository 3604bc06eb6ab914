"""A protected PDU, and what opens those of one direction, whatever mechanism protects them."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

_TRAILER_BYTES: Final = 8


class SealedPdu(NamedTuple):
    data: bytes
    starts: tuple[int, ...]
    """Where the body may begin."""
    end: int
    """Behind the body and its padding, where the security trailer begins."""
    token: bytes
    sealed: bool

    def head(self, start: int) -> bytes:
        return self.data[:start]

    def body(self, start: int) -> bytes:
        """As it was sent, with its padding."""
        return self.data[start : self.end]

    @property
    def trailer(self) -> bytes:
        return self.data[self.end : self.end + _TRAILER_BYTES]

    def whole(self, start: int, body: bytes) -> bytes:
        """What is signed where the header is: [MS-RPCE] 3.3.1.5.2.2."""
        return self.head(start) + body + self.trailer


class Lane(Protocol):
    """One direction of a security context."""

    @property
    def lost_because(self) -> str:
        """Of a PDU that could not be opened although nothing proves it forged."""

    @property
    def in_step(self) -> bool:
        """A signature that does not fit the next PDU can only be wrong."""

    def miss(self, size: int) -> None:
        """So many bytes of the direction are missing, or could not be opened."""

    def open(self, pdu: SealedPdu) -> bytes | None:
        """The PDU with its body in plain text. None: the signature does not fit."""

    def peek(self, body: bytes) -> bytes | None:
        """The beginning of a sealed body whose rest, and signature, are missing. None: it cannot be read."""
