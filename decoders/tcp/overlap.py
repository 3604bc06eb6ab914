"""Where two copies of the same bytes differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Overlap:
    """What one segment repeats of bytes already known, added up over the stretches it touches."""

    duplicate: int = 0
    late: int = 0
    differing: int = 0
    first_difference: int = -1

    def compare(self, position: int, kept: bytes, copy: bytes) -> None:
        """Note the differences of two copies, equally long, of the bytes from `position` on."""
        if kept == copy:
            return
        # As big integers, since a loop over the bytes of every differing segment is what a hostile peer would ask for.
        difference = (int.from_bytes(kept, "big") ^ int.from_bytes(copy, "big")).to_bytes(len(kept), "big")
        self.differing += len(difference) - difference.count(0)
        if self.first_difference < 0:
            self.first_difference = position + len(difference) - len(difference.lstrip(b"\0"))
