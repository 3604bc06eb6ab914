"""A declared type by itself: at the beginning of a stub or in a serialised stream, not as a call's parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from decoders.limits import MAX_COMPILED_DECODERS
from decoders.ndr.compiler import LARGEST_ALIGNMENT, Compiler
from decoders.ndr.model import Member
from decoders.ndr.problems import PROBLEMS
from decoders.ndr.reader import Reader, Step, Stop

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Syntax, Type
    from decoders.ndr.problems import Problem


class DecodedType(NamedTuple):
    value: Any
    """None where not even its beginning could be read."""
    problems: tuple[Problem, ...]
    end: int
    """Offset of the first byte behind it, or where decoding stopped."""

    @property
    def complete(self) -> bool:
        return not any(PROBLEMS[problem.code].stops for problem in self.problems)


_Key: TypeAlias = tuple[int, int, "Syntax", str, int]
_compiled: dict[_Key, tuple[Type, Mapping[str, Type], list[tuple[Step, str]]]] = {}


def decode_type(
    types: Mapping[str, Type],
    declared: Type,
    data: bytes | memoryview,
    byte_order: ByteOrder,
    syntax: Syntax,
    start: int = 0,
    *,
    whole: bool = True,
) -> DecodedType:
    """Never raises, whatever the bytes. Alignment counts from the first byte of `data`; what follows is not looked at.

    `whole`: nothing of the data is missing at its end.
    """
    alignment = LARGEST_ALIGNMENT if start % LARGEST_ALIGNMENT == 0 else 1
    reader = Reader(bytes(data), whole=whole)
    reader.at = start
    values: dict[str, Any] = {}
    try:
        for part, name in _parts(types, declared, byte_order, syntax, alignment):
            part(reader, values, name, None)
    except Stop:
        pass
    (value,) = values.values() or (None,)
    return DecodedType(value, reader.finish(), min(reader.at, reader.size))


def _parts(
    types: Mapping[str, Type], declared: Type, byte_order: ByteOrder, syntax: Syntax, alignment: int
) -> list[tuple[Step, str]]:
    # By identity, as decode() does.
    key = (id(declared), id(types), syntax, byte_order, alignment)
    entry = _compiled.get(key)
    if entry is None:
        if len(_compiled) >= MAX_COMPILED_DECODERS:
            _compiled.clear()
        # Problems are told by path, which begins with the type's name.
        member = Member(getattr(declared, "name", "") or "value", declared)
        parts = Compiler(types, syntax, byte_order).parameters((member,), alignment)
        entry = _compiled[key] = declared, types, parts
    return entry[2]
