"""Arrow types of declared IDL types; `value_shapes` brings values into their shape.

Three things differ from the values of decoders.ndr.model: message bytes become size, hash and, on request, the bytes;
a type that contains itself is followed MAX_NESTING levels, below which the value stands as JSON, since neither Arrow
nor Spark has recursive types; and COM's values are as `com_shapes` has them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from decoders.ndr.layout import is_octets, is_wide
from decoders.ndr.model import (
    Array,
    ContextHandle,
    EncapsulatedUnion,
    Enum,
    Guid,
    InterfacePointer,
    Named,
    Pointer,
    Scalar,
    String,
    Struct,
    Union,
)
from schemas.com_shapes import is_variant, special
from schemas.model import BINARY, BOOL, DOUBLE, INT, LONG, STRING, UNSIGNED_LONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from decoders.ndr.model import Member, Type

MAX_NESTING: Final = 3
"""PROPID_MGMT_QUEUE_CONNECTION_HISTORY is a vector of variants, one of which is a vector of variants: [MS-MQMQ]
2.3.12.25. Nothing specified nests deeper."""
PAYLOAD: Final = pa.struct(
    [pa.field("size", LONG), pa.field("sha256", STRING), pa.field("packet_size", LONG), pa.field("bytes", BINARY)]
)
"""`packet_size` is what the message says of itself."""
NO_PARAMETERS: Final = pa.field("no_parameters", BOOL)
"""Stands alone in the structure of a request or response without parameters: Parquet has no empty structures."""

_INTEGERS: Final = {
    (1, False): INT,
    (1, True): INT,
    (2, False): INT,
    (2, True): INT,
    (4, False): LONG,
    (4, True): INT,
    (8, False): UNSIGNED_LONG,
    (8, True): LONG,
}


class IdlTypes:
    """For the types of one interface."""

    def __init__(self, types: Mapping[str, Type]) -> None:
        self._types = types

    def struct(self, members: Iterable[Member]) -> pa.StructType:
        return pa.struct(list(self._fields(members, {})) or [NO_PARAMETERS])

    def _fields(self, members: Iterable[Member], seen: dict[str, int]) -> Iterator[pa.Field]:
        for member in members:
            inner = self._named(member.type)
            if isinstance(inner, Union) and not member.name:
                yield from self._fields((arm.member for arm in inner.arms if arm.member is not None), seen)
            else:
                message = member.payload and not is_variant(member.type, self._types)
                yield pa.field(member.name, PAYLOAD if message else self._arrow(member.type, seen))

    def _arrow(self, declared: Type, seen: dict[str, int]) -> pa.DataType:
        if found := special(declared):
            return found.arrow
        if isinstance(declared, Scalar):
            return DOUBLE if declared.floating else _INTEGERS[declared.size, declared.signed]
        if isinstance(declared, Enum):
            return LONG
        if isinstance(declared, Guid | ContextHandle | String):
            return STRING
        if isinstance(declared, Pointer):
            return self._arrow(declared.to, seen)
        if isinstance(declared, Array):
            if is_wide(declared.of):
                return STRING
            octets = declared.raw or is_octets(declared.of)
            return BINARY if octets else pa.list_(self._arrow(declared.of, seen))
        if isinstance(declared, Union):
            return pa.struct(list(self._fields((arm.member for arm in declared.arms if arm.member), seen)))
        if isinstance(declared, EncapsulatedUnion):
            tag, union = self._arrow(declared.union.switch, seen), self._arrow(declared.union, seen)
            return pa.struct([pa.field(declared.switch_name, tag), pa.field(declared.union_name, union)])
        if isinstance(declared, Struct):
            below = deeper(declared.name, seen)
            return STRING if below is None else pa.struct(list(self._fields(declared.members, below)))
        if isinstance(declared, InterfacePointer):
            raise TypeError("an interface pointer has its own column")
        return self._arrow(self._types[declared.name], seen)

    def _named(self, declared: Type) -> Type:
        return self._types[declared.name] if isinstance(declared, Named) else declared


@cache
def _has_payload(kind: pa.DataType) -> bool:
    """There are as many types as operations declare."""
    if kind == PAYLOAD:
        return True
    if pa.types.is_list(kind):
        return _has_payload(kind.value_type)
    return pa.types.is_struct(kind) and any(_has_payload(field.type) for field in kind)


def without_payload(array: pa.Array) -> pa.Array:
    """The same with the bytes of payload members left out."""
    kind = array.type
    if not _has_payload(kind):
        return array
    if kind == PAYLOAD:
        kept = [array.field(field.name) for field in PAYLOAD if field.name != "bytes"]
        columns = [*kept, pa.nulls(len(array), BINARY)]
        return pa.StructArray.from_arrays(columns, fields=list(PAYLOAD), mask=array.is_null())
    if pa.types.is_struct(kind):
        columns = [without_payload(array.field(place)) for place in range(kind.num_fields)]
        return pa.StructArray.from_arrays(columns, fields=list(kind), mask=array.is_null())
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        values = without_payload(array.values)
        return pa.ListArray.from_arrays(array.offsets, values, type=kind, mask=array.is_null())
    return array


def deeper(name: str, seen: dict[str, int]) -> dict[str, int] | None:
    """None: the type contains itself too often."""
    if not name:
        # What has no name cannot contain itself.
        return seen
    level = seen.get(name, 0)
    return None if level == MAX_NESTING else seen | {name: level + 1}
