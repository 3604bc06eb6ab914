"""Frames of something that may go on in the next file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.dcerpc.framing import FrameRef
    from pipelines.calls.connection import Captures
    from schemas.tables.pdus import FrameElsewhere


def split_frames(
    frames: Sequence[FrameRef], captures: Captures
) -> tuple[str | None, list[int], list[FrameElsewhere] | None]:
    """The first frame's capture, the frames in it, and those in others."""
    if not frames:
        return None, [], None
    first = frames[0][0]
    if len(frames) == 1:
        return captures.capture_id(first), [frames[0][1]], None
    here = [frame for capture, frame in frames if capture == first]
    elsewhere: list[FrameElsewhere] | None = None
    if len(here) < len(frames):
        others = [(capture, frame) for capture, frame in frames if capture != first]
        elsewhere = [{"capture_id": captures.capture_id(capture), "frame": frame} for capture, frame in others]
    return captures.capture_id(first), here, elsewhere
