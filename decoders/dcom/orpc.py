"""ORPCTHIS and ORPCTHAT, with which every stub of a COM call begins: [MS-DCOM] 2.2.13.

They are NDR whatever the transfer syntax of the parameters behind them is.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.dcom.error_info import parse_error_info
from decoders.dcom.types import ORPCTHAT, ORPCTHIS, TYPES
from decoders.limits import MAX_ORPC_EXTENTS
from decoders.ndr.encoder import encode_type
from decoders.ndr.model import Direction, Syntax
from decoders.ndr.types import decode_type

if TYPE_CHECKING:
    from decoders.dcom.error_info import ErrorInfo
    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Struct
    from decoders.ndr.problems import Problem

ERROR_EXTENSION: Final = "0000031c-0000-0000-c000-000000000046"
CONTEXT_EXTENSION: Final = "00000334-0000-0000-c000-000000000046"
EXTENSIONS: Final = {ERROR_EXTENSION: "error information", CONTEXT_EXTENSION: "context"}
"""[MS-DCOM] 1.9."""

MAJOR_VERSION: Final = 5
_MAX_MINOR_VERSION: Final = 7
_FIRST: Final = {"<": struct.Struct("<HHII"), ">": struct.Struct(">HHII")}
_THIS_BYTES: Final = 32
_IMPLICIT: Final[dict[Direction, Struct]] = {Direction.IN: ORPCTHIS, Direction.OUT: ORPCTHAT}


class Implicit(NamedTuple):
    """The first argument of a COM call, which no IDL declares."""

    value: dict[str, Any] | None
    problems: tuple[Problem, ...]
    size: int
    """Where the declared parameters begin; where reading stopped if not `complete`."""
    complete: bool


@dataclass(frozen=True, slots=True)
class Extent:
    id: str
    name: str | None
    """None: nobody listed it, and it was passed over by its length."""
    size: int
    error: ErrorInfo | None


def looks_like_orpcthis(stub: bytes, byte_order: ByteOrder) -> bool:
    """Of a request with an object UUID: native interfaces use that field as well."""
    if len(stub) < _THIS_BYTES:
        return False
    major, minor, flags, reserved = _FIRST[byte_order].unpack_from(stub)
    return bool(major == MAJOR_VERSION and minor <= _MAX_MINOR_VERSION and flags == 0 and reserved == 0)


def read_implicit(direction: Direction, stub: bytes, byte_order: ByteOrder, *, whole: bool = True) -> Implicit:
    """ORPCTHIS of a request (IN), ORPCTHAT of a response (OUT)."""
    found = decode_type(TYPES, _IMPLICIT[direction], stub, byte_order, Syntax.NDR, whole=whole)
    return Implicit(found.value, found.problems, found.end, found.complete)


def write_implicit(direction: Direction, value: dict[str, Any], byte_order: ByteOrder, *, fill: int = 0) -> bytes:
    return encode_type(_IMPLICIT[direction], value, TYPES, Syntax.NDR, byte_order, fill=fill)


def extents_of(value: dict[str, Any] | None) -> tuple[Extent, ...]:
    """Of a decoded ORPCTHIS or ORPCTHAT, whether implicit or declared."""
    extensions = (value or {}).get("extensions") or {}
    there = [extent for extent in extensions.get("extent") or () if extent and extent["data"] is not None]
    return tuple(_extent(extent) for extent in there[:MAX_ORPC_EXTENTS])


def _extent(extent: dict[str, Any]) -> Extent:
    identifier, data = extent["id"], extent["data"][: extent["size"]]
    error = parse_error_info(data) if identifier == ERROR_EXTENSION else None
    return Extent(identifier, EXTENSIONS.get(identifier), extent["size"], error)
