"""What tshark says about a capture."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.second_opinion.opinion import Opinion, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FIELDS = ("frame.number", "tcp.stream", "frame.protocols", "dcerpc.ver")
_NODE = re.compile(r"Node ([01]): (.*)")
_HOLE = re.compile(rb"\[(\d+) bytes missing in capture file\]\0")


def tshark() -> str:
    found = shutil.which("tshark")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("tshark is not installed")
        pytest.skip("tshark is not installed")
    return found


@cache
def theirs(path: Path) -> Opinion:
    streams: dict[int, Stream] = {}
    packets = 0
    fields = [argument for name in _FIELDS for argument in ("-e", name)]
    # The last occurrence: where TCP is inside a tunnel, the inner header.
    for line in _run(path, "-T", "fields", "-E", "occurrence=l", *fields).splitlines():
        number, stream, protocols, version = line.split("\t")
        packets += 1
        if not stream:
            continue
        one = streams.setdefault(int(stream), Stream())
        one.frames.append(int(number))
        one.rpc |= version == "5" and ":tcp:dcerpc" in protocols
    if streams:
        assert sorted(streams) == list(range(len(streams)))
        follow = [argument for stream in streams for argument in ("-z", f"follow,tcp,raw,{stream}")]
        _take_bytes(streams, _run(path, "-q", *follow))
    return Opinion(packets, [streams[number] for number in sorted(streams)])


def stream_of_frames(path: Path) -> list[int]:
    """Where every frame is TCP."""
    return [int(number) for number in _run(path, "-T", "fields", "-e", "tcp.stream").split()]


def _run(path: Path, *arguments: str) -> str:
    command = [tshark(), "-n", "-r", str(path), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _take_bytes(streams: dict[int, Stream], output: str) -> None:
    stream, nodes = Stream(), ["", ""]
    for line in output.splitlines():
        if line.startswith("Filter: tcp.stream eq "):
            stream = streams[int(line.rpartition(" ")[2])]
        elif found := _NODE.match(line):
            nodes[int(found[1])] = found[2]
        elif line and not line.startswith(("=", "Follow: ")):
            for piece in _pieces(bytes.fromhex(line)):
                stream.add(nodes[line.startswith("\t")], piece)


def _pieces(data: bytes) -> Iterator[bytes | int]:
    """Holes are told as text between the bytes."""
    for place, part in enumerate(_HOLE.split(data)):
        yield int(part) if place % 2 else part
