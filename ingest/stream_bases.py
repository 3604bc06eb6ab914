"""What Wireshark compares a SYN with to tell whether it begins another tcp.stream.

Each side of a conversation has a base: the number before the first one it was seen to use, or before the first one the
peer was seen to acknowledge, whichever came first. Frame and base share 64 bits, so that the earliest is the smallest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.tcp.model import ACK, SYN

if TYPE_CHECKING:
    from decoders.net.model import Column

NEVER: Final = np.iinfo(np.int64).max
NUMBER_BITS: Final = 32
_MASK: Final = (1 << NUMBER_BITS) - 1


def stream_bases(frames: Column, from_low: Column, seq: Column, ack: Column, flags: Column) -> tuple[Column, Column]:
    """For each packet what it says about the base of the lower and of the higher endpoint: frame << 32 | number."""
    place = frames.astype(np.int64) << NUMBER_BITS
    # A SYN takes a number of its own, so without one the base lies one before.
    own = place | (seq.astype(np.int64) - ((flags & SYN) == 0)) & _MASK
    peer = np.where(flags & ACK, place | (ack.astype(np.int64) - 1) & _MASK, NEVER)
    return np.where(from_low, own, peer), np.where(from_low, peer, own)
