"""Arrow types for people: structures as indented members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from schemas.model import ddl_type

if TYPE_CHECKING:
    from collections.abc import Iterator


def short(arrow: pa.DataType) -> str:
    """The type without a structure's members."""
    if pa.types.is_struct(arrow):
        return "struct"
    if pa.types.is_list(arrow):
        return f"array<{short(arrow.value_type)}>"
    return ddl_type(arrow).lower()


def members(
    arrow: pa.DataType, depth: int = 0, seen: tuple[tuple[str, ...], ...] = ()
) -> Iterator[tuple[int, str, str]]:
    """(depth, name, type) of all members, depth first. A structure inside one of its own kind is not repeated."""
    inner = arrow
    while pa.types.is_list(inner):
        inner = inner.value_type
    if not pa.types.is_struct(inner):
        return
    kind = tuple(field.name for field in inner)
    for field in inner:
        again = _kind(field.type) in (*seen, kind)
        yield depth, field.name, short(field.type) + (" as above" if again else "")
        if not again:
            yield from members(field.type, depth + 1, (*seen, kind))


def _kind(arrow: pa.DataType) -> tuple[str, ...] | None:
    while pa.types.is_list(arrow):
        arrow = arrow.value_type
    return tuple(field.name for field in arrow) if pa.types.is_struct(arrow) else None
