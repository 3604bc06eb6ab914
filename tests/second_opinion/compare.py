"""Two opinions side by side, and the table of where they are known to differ."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.second_opinion.opinion import Opinion, Piece, Stream

TABLE: Final = Path(__file__).with_name("differences.toml")


@dataclass(frozen=True, slots=True)
class Difference:
    capture: str
    """File name, or the name of a generated conversation."""
    kind: str
    """`streams`: which frames make a stream; `numbers`: where the table `flows` counts a new one; `bytes`: what a side
    sent; `rpc`: whether it is DCE/RPC."""
    stream: int
    """Number among those of the capture or conversation, as tshark counts."""
    ours: str
    tshark: str


def differences(capture: str, ours: Opinion, theirs: Opinion, first_frame: int = 1) -> set[Difference]:
    """Streams are compared where both have the same frames in them; frames are told from `first_frame` on."""
    by_frames = {tuple(stream.frames): stream for stream in ours.streams}
    told = (_places(opinion.streams, first_frame) for opinion in (ours, theirs))
    found = set()
    if by_frames.keys() != {tuple(stream.frames) for stream in theirs.streams}:
        found.add(Difference(capture, "streams", 0, *told))
    for number, stream in enumerate(theirs.streams):
        own = by_frames.get(tuple(stream.frames))
        if own is None:
            continue
        senders = sorted(own.directions.keys() | stream.directions.keys())
        differing = [name for name in senders if own.directions.get(name) != stream.directions.get(name)]
        if differing:
            told = (_sizes(one.directions.get(name, ()) for name in differing) for one in (own, stream))
            found.add(Difference(capture, "bytes", number, *told))
        if own.rpc != stream.rpc:
            found.add(Difference(capture, "rpc", number, *("yes" if one.rpc else "no" for one in (own, stream))))
    return found


def listed(capture: str, *kinds: str, right: str | None = None) -> set[Difference]:
    return {
        Difference(capture, row["kind"], stream, row["ours"], row["tshark"])
        for row in table()
        if row["kind"] in kinds and capture in row["captures"] and right in (None, row["right"])
        for stream in row["streams"]
    }


def table() -> list[dict[str, Any]]:
    with TABLE.open("rb") as file:
        return list(tomllib.load(file)["difference"])


def _places(streams: Iterable[Stream], first_frame: int) -> str:
    """Frames of each stream, as `0-2 5 | 3-4`."""
    return " | ".join(_ranges([frame - first_frame for frame in stream.frames]) for stream in streams)


def _ranges(numbers: list[int]) -> str:
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return " ".join("-".join(map(str, span)) for span in spans)


def _sizes(directions: Iterable[Iterable[Piece]]) -> str:
    """Bytes and [missing bytes] of each direction, as `300 [100] 800 / nothing`."""
    told = (
        " ".join(f"[{piece}]" if isinstance(piece, int) else str(len(piece)) for piece in one) for one in directions
    )
    return " / ".join(one or "nothing" for one in told)
