"""What either side says about a capture, in the same words."""

from __future__ import annotations

from dataclasses import dataclass, field

Piece = bytes | int
"""Bytes, or the size of a hole."""


@dataclass(slots=True)
class Stream:
    """One TCP connection. Directions have the sender's address and port as their key."""

    frames: list[int] = field(default_factory=list)
    directions: dict[str, list[Piece]] = field(default_factory=dict)
    rpc: bool = False
    """Whether connection-oriented DCE/RPC was seen in it, not counting named pipes."""

    def add(self, sender: str, piece: Piece) -> None:
        pieces = self.directions.setdefault(sender, [])
        last = pieces[-1] if pieces else None
        if isinstance(last, int) and isinstance(piece, int):
            pieces[-1] = last + piece
        elif isinstance(last, bytes) and isinstance(piece, bytes):
            pieces[-1] = b"".join((last, piece))
        elif piece:
            pieces.append(piece)


@dataclass(slots=True)
class Opinion:
    packets: int
    streams: list[Stream]
    """In the order of their first frame."""
