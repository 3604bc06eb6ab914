"""From a declaration to steps. What a declaration decides is decided here, once; a step looks only at bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from decoders.ndr import arrays
from decoders.ndr.counts import Count, conformance, variance
from decoders.ndr.fields import Field, leaf_field, run, single
from decoders.ndr.interface_pointers import marshaled
from decoders.ndr.layout import Layout, is_octets, is_wide
from decoders.ndr.model import (
    Array,
    EncapsulatedUnion,
    InterfacePointer,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Union,
)
from decoders.ndr.pointers import embedded, not_embedded, outermost
from decoders.ndr.strings import buffer, string, string_or_character
from decoders.ndr.structures import conformant, gap, nothing_read, structure
from decoders.ndr.unions import Chosen, encapsulated, union

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoders.ndr.layout import Declared
    from decoders.ndr.model import Member, Syntax, Type
    from decoders.ndr.reader import Container, Key, Place, Reader, Step

LARGEST_ALIGNMENT = 8
_LITTLE_ENDIAN = "<"


class Use(NamedTuple):
    """What a member says about its type, whichever pointers stand between them."""

    limits: tuple[int, int] | None = None
    switch_is: str | None = None
    embedded: bool = True
    """Within a construction, so that referents wait for its end."""
    hoisted: bool = False
    """Its max_count was read in front of the outermost structure."""
    unnamed: bool = False
    last: bool = False
    """The stub ends behind it."""


class Compiler:
    def __init__(self, types: Mapping[str, Type], syntax: Syntax, byte_order: str) -> None:
        self.layout = Layout(types, syntax)
        self._order = byte_order
        self._made: dict[tuple[Type, Use], Step] = {}
        self._begun: set[tuple[Type, Use]] = set()
        self._type_numbers: dict[Type, int] = {}
        self._announced = byte_order
        """The PDU's byte order, also within what is little-endian in any case."""
        self._little: Compiler = self if byte_order == _LITTLE_ENDIAN else self._little_endian(types, syntax)

    def _little_endian(self, types: Mapping[str, Type], syntax: Syntax) -> Compiler:
        little = Compiler(types, syntax, _LITTLE_ENDIAN)
        little._announced = self._announced
        little._type_numbers = self._type_numbers
        return little

    def parameters(self, members: Sequence[Member], alignment: int = LARGEST_ALIGNMENT) -> list[tuple[Step, str]]:
        """`alignment`: what the place of the first one is a multiple of."""
        return self._parts(members, alignment, embedded=False)

    def _parts(self, members: Sequence[Member], alignment: int, *, embedded: bool) -> list[tuple[Step, str]]:
        """Neighbours of fixed size become one step as long as the distance between them is known."""
        parts: list[tuple[Step, str]] = []
        waiting: list[tuple[str, Field]] = []
        known, aligns = alignment, False

        def flush() -> None:
            if waiting:
                parts.append((run(tuple(waiting), self._order, aligns=aligns), ""))
                waiting.clear()

        for member in members:
            last = not embedded and member is members[-1]
            use = Use(member.range, member.switch_is, embedded, unnamed=not member.name, last=last)
            if embedded and self.layout.conformant(member.type):
                if member is not members[-1]:
                    raise ValueError(f"{member.name} is conformant but not the structure's last member")
                use = use._replace(hoisted=True)
            declared = self.layout.resolve(member.type)
            if not embedded and isinstance(declared, Pointer) and declared.kind is PointerKind.REF:
                # A reference pointer as parameter has no representation: [C706] 14.3.11.
                declared = self.layout.resolve(declared.to)
                field = None if isinstance(declared, Pointer | InterfacePointer) else self._field(declared, use)
            else:
                field = self._field(declared, use)
            if field is None:
                flush()
                parts.append((self._step(declared, use), member.name))
                known = 0
                continue
            if field.alignment > known:
                flush()
                known, aligns = field.alignment, True
            waiting.append((member.name, field))
        flush()
        return parts

    def _field(self, declared: Declared, use: Use) -> Field | None:
        """For values of fixed size whose reading is not followed by something else at once."""
        match declared:
            case Pointer() | InterfacePointer():
                return self._embedded_pointer(declared, use) if use.embedded else None
            case Array() | String() | Struct() | Union() | EncapsulatedUnion():
                return None
        return leaf_field(declared, self.layout, self._order, use.limits)

    def _step(self, declared: Type, use: Use) -> Step:
        declared = self.layout.resolve(declared)
        made = self._made.get((declared, use))
        if made:
            return made
        if (declared, use) in self._begun:
            return self._later((declared, use))
        self._begun.add((declared, use))
        step = self._new_step(declared, use)
        self._made[declared, use] = step
        return step

    def _later(self, what: tuple[Type, Use]) -> Step:
        """For a type within itself, which is not made yet."""
        made = self._made

        def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
            made[what](reader, container, key, place)

        return step

    def _new_step(self, declared: Declared, use: Use) -> Step:
        layout = self.layout
        match declared:
            case Pointer() | InterfacePointer():
                if use.embedded:
                    return single(self._embedded_pointer(declared, use), self._order)
                kind, referent, number = self._pointed(declared, use)
                return not_embedded(kind, referent, layout, self._order, number)
            case Struct(little_endian=True) if self is not self._little:
                return self._little._step(declared, use)
            case String():
                return self._string(declared, use)
            case Array():
                step = self._array(declared, use)
            case Struct():
                step = self._structure(declared, use)
            case Union():
                step = self._union(declared, use)
            case EncapsulatedUnion():
                step = encapsulated(declared, self._arms(declared.union), layout, self._order)
            case _:
                return single(leaf_field(declared, layout, self._order, use.limits), self._order)
        if use.embedded or not layout.has_pointers(declared):
            return step
        return outermost(step, layout.values(declared))

    def _pointed(self, pointer: Pointer | InterfacePointer, use: Use) -> tuple[PointerKind, Step, int]:
        """Kind, referent, and the number of the referent's type."""
        if isinstance(pointer, InterfacePointer):
            return PointerKind.UNIQUE, marshaled(self.layout, self._announced), 0
        return pointer.kind, self._referent(pointer, use), self._type_number(pointer.to)

    def _referent(self, pointer: Pointer, use: Use) -> Step:
        return self._step(pointer.to, use._replace(embedded=False, hoisted=False, unnamed=False))

    def _embedded_pointer(self, pointer: Pointer | InterfacePointer, use: Use) -> Field:
        kind, referent, number = self._pointed(pointer, use)
        return embedded(kind, referent, self.layout, number)

    def _type_number(self, declared: Type) -> int:
        return self._type_numbers.setdefault(self.layout.resolve(declared), len(self._type_numbers))

    def _string(self, declared: String, use: Use) -> Step:
        layout, order = self.layout, self._order
        maximum = (
            conformance(layout, order, None, None, hoisted=use.hoisted) if declared.bound is None else declared.bound
        )
        step = string(declared, variance(layout, order, None, maximum, use.limits), order)
        if declared.written or not use.last:
            return step
        return string_or_character(declared, step, order)

    def _array(self, declared: Array, use: Use) -> Step:
        layout, element = self.layout, self.layout.resolve(declared.of)
        count = self._count(declared, use)
        if declared.raw and isinstance(element, Scalar):
            return arrays.raw(count, layout.leaf_size(element))
        if is_octets(element):
            return arrays.octets(count)
        if is_wide(element):
            return buffer(count, self._order)
        if layout.conformant(element) and not isinstance(element, String):
            raise ValueError("an array's elements cannot be conformant")
        if isinstance(element, Pointer) and layout.in_place_nothing(declared):
            least = layout.least_bytes(element.to)
            return arrays.references(count, self._referent(element, Use()), least)
        field = self._field(element, Use())
        if field:
            return arrays.leaves(count, field, self._order)
        least, values, alignment = layout.least_bytes(element), layout.values(element), layout.alignment(element)
        return arrays.constructions(count, self._step(element, Use()), least, values, alignment)

    def _count(self, declared: Array, use: Use) -> Count:
        layout, order, bound = self.layout, self._order, declared.bound
        if bound is None:
            maximum = conformance(layout, order, declared.size_is, use.limits, hoisted=use.hoisted)
            return variance(layout, order, declared.length_is, maximum) if declared.varying else maximum
        if declared.varying:
            return variance(layout, order, declared.length_is, bound)
        return lambda _reader, _container, _key, _place: bound

    def _structure(self, declared: Struct, use: Use) -> Step:
        layout, alignment = self.layout, self.layout.alignment(declared)
        parts = self._parts(declared.members, alignment, embedded=True)
        template = nothing_read(declared.members, layout)
        if layout.ndr64:
            # [MS-RPCE] 2.2.5.3.4.1: it follows the last member that is not conformant.
            parts.insert(len(parts) - layout.conformant(declared), (gap(alignment), ""))
        step = structure(template, parts, alignment)
        if layout.conformant(declared) and not use.hoisted:
            return conformant(step, layout, self._order)
        return step

    def _union(self, declared: Union, use: Use) -> Step:
        arms = self._arms(declared)
        return union(declared, arms, self.layout, self._order, use.switch_is, unnamed=use.unnamed)

    def _arms(self, declared: Union) -> dict[int | None, Chosen]:
        arms: dict[int | None, Chosen] = {}
        for arm in declared.arms:
            member = arm.member
            chosen: Chosen = (None, "")
            if member:
                chosen = self._step(member.type, Use(member.range, member.switch_is)), member.name
            # An arm without cases is the default.
            arms.update(dict.fromkeys(arm.cases or (None,), chosen))
        return arms
