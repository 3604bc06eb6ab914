"""Captures with packets taken out, and what is then held against anybody, in the numbering of the whole capture."""

from __future__ import annotations

import struct
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.pipelines.rules.fixtures import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

Row = dict[str, Any]
Accusation: TypeAlias = tuple[str, str, str, tuple[int, ...]]
"""Rule, client, server, and the first frames of request and response; of a detection no frames, since a count may be
reached elsewhere."""
_HEADER_BYTES = 24


def records(capture: Path) -> tuple[bytes, list[bytes]]:
    """The header and the packets of a little-endian pcap."""
    data = capture.read_bytes()
    at, found = _HEADER_BYTES, []
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at + 8)
        found.append(data[at : at + 16 + size])
        at += 16 + size
    return data[:_HEADER_BYTES], found


def write(path: Path, header: bytes, packets: Iterable[bytes]) -> Path:
    path.write_bytes(header + b"".join(packets))
    return path


def accusations(capture: Path, gone: Sequence[int] = ()) -> set[Accusation]:
    """`gone`: frames that were taken out, from 1 and rising."""
    return {_accusation(row, gone) for row in judge(capture)["findings"] if row["verdict"] != "not_decidable"}


def _accusation(row: Row, gone: Sequence[int]) -> Accusation:
    ends, evidence = row["id"], row["evidence"]
    frames: tuple[int, ...] = ()
    if row["verdict"] == "violation":
        frames = tuple(_original(side[0], gone) for side in (evidence["request_frames"],) if side)
    return row["rule_id"], ends["orig_h"], ends["resp_h"], frames


def _original(frame: int, gone: Sequence[int]) -> int:
    """With k frames taken out before it, a frame is k numbers lower."""
    number = frame
    while (moved := frame + bisect_right(gone, number)) != number:
        number = moved
    return number


def without(capture: Path, gone: Sequence[int], folder: Path) -> set[Accusation]:
    header, packets = records(capture)
    left = [packet for frame, packet in enumerate(packets, 1) if frame not in set(gone)]
    return accusations(write(folder / "without.pcap", header, left), sorted(gone))
