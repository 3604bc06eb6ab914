"""What else a network has, as bench/traffic.py makes it, in chapters: memory does not grow with the capture."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from bench.frames import frame_lengths, frames
from bench.realistic.copies import Frames
from bench.traffic import PACKETS_PER_CONVERSATION, Traffic, make_traffic

_CHAPTER_PACKETS: Final = 320_000
_PACKET_BYTES: Final = 295
"""Of the file, on average."""
_FULL_SHARE: Final = 0.07
"""Of full packets."""
_CHAPTER_CONVERSATIONS: Final = _CHAPTER_PACKETS // PACKETS_PER_CONVERSATION
"""A multiple of 64, the conversations of one client address."""


class Background:
    """Asked for everything until some moment, again and again, later every time."""

    def __init__(self, size: int, begin_us: int, span_us: int, seed: int) -> None:
        self._packets = size // _PACKET_BYTES
        self._begin_us, self._span_us, self._seed = begin_us, span_us, seed
        self._given = 0
        self._chapter: Traffic | None = None

    def until(self, ts_us: int) -> Frames:
        due = min(self._packets, self._packets * (ts_us - self._begin_us) // self._span_us)
        found = [_nothing()]
        while self._given < due:
            place = self._given % _CHAPTER_PACKETS
            count = min(due - self._given, _CHAPTER_PACKETS - place)
            found.append(self._made(self._read(self._given // _CHAPTER_PACKETS, place, count)))
            self._given += count
        return Frames(*(np.concatenate(columns) for columns in zip(*found, strict=True)))

    def _read(self, chapter: int, place: int, count: int) -> Traffic:
        if place == 0 or self._chapter is None:
            made = make_traffic(_CHAPTER_PACKETS, self._seed + chapter, full_share=_FULL_SHARE)
            # Conversations begin and end in their chapter, and packets come evenly.
            nth = chapter * _CHAPTER_PACKETS + np.arange(_CHAPTER_PACKETS)
            self._chapter = replace(
                made,
                conversation=made.conversation + chapter * _CHAPTER_CONVERSATIONS,
                ts_us=self._begin_us + nth * self._span_us // self._packets,
            )
        return self._chapter.part(slice(place, place + count))

    def _made(self, part: Traffic) -> Frames:
        return Frames(frames(part, self._seed + self._given, vxlan=False), frame_lengths(part, vxlan=False), part.ts_us)


def _nothing() -> Frames:
    return Frames(np.zeros(0, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64))
