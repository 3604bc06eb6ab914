"""Decoded columns to Arrow, without a Python object a value: equal to arrays of what IdlTypes.shaped() gives."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from decoders.msmq.base_header import packet_size
from decoders.ndr.columnar.columns import Column, Identifiers, Lists, Nothing, Records, Scalars, Spans, offsets_of
from decoders.ndr.columnar.ragged import gathered
from decoders.ndr.texts import narrow_text, wide_text
from schemas.idl_types import NO_PARAMETERS, PAYLOAD
from schemas.model import BINARY, LONG, STRING, UNSIGNED_LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from decoders.ndr.columnar.columns import Columns
    from decoders.ndr.model import Member
    from schemas.idl_types import IdlTypes

    Bytes = npt.NDArray[np.uint8]
    Bools = npt.NDArray[np.bool_]

_HEX: Final = np.frombuffer("".join(f"{octet:02x}" for octet in range(256)).encode(), np.uint8).reshape(256, 2)
_GUID_DIGITS: Final = np.array([place for place in range(36) if place not in (8, 13, 18, 23)])
_SURROGATES: Final = (0xD800, 0xDFFF)


def to_arrow(columns: Columns, members: Sequence[Member], idl_types: IdlTypes) -> pa.StructArray:
    """The accepted stubs, of the type IdlTypes.struct(members)."""
    wanted = idl_types.struct(members)
    rows = len(columns.members)
    if not members:
        return pa.StructArray.from_arrays([pa.array(np.ones(rows, np.bool_))], fields=[NO_PARAMETERS])
    return _Arrays(columns.buffer, keep_payload=idl_types.keep_payload).array(columns.members, wanted)


class _Arrays:
    def __init__(self, buffer: Bytes, *, keep_payload: bool) -> None:
        self._buffer = buffer
        self.keep_payload = keep_payload

    def array(self, column: Column, wanted: pa.DataType) -> pa.Array:
        match column:
            case Nothing(length):
                return pa.nulls(length, wanted)
            case Scalars():
                return _numbers(column, wanted)
            case Identifiers():
                return _guids(column)
            case Spans():
                return self._spans(column, wanted)
            case Lists():
                elements = self.array(column.elements, wanted.value_type)
                offsets = pa.array(column.offsets.astype(np.int32))
                return pa.ListArray.from_arrays(offsets, elements, type=wanted, mask=_mask(column.valid))
            case Records():
                arrays = [self.array(column.members[field.name], field.type) for field in wanted]
                return pa.StructArray.from_arrays(arrays, fields=list(wanted), mask=_mask(column.valid))

    def _spans(self, column: Spans, wanted: pa.DataType) -> pa.Array:
        lengths = column.lengths if column.valid is None else np.where(column.valid, column.lengths, 0)
        if wanted == PAYLOAD:
            return self._payloads(column, lengths)
        data = gathered(self._buffer, np.where(lengths > 0, column.starts, 0), lengths)
        if not column.character_size:
            return _variable(BINARY, offsets_of(lengths), data, column.valid)
        return _texts(column, offsets_of(lengths), data)

    def _payloads(self, column: Spans, lengths: npt.NDArray[np.int64]) -> pa.Array:
        """Size and hash of each message; its bytes on request."""
        rows = len(column)
        whole = self._buffer.data
        bounds = list(zip(column.starts.tolist(), (column.starts + lengths).tolist(), strict=True))
        digests = np.frombuffer(b"".join(hashlib.sha256(whole[start:end]).digest() for start, end in bounds), np.uint8)
        hashes = _variable(STRING, np.arange(0, 64 * rows + 1, 64), _HEX[digests].reshape(-1), column.valid)
        sizes = pa.array(lengths, LONG, mask=_absent(column.valid))
        told = pa.array([packet_size(whole[start:end]) for start, end in bounds], LONG)
        kept = pa.nulls(rows, BINARY)
        if self.keep_payload:
            data = gathered(self._buffer, np.where(lengths > 0, column.starts, 0), lengths)
            kept = _variable(BINARY, offsets_of(lengths), data, column.valid)
        return pa.StructArray.from_arrays([sizes, hashes, told, kept], fields=list(PAYLOAD), mask=_mask(column.valid))


def _numbers(column: Scalars, wanted: pa.DataType) -> pa.Array:
    if wanted == UNSIGNED_LONG:
        # decimal128 is a 16-byte little-endian integer.
        wide = np.zeros((len(column), 2), "<u8")
        wide[:, 0] = column.values
        return pa.Array.from_buffers(wanted, len(column), [_bitmap(column.valid), pa.py_buffer(wide)])
    return pa.array(column.values.astype(wanted.to_pandas_dtype()), wanted, mask=_absent(column.valid))


def _guids(column: Identifiers) -> pa.Array:
    rows = len(column)
    text = np.full((rows, 36), ord("-"), np.uint8)
    text[:, _GUID_DIGITS] = _HEX[column.octets].reshape(rows, 32)
    return _variable(STRING, np.arange(0, 36 * rows + 1, 36), text.reshape(-1), column.valid)


def _texts(column: Spans, offsets: npt.NDArray[np.int64], data: Bytes) -> pa.Array:
    units = data.view(f"{column.byte_order}u{column.character_size}")
    if column.character_size > 1 and ((units >= _SURROGATES[0]) & (units <= _SURROGATES[1])).any():
        # Pairs count four bytes, lone ones are written out: as rare as it is intricate.
        return pa.array(_one_by_one(column, offsets, data.tobytes()), STRING)
    sizes = 1 + (units >= 0x80) + (units >= 0x800).astype(np.int64)
    ends = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    decoded = wide_text(data.tobytes(), column.byte_order) if column.character_size > 1 else narrow_text(data.tobytes())
    utf8 = np.frombuffer(decoded.encode(), np.uint8)
    return _variable(STRING, ends[offsets // column.character_size], utf8, column.valid)


def _one_by_one(column: Spans, offsets: npt.NDArray[np.int64], data: bytes) -> Iterator[str | None]:
    bounds: list[int] = offsets.tolist()
    for row, (start, end) in enumerate(pairwise(bounds)):
        there = column.valid is None or column.valid[row]
        yield wide_text(data[start:end], column.byte_order) if there else None


def _variable(wanted: pa.DataType, offsets: npt.NDArray[np.int64], data: Bytes, valid: Bools | None) -> pa.Array:
    """Text or bytes from their own buffers."""
    if int(offsets[-1]) > np.iinfo(np.int32).max:
        raise ValueError("more than 2 GiB in one column of a batch")
    buffers = [_bitmap(valid), pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(wanted, len(offsets) - 1, buffers)


def _bitmap(valid: Bools | None) -> Any:  # noqa: ANN401 - pyarrow has no types
    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))


def _absent(valid: Bools | None) -> Bools | None:
    return None if valid is None else ~valid


def _mask(valid: Bools | None) -> Any:  # noqa: ANN401
    """Arrow's masks say what is null."""
    return None if valid is None else pa.array(~valid)
