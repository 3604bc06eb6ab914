"""All packets of a buffer at once: the common shapes in numpy, the odd ones one by one. Each row equals dissect()'s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.net.addresses import to_pair
from decoders.net.dissect import dissect
from decoders.net.layers import Layers
from decoders.net.model import Headers, IpFragment, PacketOutcome, SetAside, TcpHeader
from decoders.net.packet_groups import PacketGroup

if TYPE_CHECKING:
    from decoders.net.model import Bytes, Column

BLOCK_PACKETS: Final = 16_384
"""Measured: the columns of a block stay in the second-level cache from layer to layer."""
SHORT_BYTES: Final = 32
"""A packet that is too short for its headers says the same as others alike: a file of zeros is a million of them."""
MAX_SHORT: Final = 1_024

_COLUMNS: Final = {
    "outcome": np.uint8,
    "ip_version": np.uint8,
    "src_high": np.uint64,
    "src_low": np.uint64,
    "dst_high": np.uint64,
    "dst_low": np.uint64,
    "sport": np.uint16,
    "dport": np.uint16,
    "seq": np.uint32,
    "ack": np.uint32,
    "flags": np.uint8,
    "window": np.uint16,
    "payload_offset": np.int64,
    "payload_len": np.int32,
    "payload_wire_len": np.int32,
}
_COPIED: Final = ("sport", "dport", "seq", "ack", "flags", "window", "payload_len", "payload_wire_len")
_EXPLAINED: Final = frozenset({PacketOutcome.HEADER_CUT, PacketOutcome.MALFORMED, PacketOutcome.TOO_DEEP})


def dissect_many(
    buffer: bytes | bytearray | memoryview | Bytes,
    starts: Column,
    lengths: Column,
    wire_lengths: Column,
    link_type: int,
) -> Headers:
    """Headers of the packets at `starts`, `lengths` bytes captured of `wire_lengths`, all of one link type.

    Raises ValueError where a packet does not lie in the buffer: that is the caller's mistake, not the capture's.
    """
    octets: Bytes = buffer if isinstance(buffer, np.ndarray) else np.frombuffer(buffer, np.uint8)
    starts = np.asarray(starts, np.int64)
    lengths = np.asarray(lengths, np.int64)
    wire_lengths = np.maximum(lengths, np.asarray(wire_lengths, np.int64))
    ends = starts + lengths
    if len(starts) and (starts.min() < 0 or lengths.min() < 0 or ends.max() > len(octets)):
        raise ValueError("a packet reaches beyond the buffer")
    headers = empty_headers(len(starts))
    layers = Layers(octets, headers)
    for first in range(0, len(starts), BLOCK_PACKETS):
        block = slice(first, min(first + BLOCK_PACKETS, len(starts)))
        wire_ends = starts[block] + wire_lengths[block]
        layers.read(PacketGroup(block, starts[block], ends[block], wire_ends), link_type)
    layers.end()
    odd = np.sort(np.concatenate([*layers.odd, np.zeros(0, np.int64)]))
    # The numpy layers may have written addresses before they found the row odd.
    for name in _COLUMNS:
        getattr(headers, name)[odd] = 0
    spans = zip(*(column[odd].tolist() for column in (starts, ends, wire_lengths)), strict=True)
    short: dict[tuple[bytes, int], TcpHeader | IpFragment | SetAside] = {}
    for row, (start, end, wire_length) in zip(odd.tolist(), spans, strict=True):
        packet = octets[start:end].tobytes()
        found = short.get((packet, wire_length)) if end - start <= SHORT_BYTES else None
        if found is None:
            found = dissect(packet, link_type, wire_length)
            if end - start <= SHORT_BYTES and len(short) < MAX_SHORT:
                short[packet, wire_length] = found
        _write(headers, row, start, found)
    return headers


def empty_headers(rows: int) -> Headers:
    return Headers(**{name: np.zeros(rows, dtype) for name, dtype in _COLUMNS.items()}, fragments={}, set_aside={})


def write_row(headers: Headers, row: int, start: int, found: TcpHeader | IpFragment | SetAside) -> None:
    for name in _COLUMNS:
        getattr(headers, name)[row] = 0
    _write(headers, row, start, found)


def _write(headers: Headers, row: int, start: int, found: TcpHeader | IpFragment | SetAside) -> None:
    """Into a row of zeros."""
    match found:
        case TcpHeader():
            headers.outcome[row] = PacketOutcome.TCP
            headers.ip_version[row] = 4 if len(found.src) == 4 else 6
            headers.src_high[row], headers.src_low[row] = to_pair(found.src)
            headers.dst_high[row], headers.dst_low[row] = to_pair(found.dst)
            headers.payload_offset[row] = start + found.payload_offset
            for name in _COPIED:
                getattr(headers, name)[row] = getattr(found, name)
        case IpFragment():
            headers.outcome[row] = PacketOutcome.IP_FRAGMENT
            headers.fragments[row] = found
        case SetAside():
            headers.outcome[row] = found.outcome
            if found.outcome in _EXPLAINED:
                headers.set_aside[row] = found
