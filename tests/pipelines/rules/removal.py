"""What is held against anybody, named so that a capture can be compared with the same that lacks packets."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.builders.renewed import renewed
from tests.local import Local

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

Row = dict[str, Any]
Accusation: TypeAlias = tuple[str, str, str, int]
"""Rule, client, server and time. Of a detection no time: a count may be reached elsewhere."""
_HEADER_BYTES = 24


def accusations(tables: Mapping[str, list[Row]]) -> frozenset[Accusation]:
    return _accusations(tables["findings"])


def _accusations(findings: list[Row]) -> frozenset[Accusation]:
    return frozenset(
        (
            row["rule_id"],
            row["id"]["orig_h"],
            row["id"]["resp_h"],
            row["ts_ns"] if row["verdict"] == "violation" else 0,
        )
        for row in findings
        if row["verdict"] != "not_decidable"
    )


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
    return renewed(path, header + b"".join(packets))


def without(capture: Path, gone: Collection[int], folder: Path) -> frozenset[Accusation]:
    """What is held against anybody when these packets, counted from 0, are missing."""
    header, packets = records(capture)
    left = (packet for place, packet in enumerate(packets) if place not in gone)
    return _accusations(Local(write(folder / "without.pcap", header, left)).findings())
