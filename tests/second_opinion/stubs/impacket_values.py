"""impacket's calls as the values of our declarations, and the other way round; it knows little endian only."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from impacket.dcerpc.v5.ndr import NDR, NDRPOINTER, NDRPOINTERNULL, NULL

from decoders.interfaces import INTERFACES
from decoders.ndr.counts import compared_with
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import decode
from decoders.ndr.layout import Layout, is_octets, is_wide
from decoders.ndr.model import (
    Array,
    ContextHandle,
    Direction,
    Guid,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Syntax,
    Union,
)
from decoders.ndr.texts import guid_bytes, guid_text
from tests.second_opinion.stubs.impacket_calls import CALLS
from tests.second_opinion.stubs.impacket_ndr import ARM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from decoders.ndr.interpreter import Decoded
    from decoders.ndr.model import Member, Operation, Type


_TYPES: Final = {
    operation.name: interface.types for interface in INTERFACES.values() for operation in interface.all_operations
}


class Speaker:
    def __init__(self, types: Mapping[str, Type]) -> None:
        self._layout = Layout(types, Syntax.NDR)

    def values(self, members: Sequence[Member], call: NDR) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for member in members:
            given, declared = call.fields[member.name or ARM], self._layout.resolve(member.type)
            if isinstance(declared, Union):
                arms = self._arms(declared, given)
                result |= {member.name: arms} if member.name else arms
            else:
                result[member.name] = self._value(declared, given)
        return result

    def _arms(self, union: Union, given: NDR) -> dict[str, Any]:
        tag = given["tag"]
        return {
            arm.member.name: self._value(arm.member.type, given.fields[arm.member.name]) if tag in arm.cases else None
            for arm in union.arms
            if arm.member
        }

    def _value(self, declared: Type, given: Any) -> Any:  # noqa: ANN401 - any of them
        declared = self._layout.resolve(declared)
        if isinstance(declared, Pointer):
            if isinstance(given, NDRPOINTERNULL) or (isinstance(given, NDRPOINTER) and not given["ReferentID"]):
                return None
            return self._value(declared.to, given.fields["Data"] if isinstance(given, NDRPOINTER) else given)
        match declared:
            case Guid():
                return guid_text(given["Data"], "<")
            case ContextHandle():
                raw = given["context_handle_uuid"]
                return guid_text(raw, "<") if any(raw) else None
            case String(of=of) if is_wide(of):
                return given["Data"].removesuffix("\0")
            case String():
                return b"".join(given["Data"]).removesuffix(b"\0").decode("latin-1")
            case Array(bound=int()):
                return given
            case Array(of=of) if is_wide(of):
                elements = given["Data"]
                return struct.pack(f"<{len(elements)}H", *elements).decode("utf-16-le").rstrip("\0")
            case Array(of=of):
                elements = given["Data"]
                return b"".join(elements) if is_octets(of) else [self._value(of, one) for one in elements]
            case Struct(members=members):
                return self.values(members, given)
        return given if isinstance(given, int) else given["Data"]

    def fill(self, members: Sequence[Member], call: NDR, values: Mapping[str, Any]) -> None:
        for member in members:
            declared = self._layout.resolve(member.type)
            if isinstance(declared, Union):
                union, inner = call.fields[member.name or ARM], values[member.name] if member.name else values
                union["tag"] = tag = values[(member.switch_is or "").strip("* ")]
                for arm in declared.arms:
                    if arm.member and tag in arm.cases:
                        self._fill(arm.member.type, union, arm.member.name, inner[arm.member.name], {})
            else:
                self._fill(declared, call, member.name, values[member.name], values)

    def _fill(self, declared: Type, within: NDR, name: str, value: Any, around: Mapping[str, Any]) -> None:  # noqa: ANN401
        declared = self._layout.resolve(declared)
        field = within.fields[name]
        match declared:
            case Pointer(kind=PointerKind.REF, to=to):
                self._fill(to, within, name, value, around)
            case Pointer() if value is None:
                within[name] = NULL
            case Pointer(to=to):
                self._fill(to, field, "Data", value, around)
            case Guid():
                within[name] = guid_bytes(value, "<")
            case ContextHandle():
                field["context_handle_attributes"] = 0
                field["context_handle_uuid"] = guid_bytes(value, "<") if value else bytes(16)
            case String(of=of):
                within[name] = f"{value}\0" if is_wide(of) else _octets(value.encode("latin-1") + b"\0")
            case Array(bound=int()):
                within.fields[name] = value
            case Array():
                self._fill_array(declared, field, value, around)
            case Struct(members=members):
                self.fill(members, field, value)
            case _:
                within[name] = value

    def _fill_array(self, array: Array, field: NDR, value: Any, around: Mapping[str, Any]) -> None:  # noqa: ANN401
        size = around.get(str(compared_with(array.size_is)))
        of = self._layout.resolve(array.of)
        if is_octets(of):
            field["Data"] = _octets(value)
        elif is_wide(of):
            raw = value.encode("utf-16-le")
            field["Data"] = [*struct.unpack(f"<{len(raw) // 2}H", raw), *bytes((size or 0) - len(raw) // 2)]
        elif isinstance(of, Scalar):
            field["Data"] = list(value)
        else:
            # Each is filled where impacket expects it, so that pointers and structures need no case of their own.
            field["Data"] = [field.item(isNDR64=field._isNDR64) for _ in value]
            for index, one in enumerate(value):
                self._element(of, field.fields["Data"], index, one)
        if array.varying and size is not None:
            field.fields["MaximumCount"] = size

    def _element(self, declared: Type, elements: list[NDR], index: int, value: Any) -> None:  # noqa: ANN401
        declared = self._layout.resolve(declared)
        element = elements[index]
        if isinstance(declared, Struct):
            self.fill(declared.members, element, value)
        elif isinstance(declared, Guid):
            element["Data"] = guid_bytes(value, "<")
        elif isinstance(declared, Pointer) and value is not None:
            self._fill(declared.to, element, "Data", value, {})
        else:
            elements[index] = NDRPOINTERNULL(isNDR64=element._isNDR64)


def _number_pointers(call: NDR) -> None:
    """As our encoder does, in the order of the stub; impacket's own ids are random."""
    numbers = iter(range(0x20000, 0x7FFFFFFF, 4))

    def number(given: object) -> None:
        pointers = list(_in_place(given))
        for pointer in pointers:
            pointer.fields["ReferentID"] = next(numbers)
        for pointer in pointers:
            number(pointer.fields["Data"])

    for name, _ in call.structure:
        number(call.fields[name])


def _in_place(given: object) -> Iterator[NDRPOINTER]:
    if isinstance(given, NDRPOINTER):
        yield given
    elif isinstance(given, list):
        for one in given:
            yield from _in_place(one)
    elif isinstance(given, NDR):
        for name, _ in given.structure:
            yield from _in_place(given.fields[name])


def _octets(value: bytes) -> list[bytes]:
    return [bytes((octet,)) for octet in value]


def dissected(operation: Operation, direction: Direction, syntax: Syntax, stub: bytes) -> tuple[dict[str, Any], int]:
    """What impacket reads, and how many bytes it took."""
    call = CALLS[operation.name, direction](isNDR64=syntax is Syntax.NDR64)
    consumed: int = call.fromString(stub)
    return Speaker(_TYPES[operation.name]).values(operation.on_the_wire(direction), call), consumed


def built(operation: Operation, direction: Direction, syntax: Syntax, values: Mapping[str, Any]) -> bytes:
    call = CALLS[operation.name, direction](isNDR64=syntax is Syntax.NDR64)
    Speaker(_TYPES[operation.name]).fill(operation.on_the_wire(direction), call, values)
    _number_pointers(call)
    return bytes(call.getData())


def encoded(
    operation: Operation, direction: Direction, syntax: Syntax, values: Mapping[str, Any], fill: int = 0
) -> bytes:
    return encode(operation, direction, values, _TYPES[operation.name], syntax, "<", fill=fill)


def decoded(operation: Operation, direction: Direction, syntax: Syntax, stub: bytes) -> Decoded:
    return decode(operation, direction, stub, _TYPES[operation.name], syntax, "<")


def without_gaps(
    operation: Operation, direction: Direction, syntax: Syntax, values: Mapping[str, Any], stub: bytes
) -> bytes:
    """The stub with zeros where our encoder has gaps: impacket fills each kind of gap with a byte of its own."""
    zeros, ones = (encoded(operation, direction, syntax, values, fill) for fill in (0, 0xFF))
    gaps = {at for at, (zero, one) in enumerate(zip(zeros, ones, strict=True)) if zero != one}
    return bytes(0 if at in gaps else octet for at, octet in enumerate(stub))
