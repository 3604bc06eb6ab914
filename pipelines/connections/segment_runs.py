"""Segments of one conversation that follow one another, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from decoders.tcp.model import Segment
    from ingest.choice import Endpoint

_MAX_SEGMENTS: Final = 512
_MAX_BYTES: Final = 1024 * 1024


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
    run: SegmentRun | None = None
    octets = 0
    for key, low, high, segment in rows:
        octets += segment.wire_len
        if (
            run is not None
            and key == run.key
            and low == run.low
            and high == run.high
            and len(run.segments) < _MAX_SEGMENTS
            and octets < _MAX_BYTES
        ):
            run.segments.append(segment)
            continue
        if run is not None:
            yield run
        run, octets = SegmentRun(key, low, high, [segment]), segment.wire_len
    if run is not None:
        yield run
