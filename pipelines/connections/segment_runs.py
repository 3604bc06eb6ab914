"""Segments of one conversation that follow one another, put together."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, groupby, islice
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from decoders.tcp.model import Segment
    from ingest.choice import Endpoint

_MAX_SEGMENTS: Final = 512
_MAX_BYTES: Final = 1024 * 1024
_SEGMENT, _WIRE_LEN = attrgetter("segment"), attrgetter("wire_len")


class SegmentRow(NamedTuple):
    """A row of schemas.internal.SEGMENTS."""

    key: int
    low: Endpoint
    high: Endpoint
    segment: Segment


class SegmentRun(NamedTuple):
    key: int
    low: Endpoint
    high: Endpoint
    segments: list[Segment]


def runs(rows: Iterable[SegmentRow]) -> Iterator[SegmentRun]:
    for (key, low, high), some in groupby(rows, itemgetter(0, 1, 2)):
        segments = map(_SEGMENT, some)
        while held := list(islice(segments, _MAX_SEGMENTS)):
            yield from (SegmentRun(key, low, high, portion) for portion in _portions(held))


def _portions(segments: list[Segment]) -> Iterator[list[Segment]]:
    """Of _MAX_BYTES each; most have less."""
    ends = list(accumulate(map(_WIRE_LEN, segments)))
    begun = 0
    while begun < len(segments):
        before = ends[begun - 1] if begun else 0
        until = max(bisect_right(ends, before + _MAX_BYTES), begun + 1)
        yield segments[begun:until]
        begun = until
