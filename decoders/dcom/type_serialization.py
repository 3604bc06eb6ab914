"""Type serialization version 1: one constructed type behind two headers, [MS-RPCE] 2.2.6."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.ndr.encoder import encode_type
from decoders.ndr.model import Syntax
from decoders.ndr.types import decode_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Type

HEADER_BYTES: Final = 16
"""The common header and the private one."""

_VERSION: Final = 1
_COMMON_BYTES: Final = 8
_FILLER: Final = 0xCCCCCCCC
_ORDERS: Final[Mapping[int, ByteOrder]] = {0x10: "<", 0x00: ">"}
_ENDIANNESS: Final = {order: code for code, order in _ORDERS.items()}
_COMMON: Final = struct.Struct("<BBHI")
"""Little-endian whatever the data's byte order."""
_ALIGNMENT: Final = 8


class Serialized(NamedTuple):
    byte_order: ByteOrder | None
    """None: it is not version 1, or the bytes end."""
    body: bytes
    """Behind both headers, as far as it is there; alignment counts from its first byte."""
    length: int
    """ObjectBufferLength, which should be the size of the body."""
    problems: tuple[str, ...]


class SerializedType(NamedTuple):
    value: Any
    byte_order: ByteOrder | None
    size: int
    """Headers and padding included."""
    problems: tuple[str, ...]


def parse_headers(data: bytes) -> Serialized:
    if len(data) < HEADER_BYTES:
        return Serialized(None, b"", 0, ("the bytes end before the serialization headers do",))
    version, endianness, common_length, _ = _COMMON.unpack_from(data)
    order = _ORDERS.get(endianness)
    if version != _VERSION or order is None or common_length != _COMMON_BYTES:
        told = f"serialization version {version}, endianness {endianness:#x}, header of {common_length} bytes"
        return Serialized(None, b"", 0, (told,))
    # 2.2.6.1 gives a byte order only to the common header; this one is taken to have the data's.
    length, _ = struct.unpack_from(f"{order}II", data, _COMMON_BYTES)
    body = data[HEADER_BYTES : HEADER_BYTES + length]
    problems = []
    if len(body) < length:
        problems.append(f"{length} bytes serialized, of which {len(body)} are there")
    if length % _ALIGNMENT:
        problems.append(f"{length} bytes serialized, no multiple of {_ALIGNMENT}")
    return Serialized(order, body, length, tuple(problems))


def read_type(types: Mapping[str, Type], declared: Type, data: bytes) -> SerializedType:
    """Never raises. Value None: not even its beginning could be read."""
    found = parse_headers(data)
    if found.byte_order is None:
        return SerializedType(None, None, 0, found.problems)
    decoded = decode_type(types, declared, found.body, found.byte_order, Syntax.NDR)
    problems = [*found.problems, *(f"{one.code} at {one.path}: {one.detail}" for one in decoded.problems)]
    if decoded.complete and len(found.body) - decoded.end >= _ALIGNMENT:
        problems.append(f"{len(found.body) - decoded.end} bytes behind the value")
    return SerializedType(decoded.value, found.byte_order, HEADER_BYTES + len(found.body), tuple(problems))


def write_type(
    types: Mapping[str, Type], declared: Type, value: object, byte_order: ByteOrder, *, fill: int = 0
) -> bytes:
    body = encode_type(declared, value, types, Syntax.NDR, byte_order, fill=fill)
    body += bytes((fill,)) * (-len(body) % _ALIGNMENT)
    common = _COMMON.pack(_VERSION, _ENDIANNESS[byte_order], _COMMON_BYTES, _FILLER)
    return common + struct.pack(f"{byte_order}II", len(body), 0) + body
