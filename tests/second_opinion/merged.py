"""All generated conversations in one capture, so that tshark starts once, and the opinions taken apart again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.builders.conversations import frames, write_pcap
from tests.second_opinion.generated import ends_of
from tests.second_opinion.opinion import Opinion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tests.builders.conversations import Ends, Frame, Packet


def write(path: Path, made: Mapping[str, Sequence[Packet] | Callable[[Ends], list[Packet]]]) -> dict[str, range]:
    """Each conversation with its frames."""
    written: list[Frame] = []
    places = {}
    for number, (name, packets) in enumerate(made.items()):
        ends = ends_of(number, name)
        first = len(written) + 1
        for packet in packets(ends) if callable(packets) else packets:
            written += frames(ends, packet)
        places[name] = range(first, len(written) + 1)
    write_pcap(path, written)
    return places


def part(opinion: Opinion, frames_of_it: range) -> Opinion:
    return Opinion(len(frames_of_it), [stream for stream in opinion.streams if stream.frames[0] in frames_of_it])
