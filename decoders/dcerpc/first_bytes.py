"""Which segments may begin a PDU, for all segments of a buffer at once.

The answer errs on one side only: a segment that holds the first bytes of a PDU, however few, is never missed, so a
bind sent one byte at a time is found as well. What is found wrongly is sorted out by the recogniser, which sees the
ordered stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.dcerpc.header import HEADER_BYTES, MINOR_VERSIONS, RPC_VERSION, PacketType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoders.net.model import Bytes, Column


def _allowed(values: Iterable[int]) -> Column:
    table = np.zeros(256, np.bool_)
    table[list(values)] = True
    return table


_ALLOWED: Final = {
    1: _allowed(MINOR_VERSIONS),
    2: _allowed(PacketType),
    4: _allowed((0x00, 0x01, 0x10, 0x11)),
    5: _allowed(range(4)),
    6: _allowed((0,)),
    7: _allowed((0,)),
}
"""Header byte to its possible values: the same conditions as header.parse_header."""


def may_begin_pdu(buffer: Bytes, payload_offset: Column, payload_len: Column) -> Column:
    """One bool a row: do the row's payload bytes agree with a PDU header as far as they go?"""
    result = np.zeros(len(payload_offset), np.bool_)
    rows = np.flatnonzero(payload_len > 0)
    rows = rows[buffer[payload_offset[rows]] == RPC_VERSION]
    start, length = payload_offset[rows].astype(np.int64), payload_len[rows]
    agrees = np.ones(len(rows), np.bool_)
    for position, allowed in _ALLOWED.items():
        agrees &= (length <= position) | allowed[_byte(buffer, start + position)]
    little = (_byte(buffer, start + 4) & 0x10) != 0
    frag_length = _u16(buffer, start + 8, little)
    room = frag_length - HEADER_BYTES
    agrees &= (length < 10) | (room >= 0)
    agrees &= (length < 12) | (_u16(buffer, start + 10, little) <= room)
    result[rows] = agrees
    return result


def _byte(buffer: Bytes, index: Column) -> Column:
    """Beyond the end: the last byte, which no caller looks at since the payload is shorter."""
    return buffer[np.minimum(index, len(buffer) - 1)]


def _u16(buffer: Bytes, index: Column, little: Column) -> Column:
    first, second = _byte(buffer, index).astype(np.int32), _byte(buffer, index + 1).astype(np.int32)
    return np.where(little, first | second << 8, first << 8 | second)
