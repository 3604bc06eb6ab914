"""What integers of the IDL can be, where the Arrow type they are kept in could hold more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.ndr.model import Enum, Named, Pointer, Scalar
from schemas.model import INT, LONG, UNSIGNED_LONG, Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from decoders.ndr.model import Member, Type

_KEPT_IN: Final = {1: INT, 2: INT, 4: LONG, 8: UNSIGNED_LONG}
_ENUM_BYTES: Final = 4
"""In NDR64; NDR has two."""


def bounded(types: Mapping[str, Type], members: Iterable[Member]) -> Iterator[Column]:
    """Unsigned parameters of an operation, as members of its request or response."""
    for member in members:
        size = _unsigned_bytes(_resolved(types, member.type))
        if size and member.name:
            yield Column(member.name, _KEPT_IN[size], "", low=0, high=(1 << 8 * size) - 1)


def _resolved(types: Mapping[str, Type], declared: Type) -> Type:
    while isinstance(declared, Named | Pointer):
        declared = types[declared.name] if isinstance(declared, Named) else declared.to
    return declared


def _unsigned_bytes(declared: Type) -> int:
    if isinstance(declared, Enum):
        return _ENUM_BYTES
    return declared.size if isinstance(declared, Scalar) and not declared.signed and not declared.floating else 0
