"""Frames as capture files: classic pcap and pcapng, little-endian, microseconds."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from bench.frames import scatter

if TYPE_CHECKING:
    from decoders.net.model import Bytes, Column

Format = Literal["pcap", "pcapng"]
SNAP_LENGTH: Final = 262_144
ETHERNET: Final = 1
FILE_HEADERS: Final[dict[Format, bytes]] = {
    "pcap": struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, SNAP_LENGTH, ETHERNET),
    "pcapng": struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    + struct.pack("<IIHHII", 1, 20, ETHERNET, 0, SNAP_LENGTH, 20),
}
_RECORD: Final = np.dtype([(name, "<u4") for name in ("seconds", "fraction", "captured", "wire")])
_BLOCK: Final = np.dtype(
    [(name, "<u4") for name in ("type", "total", "interface", "ts_high", "ts_low", "captured", "wire")]
)


def record_lengths(kind: Format, lengths: Column) -> Column:
    return lengths + _RECORD.itemsize if kind == "pcap" else _BLOCK.itemsize + (lengths + 3) // 4 * 4 + 4


def records(kind: Format, frames: Bytes, lengths: Column, ts_us: Column) -> Bytes:
    """The records of frames that lie one after the other."""
    header = _RECORD.itemsize if kind == "pcap" else _BLOCK.itemsize
    totals = record_lengths(kind, lengths)
    starts = np.cumsum(totals) - totals
    octets = np.zeros(int(totals.sum()), np.uint8)
    # A mask of which bytes are a frame's copies all frames at once, whatever their lengths.
    stretches = np.stack((np.full(len(lengths), header), lengths, totals - lengths - header), axis=1)
    octets[np.repeat(np.tile([False, True, False], len(lengths)), stretches.ravel())] = frames
    if kind == "pcap":
        record = np.zeros(len(lengths), _RECORD)
        record["seconds"], record["fraction"] = np.divmod(ts_us, 1_000_000)
        record["captured"] = record["wire"] = lengths
        scatter(octets, starts, record)
        return octets
    block = np.zeros(len(lengths), _BLOCK)
    block["type"], block["total"] = 6, totals
    block["ts_high"], block["ts_low"] = ts_us >> 32, ts_us & 0xFFFF_FFFF
    block["captured"] = block["wire"] = lengths
    scatter(octets, starts, block)
    scatter(octets, starts + totals - 4, totals.astype("<u4"))
    return octets
