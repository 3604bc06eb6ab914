"""How much is read of what a compressed capture holds: its size says next to nothing of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Bounds:
    most_bytes: int = 64 * 1024**3
    """A task reads so much in half an hour, and a compressed capture is one task."""
    most_times: int = 100
    """Its size. Captures shrink to a third or a tenth, polls that are all alike to a fiftieth."""

    def allowed(self, size: int) -> int:
        return min(self.most_bytes, max(_ALWAYS, size * self.most_times))


_ALWAYS: Final = 1024 * 1024
"""What a small one may hold, however well it shrank."""
BOUNDS: Final = Bounds()
