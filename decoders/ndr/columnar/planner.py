"""From a declaration to the steps over lanes and the columns made of what they read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from decoders.limits import MAX_NDR_DEPTH
from decoders.ndr.columnar import arrays, choices
from decoders.ndr.columnar.columns import Column, Nothing, Records
from decoders.ndr.columnar.counts import Compared, Counts, Holder
from decoders.ndr.columnar.lanes import DECLINED
from decoders.ndr.columnar.leaves import LeafRead, beyond, leaf_read
from decoders.ndr.columnar.scopes import Scope, Unplannable
from decoders.ndr.counts import compared_with
from decoders.ndr.layout import WIDE_BYTES, Layout, is_octets, is_wide
from decoders.ndr.model import Array, Enum, Pointer, PointerKind, Scalar, String, Struct, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from decoders.ndr.columnar.lanes import Batch, Frame, Lane
    from decoders.ndr.columnar.scopes import Build, Wrong
    from decoders.ndr.layout import Declared
    from decoders.ndr.model import Member, Syntax, Type

_LARGEST_ALIGNMENT = 8
_Made = TypeVar("_Made")


class Use(NamedTuple):
    """What the surroundings say about a type."""

    holder: Holder | None = None
    """None within arrays, whose elements have no names."""
    limits: tuple[int, int] | None = None
    switch_is: str | None = None
    embedded: bool = True
    hoisted: int | None = None
    """The slot of the max_count that was read in front of the outermost structure."""


class Planner:
    def __init__(self, types: Mapping[str, Type], syntax: Syntax, byte_order: str) -> None:
        self._layout = Layout(types, syntax)
        self._order = byte_order
        self._word = byte_order + ("u8" if self._layout.ndr64 else "u4")
        self._open: list[Declared] = []
        """What is being planned, from the outside in."""

    def parameters(self, members: Sequence[Member]) -> tuple[Scope, Build]:
        """Of one request or response; a stub begins aligned for everything."""
        scope = Scope(_LARGEST_ALIGNMENT)
        declared = [self._parameter(member.type) for member in members]
        holder = self._holder(scope, members, declared)
        entries: list[tuple[str, Build]] = []
        for member, inner in zip(members, declared, strict=True):
            entries += self._member(scope, member, inner, Use(holder, member.range, member.switch_is, embedded=False))
        return scope, _records(entries)

    def _parameter(self, declared: Type) -> Declared:
        inner = self._layout.resolve(declared)
        # A reference pointer as parameter has no representation: [C706] 14.3.11.
        if isinstance(inner, Pointer) and inner.kind is PointerKind.REF:
            return self._layout.resolve(inner.to)
        return inner

    def _holder(self, scope: Scope, members: Sequence[Member], declared: Sequence[Declared]) -> Holder:
        slots: dict[str, int | None] = {}
        integers = set()
        for member, inner in zip(members, declared, strict=True):
            if isinstance(inner, Union) and not member.name:
                slots |= {arm.member.name: None for arm in inner.arms if arm.member}
            else:
                slots[member.name] = None
            if isinstance(inner, Enum) or (isinstance(inner, Scalar) and not inner.floating):
                integers.add(member.name)
        return Holder(scope, slots, frozenset(integers))

    def _member(self, scope: Scope, member: Member, declared: Declared, use: Use) -> list[tuple[str, Build]]:
        """The columns that stand for the member: several for an unnamed union."""
        if isinstance(declared, Union):
            arms = self._with_referents(scope, use, partial(self._union, scope, declared, use, named=bool(member.name)))
            return [(member.name, _records(arms))] if member.name else arms
        before = scope.slots
        build = self._value(scope, declared, use)
        if use.holder and member.name in use.holder.integers:
            use.holder.slots[member.name] = before
        return [(member.name, build)]

    def _value(self, scope: Scope, declared: Type, use: Use) -> Build:
        declared = self._layout.resolve(declared)
        if isinstance(declared, Struct) and any(declared is outer for outer in self._open):
            return self._left_out(scope)
        if len(self._open) >= MAX_NDR_DEPTH:
            raise Unplannable
        self._open.append(declared)
        build = self._with_referents(scope, use, partial(self._in_place, scope, declared, use))
        self._open.pop()
        return build

    def _with_referents(self, scope: Scope, use: Use, make: Callable[[], _Made]) -> _Made:
        """What is not embedded is followed by the referents of the pointers in it."""
        if use.embedded:
            return make()
        around, scope.later = scope.later, []
        made = make()
        for follow in scope.later:
            follow()
        scope.later = around
        return made

    def _in_place(self, scope: Scope, declared: Declared, use: Use) -> Build:
        match declared:
            case Pointer():
                return self._pointer(scope, declared, use)
            case String():
                return self._string(scope, declared, use)
            case Array():
                return self._array(scope, declared, use)
            case Struct():
                return self._structure(scope, declared, use)
            case Union():
                return _records(self._union(scope, declared, use, named=True))
        leaf = leaf_read(declared, self._layout, self._order, use.limits)
        return _leaf(scope.field(leaf.dtype, leaf.size, leaf.alignment, leaf.wrong), leaf)

    def _words(self, scope: Scope) -> int:
        return scope.field(self._word, self._layout.word, self._layout.word)

    def _pointer(self, scope: Scope, declared: Pointer, use: Use) -> Build:
        ids, slot = self._words(scope), scope.slot()
        value: list[Build] = []
        outer = tuple(self._open)

        def follow() -> None:
            # What a type within itself is measured by: the types around the pointer, not those around its referent.
            opened, self._open = self._open, list(outer)
            inner = scope.within()
            value.append(self._value(inner, declared.to, use._replace(embedded=False, hoisted=None)))
            self._open = opened
            steps = inner.finished()
            ndr64 = self._layout.ndr64 and use.embedded
            scope.add(choices.referent(steps, inner, declared.kind, ids, slot, never_null=ndr64))

        if use.embedded:
            scope.later.append(follow)
        else:
            follow()
        return choices.of_referent(slot, value)

    def _string(self, scope: Scope, declared: String, use: Use) -> Build:
        most = None
        if declared.bound is None:
            most = self._words(scope) if use.hoisted is None else use.hoisted
        offset, actual = self._words(scope), self._words(scope)
        wrong = [(actual, beyond(use.limits))] if use.limits else []
        counts = Counts(declared.bound, most, offset, actual, wrong)
        slot = scope.slot()
        scope.add(arrays.string(counts, declared.of.size, slot))
        return arrays.spans(slot, declared.of.size, self._order)

    def _array(self, scope: Scope, declared: Array, use: Use) -> Build:
        element = self._layout.resolve(declared.of)
        counts = self._counts(scope, declared, use)
        slot = scope.slot()
        if is_octets(element):
            scope.add(arrays.octets(counts, slot))
            return arrays.spans(slot, 0, self._order)
        if is_wide(element):
            scope.add(arrays.buffer(counts, slot))
            return arrays.spans(slot, WIDE_BYTES, self._order)
        if isinstance(element, Pointer | Array | String | Struct | Union):
            return self._elements(scope, declared, element, counts, slot)
        leaf = leaf_read(element, self._layout, self._order, None)
        scope.add(arrays.leaves(counts, leaf, slot))
        return arrays.leaf_lists(slot, leaf)

    def _elements(self, scope: Scope, declared: Array, element: Declared, counts: Counts, slot: int) -> Build:
        layout = self._layout
        least = layout.least_bytes(element)
        conformant = layout.conformant(element) and not isinstance(element, String)
        if layout.in_place_nothing(declared) or conformant or not least:
            raise Unplannable
        scope.align(layout.alignment(element))
        inner = Scope(1, around=scope)
        build = self._value(inner, element, Use())
        steps = inner.finished()
        yields = layout.values(element)
        scope.add(arrays.constructions(counts, steps, inner, slot, least=least, yields=yields))
        if inner.later:

            def follow() -> None:
                for each in inner.later:
                    each()
                scope.add(arrays.construction_referents(inner.finished(), slot))

            scope.later.append(follow)
        return arrays.construction_lists(slot, build)

    def _counts(self, scope: Scope, declared: Array, use: Use) -> Counts:
        most = offset = actual = None
        wrong: list[tuple[int, Wrong]] = []
        compared: list[tuple[int, Compared]] = []
        if declared.conformant:
            most = self._words(scope) if use.hoisted is None else use.hoisted
            wrong += [(most, beyond(use.limits))] if use.limits else []
            self._compare(scope, most, declared.size_is, use.holder, wrong, compared)
        if declared.varying:
            offset, actual = self._words(scope), self._words(scope)
            self._compare(scope, actual, declared.length_is, use.holder, wrong, compared)
        return Counts(declared.bound, most, offset, actual, wrong, compared)

    def _compare(
        self,
        scope: Scope,
        slot: int,
        expression: str | None,
        holder: Holder | None,
        wrong: list[tuple[int, Wrong]],
        compared: list[tuple[int, Compared]],
    ) -> None:
        """A count with the constant or the member that size_is or length_is names."""
        expected = compared_with(expression)
        if isinstance(expected, int):
            wrong.append((slot, beyond((expected, expected))))
        elif expected and holder and expected in holder.slots:
            if expected not in holder.integers:
                raise Unplannable
            compared.append((slot, Compared(holder, holder.depth_below(scope), expected)))

    def _structure(self, scope: Scope, declared: Struct, use: Use) -> Build:
        layout = self._layout
        alignment, conformant, hoisted = layout.alignment(declared), layout.conformant(declared), use.hoisted
        if conformant and hoisted is None:
            hoisted = self._words(scope)
        scope.align(alignment)
        members = [layout.resolve(member.type) for member in declared.members]
        holder = self._holder(scope, declared.members, members)
        entries: list[tuple[str, Build]] = []
        for member, inner in zip(declared.members, members, strict=True):
            last = hoisted if conformant and member is declared.members[-1] else None
            if last is not None and layout.ndr64:
                scope.align(alignment)
            entries += self._member(scope, member, inner, Use(holder, member.range, member.switch_is, hoisted=last))
        if layout.ndr64 and not conformant:
            scope.align(alignment)
        return _records(entries)

    def _union(self, scope: Scope, declared: Union, use: Use, *, named: bool) -> list[tuple[str, Build]]:
        layout = self._layout
        if layout.ndr64:
            scope.align(layout.alignment(declared))
        switch = leaf_read(declared.switch, layout, self._order, None)
        tag = scope.field(switch.dtype, switch.size, switch.alignment)
        slot = scope.slot()
        arms: dict[int | None, int] = {}
        scopes: list[Scope] = []
        entries: list[tuple[str, Build]] = []
        for number, arm in enumerate(declared.arms):
            arms.update(dict.fromkeys(arm.cases or (None,), number))
            inner = scope.within()
            scopes.append(inner)
            if arm.member:
                if layout.ndr64:
                    inner.align(layout.arm_alignment(declared))
                held = Use(None if named else use.holder, arm.member.range, arm.member.switch_is)
                build = self._value(inner, arm.member.type, held)
                entries.append((arm.member.name, choices.of_arm(slot, number, build)))
        bodies = [(inner.finished(), inner) for inner in scopes]
        scope.add(choices.union(arms, bodies, tag, self._switch(scope, use), slot))
        if any(inner.later for inner in scopes):
            scope.later.append(partial(self._follow_arms, scope, scopes, slot))
        return entries

    def _follow_arms(self, scope: Scope, arms: Sequence[Scope], slot: int) -> None:
        for arm in arms:
            for follow in arm.later:
                follow()
        scope.add(choices.union_referents([arm.finished() for arm in arms], slot))

    def _switch(self, scope: Scope, use: Use) -> int | None:
        """The slot of the switch_is member; the interpreter compares only with what was read before."""
        name = use.switch_is.strip("* ") if use.switch_is else None
        if not name or not use.holder or name not in use.holder.slots:
            return None
        if name not in use.holder.integers or use.holder.scope is not scope:
            raise Unplannable
        return use.holder.slots[name]

    def _left_out(self, scope: Scope) -> Build:
        """A type within itself: rows that get there are declined."""

        def step(_batch: Batch, lane: Lane, _frame: Frame) -> None:
            lane.size[:] = DECLINED

        scope.add(step)
        return lambda frame: Nothing(frame.rows)


def _records(entries: Sequence[tuple[str, Build]]) -> Build:
    def build(frame: Frame) -> Column:
        return Records(frame.rows, {name: value(frame) for name, value in entries})

    return build


def _leaf(slot: int, leaf: LeafRead) -> Build:
    return lambda frame: leaf.column(frame.slots[slot])
