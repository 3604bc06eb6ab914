"""The inverse of the interpreter, for tests and samples: values to the stub that Windows would send."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.ndr.counts import Rounded, compared_with
from decoders.ndr.layout import CONTEXT_HANDLE_BYTES, WIDE_BYTES, Layout, is_octets, is_wide
from decoders.ndr.model import (
    Array,
    ContextHandle,
    EncapsulatedUnion,
    Enum,
    Guid,
    InterfacePointer,
    Member,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Union,
)
from decoders.ndr.texts import guid_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Direction, Operation, Syntax, Type

_FIRST_REFERENT_ID: Final = 0x00020000
_REFERENT_ID_STEP: Final = 4


class Spot(NamedTuple):
    """A value to write and what its surroundings say about it."""

    declared: Type
    value: object
    around: Mapping[str, Any]
    """The structure or the parameters, for size_is and switch_is; empty within an array."""
    switch_is: str | None = None
    embedded: bool = True
    hoisted: bool = False
    """Its max_count stands in front of the outermost structure already."""
    marshaled: bool = False
    """What an interface pointer points to."""


def encode(
    operation: Operation,
    direction: Direction,
    values: Mapping[str, Any],
    types: Mapping[str, Type],
    syntax: Syntax,
    byte_order: ByteOrder,
    *,
    fill: int = 0,
    before: bytes = b"",
) -> bytes:
    """Counts come from the values, except the max_count of a varying array whose size_is member is larger.

    `fill` goes into the gaps, which peers leave as their memory was. `before` stands in front of the parameters,
    ORPCTHIS or ORPCTHAT: alignment counts from its first byte, and it is part of what is returned.

    TypeError, ValueError or struct.error for values that the declaration cannot hold.
    """
    encoder = _Encoder(Layout(types, syntax), byte_order, fill)
    encoder.stub += before
    for member in operation.on_the_wire(direction):
        encoder.parameter(member, values)
    return bytes(encoder.stub)


def encode_type(
    declared: Type, value: object, types: Mapping[str, Type], syntax: Syntax, byte_order: ByteOrder, *, fill: int = 0
) -> bytes:
    """A value by itself, as if it were the only parameter."""
    encoder = _Encoder(Layout(types, syntax), byte_order, fill)
    encoder.parameter(Member("value", declared), {"value": value})
    return bytes(encoder.stub)


@dataclass(frozen=True, slots=True)
class _Raw:
    """The elements of a raw array."""

    octets: bytes
    width: int

    def __len__(self) -> int:
        return len(self.octets) // self.width


class _Encoder:
    def __init__(self, layout: Layout, byte_order: ByteOrder, fill: int) -> None:
        self._layout = layout
        self._order = byte_order
        self._announced = byte_order
        """The PDU's, also within what is little-endian in any case."""
        self._fill = bytes((fill,))
        self._referent_id = _FIRST_REFERENT_ID
        self._deferred: list[tuple[Spot, ByteOrder]] = []
        """Each with the byte order around it."""
        self.stub = bytearray()

    def parameter(self, member: Member, values: Mapping[str, Any]) -> None:
        declared = self._layout.resolve(member.type)
        if isinstance(declared, Pointer) and declared.kind is PointerKind.REF:
            declared = self._layout.resolve(declared.to)
        value = values.get(member.name) if member.name else values
        self._write(Spot(declared, value, values, member.switch_is, embedded=False))

    def _align(self, alignment: int) -> None:
        self.stub += self._fill * (-len(self.stub) % alignment)

    def _pack(self, code: str, *values: object) -> None:
        self.stub += struct.pack(self._order + code, *values)

    def _words(self, *values: int) -> None:
        self._align(self._layout.word)
        self._pack(self._layout.word_format * len(values), *values)

    def _write(self, spot: Spot) -> None:
        declared = self._layout.resolve(spot.declared)
        pointer = isinstance(declared, Pointer | InterfacePointer)
        if not spot.embedded and not pointer and self._layout.has_pointers(declared):
            around, self._deferred = self._deferred, []
            self._write(spot._replace(embedded=True))
            mine, self._deferred = self._deferred, around
            for referent, order in mine:
                self._in_order(order, referent)
            return
        match declared:
            case Scalar() | Enum():
                self._align(self._layout.alignment(declared))
                self._pack(self._layout.leaf_format(declared), spot.value)
            case Guid() | ContextHandle():
                self._align(self._layout.alignment(declared))
                self.stub += self._identifier(declared, spot.value)
            case Pointer():
                self._pointer(spot, spot._replace(declared=declared.to, embedded=False, hoisted=False), declared.kind)
            case InterfacePointer() if spot.marshaled:
                self._marshaled(spot.value)
            case InterfacePointer():
                self._pointer(spot, spot._replace(embedded=False, marshaled=True), PointerKind.UNIQUE)
            case String():
                self._string(declared, spot)
            case Array():
                self._array(declared, spot)
            case Struct(little_endian=True) if self._order != "<":
                self._in_order("<", spot)
            case Struct():
                self._structure(declared, spot)
            case Union():
                self._union(declared, spot)
            case EncapsulatedUnion():
                self._encapsulated(declared, spot)

    def _in_order(self, order: ByteOrder, spot: Spot) -> None:
        around, self._order = self._order, order
        self._write(spot)
        self._order = around

    def _identifier(self, declared: Guid | ContextHandle, value: object) -> bytes:
        if value is None and isinstance(declared, ContextHandle):
            return bytes(CONTEXT_HANDLE_BYTES)
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is not a {declared.name}")
        raw = guid_bytes(value, self._order)
        return raw if isinstance(declared, Guid) else bytes(4) + raw

    def _pointer(self, spot: Spot, referent: Spot, kind: PointerKind) -> None:
        if spot.value is None and kind is not PointerKind.REF:
            self._words(0)
            return
        self._words(self._referent_id)
        self._referent_id += _REFERENT_ID_STEP
        if spot.embedded:
            self._deferred.append((referent, self._order))
        else:
            self._write(referent)

    def _marshaled(self, value: object) -> None:
        if not isinstance(value, bytes):
            raise TypeError(f"{value!r} is not an object reference")
        around, self._order = self._order, self._announced
        self._words(len(value))
        self._pack("I", len(value))
        self._order = around
        self.stub += value

    def _string(self, declared: String, spot: Spot) -> None:
        if not isinstance(spot.value, str):
            raise TypeError(f"{spot.value!r} is not text")
        raw = self._terminated(declared, spot.value)
        length = len(raw) // declared.of.size
        self._words(*(() if declared.bound is not None or spot.hoisted else (length,)), 0, length)
        self.stub += raw

    def _terminated(self, declared: String, text: str) -> bytes:
        if declared.of.size == 1:
            return text.encode("latin-1") + b"\0"
        return self._wide(text) + b"\0\0"

    def _wide(self, text: str) -> bytes:
        return text.encode("utf-16-le" if self._order == "<" else "utf-16-be", "surrogatepass")

    def _units(self, declared: Array, spot: Spot) -> list[int]:
        """The characters of a buffer, filled up to the size that its count says."""
        if not isinstance(spot.value, str):
            raise TypeError(f"{spot.value!r} is not text")
        raw = self._wide(spot.value)
        units = list(struct.unpack(f"{self._order}{len(raw) // WIDE_BYTES}H", raw))
        size = self._expected(declared.length_is if declared.varying else declared.size_is, spot)
        fill = declared.bound if size is None else size
        return units + [0] * ((fill or 0) - len(units))

    def _array(self, declared: Array, spot: Spot) -> None:
        element = self._layout.resolve(declared.of)
        if is_wide(element):
            spot = spot._replace(value=self._units(declared, spot))
        if declared.raw and isinstance(spot.value, bytes):
            spot = spot._replace(value=self._raw(element, spot.value))
        elements: Any = spot.value
        if not isinstance(elements, bytes | list | _Raw):
            raise TypeError(f"{elements!r} is not an array")
        if declared.bound is not None and len(elements) != declared.bound and not declared.varying:
            raise ValueError(f"{len(elements)} elements, not {declared.bound}")
        if declared.conformant and not spot.hoisted:
            self._words(self._max_count(declared, spot))
        if declared.varying:
            self._words(0, len(elements))
        if isinstance(elements, _Raw):
            self._align(elements.width)
            self.stub += elements.octets
            return
        if is_octets(element):
            self.stub += bytes(elements)
            return
        self._align(self._layout.element_alignment(declared))
        if isinstance(element, Pointer) and self._layout.in_place_nothing(declared):
            referents = [Spot(element.to, value, {}, embedded=False) for value in elements]
            self._deferred += [(referent, self._order) for referent in referents]
            return
        for value in elements:
            self._write(Spot(element, value, {}))

    def _raw(self, element: Type, octets: bytes) -> _Raw:
        if not isinstance(element, Scalar):
            raise TypeError(f"arrays of {element} are not raw")
        raw = _Raw(octets, self._layout.leaf_size(element))
        if len(octets) % raw.width:
            raise ValueError(f"{len(octets)} bytes, no multiple of {raw.width}")
        return raw

    def _max_count(self, declared: Array, spot: Spot) -> int:
        elements: Any = spot.value
        size = self._expected(declared.size_is, spot) if declared.varying else None
        return len(elements) if size is None else max(len(elements), size)

    def _expected(self, expression: str | None, spot: Spot) -> int | None:
        """What a size_is or length_is comes to, where the values say so."""
        size = compared_with(expression)
        if isinstance(size, Rounded):
            whole = spot.around.get(size.member)
            return size.up(whole) if isinstance(whole, int) else None
        if isinstance(size, str):
            size = spot.around.get(size)
        return size if isinstance(size, int) else None

    def _structure(self, declared: Struct, spot: Spot) -> None:
        value: Any = spot.value
        if not isinstance(value, dict):
            raise TypeError(f"{value!r} is not a {declared.name}")
        hoisted = self._layout.conformant(declared)
        if hoisted and not spot.hoisted:
            self._words(self._hoisted_count(declared, value))
        alignment = self._layout.alignment(declared)
        self._align(alignment)
        for member in declared.members:
            inner = value.get(member.name) if member.name else value
            last = hoisted and member is declared.members[-1]
            if last and self._layout.ndr64:
                # [MS-RPCE] 2.2.5.3.4.1: the gap follows the last member that is not conformant.
                self._align(alignment)
            self._write(Spot(member.type, inner, value, member.switch_is, hoisted=last))
        if self._layout.ndr64 and not hoisted:
            self._align(alignment)

    def _hoisted_count(self, declared: Struct, value: Mapping[str, Any]) -> int:
        last = declared.members[-1]
        inner = value.get(last.name)
        match self._layout.resolve(last.type):
            case Struct() as structure if isinstance(inner, dict):
                return self._hoisted_count(structure, inner)
            case Array() as array if isinstance(inner, str):
                return self._max_count(array, Spot(array, self._units(array, Spot(array, inner, value)), value))
            case Array(raw=True) as array if isinstance(inner, bytes):
                return len(self._raw(self._layout.resolve(array.of), inner))
            case Array() as array if isinstance(inner, bytes | list):
                return self._max_count(array, Spot(array, inner, value))
            case String() as string if isinstance(inner, str):
                return len(self._terminated(string, inner)) // string.of.size
        raise ValueError(f"{inner!r} is not a conformant array")

    def _encapsulated(self, declared: EncapsulatedUnion, spot: Spot) -> None:
        value: Any = spot.value
        self._union(declared.union, Spot(declared.union, value[declared.union_name], value, declared.switch_name))

    def _union(self, declared: Union, spot: Spot) -> None:
        value: Any = spot.value
        tag = self._tag(declared, spot)
        layout = self._layout
        self._align(layout.alignment(declared if layout.ndr64 else declared.switch))
        self._pack(layout.leaf_format(declared.switch), tag)
        arm = next((arm for arm in declared.arms if tag in arm.cases), None)
        arm = arm or next((arm for arm in declared.arms if not arm.cases), None)
        if arm is None:
            raise ValueError(f"{declared.name} has no arm for {tag}")
        if arm.member:
            if layout.ndr64:
                self._align(layout.arm_alignment(declared))
            inner = value.get(arm.member.name)
            self._write(Spot(arm.member.type, inner, value, arm.member.switch_is))

    def _tag(self, declared: Union, spot: Spot) -> int:
        """The switch_is member's value; where there is none, the first case of the arm that has a value."""
        tag = spot.around.get(spot.switch_is.strip("* ")) if spot.switch_is else None
        if isinstance(tag, int):
            return declared.expected_tag(tag)
        value: Any = spot.value
        for arm in declared.arms:
            if arm.cases and (arm.member is None or value.get(arm.member.name) is not None):
                return arm.cases[0]
        raise ValueError(f"nothing says which arm of {declared.name} is meant")
