"""Stubs of one operation and direction to values, with what was wrong in each."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from decoders.dcom.orpc import read_implicit
from decoders.interfaces import INTERFACES, operation_of
from decoders.ndr.interpreter import compile_decoder
from decoders.registry import DCOM, REGISTRY
from schemas.idl_types import IdlTypes
from schemas.value_shapes import ValueShapes

if TYPE_CHECKING:
    import pyarrow as pa

    from decoders.dcerpc.call_model import Part
    from decoders.ndr.interpreter import Decoder
    from decoders.ndr.model import Direction, Interface, Operation, Syntax
    from decoders.ndr.problems import Problem

ByteOrder = Literal["<", ">"]
_TRAILING: Final = "ndr-trailing-bytes"
_MOST_PADDING: Final = 15
"""Up to a multiple of 16, the largest alignment of security trailers."""


class Values(NamedTuple):
    """Of a request or a response."""

    values: dict[str, Any] | None
    """None where it was not captured, or cannot be read."""
    problems: tuple[Problem, ...]
    """Without padding, which is none."""
    whole: bool
    """Captured and decoded to its end."""
    goes_on: bool
    """It has bytes that its declaration does not explain: it may be another operation's."""
    raw: dict[str, Any] | None = None
    """The values before they got the shape of columns; of DCOM's interfaces only."""
    implicit: dict[str, Any] | None = None
    """ORPCTHIS or ORPCTHAT, of COM's."""

    @property
    def explained(self) -> bool:
        return self.whole and not self.goes_on


NO_VALUES: Final = Values(None, (), whole=False, goes_on=False)


class StubReader:
    """For an operation that there is, in one direction."""

    def __init__(
        self, interface_uuid: str, opnum: int, direction: Direction, *, callback: bool, keep_payload: bool
    ) -> None:
        interface, operation = declared(interface_uuid, opnum, callback=callback)
        members = operation.on_the_wire(direction)
        self.type: pa.StructType = IdlTypes(interface.types).struct(members)
        self._shape = ValueShapes(interface.types, keep_payload=keep_payload).of(members)
        self._key = interface_uuid, opnum, direction
        family = REGISTRY[interface_uuid].family
        self._of_dcom = family in DCOM
        self._is_com = REGISTRY[interface_uuid].is_com
        self._callback = callback
        self._decoders: dict[tuple[Syntax, ByteOrder], Decoder] = {}

    def read(self, part: Part | None, syntax: Syntax) -> Values:
        if part is None or part.sealed:
            return NO_VALUES
        decode = self._decoders.get((syntax, part.byte_order))
        if decode is None:
            decode = decoder_of(*self._key, syntax, part.byte_order, callback=self._callback)
            self._decoders[syntax, part.byte_order] = decode
        data, complete = part.stub, part.complete
        # [MS-RPCE] 2.2.2.13: the trailer follows the stub. What parameters reach into is none, whatever it looks like.
        if part.trailer and not decode(data).complete and decode(data + part.trailer).complete:
            data += part.trailer
        if self._is_com:
            return self._read_orpc(decode, part, data)
        values, problems, decoded, _ = decode(data, whole=complete)
        goes_on = False
        if problems:
            problems = tuple(one for one in problems if one.code != _TRAILING or not _is_padding(part, one.offset))
            goes_on = any(one.code == _TRAILING for one in problems)
        raw = values if self._of_dcom else None
        return Values(self._shape(values), problems, complete and decoded, goes_on, raw)

    def _read_orpc(self, decode: Decoder, part: Part, data: bytes) -> Values:
        """[MS-DCOM] 2.2.13: an implicit argument stands in front. Old Windows lets bytes follow: 3.2.4.2, note 47."""
        complete = part.complete
        implicit = read_implicit(self._key[2], data, part.byte_order, whole=complete)
        if not implicit.complete:
            return Values(None, implicit.problems, whole=False, goes_on=False, implicit=implicit.value)
        values, problems, decoded, _ = decode(data, whole=complete, start=implicit.size)
        problems = tuple(one for one in (*implicit.problems, *problems) if one.code != _TRAILING)
        shaped = self._shape(values)
        return Values(shaped, problems, complete and decoded, goes_on=False, raw=values, implicit=implicit.value)


@cache
def stub_reader(
    interface_uuid: str, opnum: int, direction: Direction, *, callback: bool, keep_payload: bool
) -> StubReader:
    return StubReader(interface_uuid, opnum, direction, callback=callback, keep_payload=keep_payload)


@cache
def decoder_of(
    interface_uuid: str,
    opnum: int,
    direction: Direction,
    syntax: Syntax,
    byte_order: ByteOrder,
    *,
    callback: bool = False,
) -> Decoder:
    interface, operation = declared(interface_uuid, opnum, callback=callback)
    return compile_decoder(operation, direction, interface.types, syntax, byte_order)


def declared(interface_uuid: str, opnum: int, *, callback: bool = False) -> tuple[Interface, Operation]:
    """Of an operation that there is."""
    operation = operation_of(interface_uuid, opnum, callback=callback)
    if operation is None:
        raise KeyError(f"{interface_uuid} declares no operation {opnum}")
    return INTERFACES[interface_uuid], operation


def _is_padding(part: Part, offset: int) -> bool:
    """[MS-RPCE] 2.2.2.13: in front of a verification trailer the stub is padded."""
    return part.verification is not None and len(part.stub) - offset <= _MOST_PADDING
