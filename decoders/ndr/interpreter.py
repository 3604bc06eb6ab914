"""The reference decoder: any declared operation, either transfer syntax, either byte order, any bytes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from decoders.limits import MAX_COMPILED_DECODERS
from decoders.ndr.compiler import LARGEST_ALIGNMENT, Compiler
from decoders.ndr.reader import Reader, Stop
from decoders.ndr.structures import nothing_read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Direction, Operation, Syntax, Type
    from decoders.ndr.problems import Problem

ByteOrder: TypeAlias = Literal["<", ">"]


class Decoded(NamedTuple):
    values: dict[str, Any]
    """Every member on the wire in this direction; None where decoding did not get to."""
    problems: tuple[Problem, ...]
    complete: bool
    """False: decoding stopped, and the last problem says why."""
    consumed: int


class Decoder(Protocol):
    def __call__(self, stub: bytes | memoryview, *, whole: bool = True, start: int = 0) -> Decoded:
        """`whole`: nothing of the stub is missing at its end.

        `start`: where the parameters begin, behind ORPCTHIS or ORPCTHAT; offsets and alignments count from the stub's
        first byte.
        """


def compile_decoder(
    operation: Operation, direction: Direction, types: Mapping[str, Type], syntax: Syntax, byte_order: ByteOrder
) -> Decoder:
    """A function that never raises, whatever the bytes. ValueError now if the declaration is not one."""
    compiler = Compiler(types, syntax, byte_order)
    members = operation.on_the_wire(direction)
    parts = compiler.parameters(members)
    # Damaged extensions in front may end anywhere, and then nothing is known of the first parameter's alignment.
    anywhere = cache(lambda: compiler.parameters(members, 1))
    template = nothing_read(members, compiler.layout)

    def decoder(stub: bytes | memoryview, *, whole: bool = True, start: int = 0) -> Decoded:
        reader = Reader(bytes(stub), whole=whole)
        reader.at = min(start, reader.size)
        values = template.copy()
        complete = True
        try:
            for part, name in anywhere() if reader.at % LARGEST_ALIGNMENT else parts:
                part(reader, values, name, None)
        except Stop:
            complete = False
        consumed = min(reader.at, reader.size)
        if complete and whole and consumed < reader.size:
            detail = f"{reader.size - consumed} bytes follow the last parameter"
            reader.report("ndr-trailing-bytes", None, None, consumed, detail)
        return Decoded(values, reader.finish(), complete, consumed)

    return decoder


_Key: TypeAlias = tuple[int, "Direction", int, "Syntax", str]
_compiled: dict[_Key, tuple[Operation, Mapping[str, Type], Decoder]] = {}


def decode(
    operation: Operation,
    direction: Direction,
    stub: bytes | memoryview,
    types: Mapping[str, Type],
    syntax: Syntax,
    byte_order: ByteOrder,
    *,
    start: int = 0,
) -> Decoded:
    """For callers that do not keep the compiled decoder themselves."""
    # By identity: hashing a whole declaration takes longer than decoding. The entry keeps both objects alive.
    key = (id(operation), direction, id(types), syntax, byte_order)
    entry = _compiled.get(key)
    if entry is None:
        if len(_compiled) >= MAX_COMPILED_DECODERS:
            _compiled.clear()
        entry = operation, types, compile_decoder(operation, direction, types, syntax, byte_order)
        _compiled[key] = entry
    return entry[2](stub, start=start)
