"""What tshark says about a capture."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING

from tests.second_opinion.opinion import Opinion, Stream
from tests.tools import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FIELDS = ("frame.number", "tcp.stream", "frame.protocols", "dcerpc.ver")
_NODE = re.compile(r"Node ([01]): (.*)")
_HOLE = re.compile(rb"\[(\d+) bytes missing in capture file\]\0")


@cache
def theirs(path: Path, at_most: int = 32) -> Opinion:
    """In one run of tshark, which is why the number of streams has to be bounded beforehand."""
    fields = [argument for name in _FIELDS for argument in ("-e", name)]
    follow = [argument for stream in range(at_most) for argument in ("-z", f"follow,tcp,raw,{stream}")]
    # The last occurrence: where TCP is inside a tunnel, the inner header.
    output = _run(path, "-T", "fields", "-E", "occurrence=l", *fields, *follow)
    frames, _, followed = output.partition("\n=====")
    streams: dict[int, Stream] = {}
    for line in (lines := frames.splitlines()):
        number, stream, protocols, version = line.split("\t")
        if stream:
            one = streams.setdefault(int(stream), Stream())
            one.frames.append(int(number))
            one.rpc |= version == "5" and ":tcp:dcerpc" in protocols
    assert sorted(streams) == list(range(len(streams)))
    assert len(streams) <= at_most
    _take_bytes(streams, followed)
    return Opinion(len(lines), [streams[number] for number in sorted(streams)])


def stream_of_frames(path: Path) -> list[int]:
    """Where every frame is TCP."""
    return [int(number) for number in _run(path, "-T", "fields", "-e", "tcp.stream").split()]


def _run(path: Path, *arguments: str) -> str:
    command = [need("tshark"), "-n", "-r", str(path), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _take_bytes(streams: dict[int, Stream], output: str) -> None:
    stream, nodes = Stream(), ["", ""]
    for line in output.splitlines():
        if line.startswith("Filter: tcp.stream eq "):
            stream = streams.get(int(line.rpartition(" ")[2]), Stream())
        elif found := _NODE.match(line):
            nodes[int(found[1])] = found[2]
        elif line and not line.startswith(("=", "Follow: ")):
            for piece in _pieces(bytes.fromhex(line)):
                stream.add(nodes[line.startswith("\t")], piece)


def _pieces(data: bytes) -> Iterator[bytes | int]:
    """Holes are told as text between the bytes."""
    for place, part in enumerate(_HOLE.split(data)):
        yield int(part) if place % 2 else part
