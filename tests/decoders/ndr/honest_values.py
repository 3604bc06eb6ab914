"""Honest values for any declared operation."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from decoders.ndr.counts import Rounded, compared_with
from decoders.ndr.layout import is_octets, is_wide
from decoders.ndr.model import (
    Array,
    ContextHandle,
    EncapsulatedUnion,
    Enum,
    Guid,
    InterfacePointer,
    Named,
    ObjrefBytes,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Union,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

    from decoders.ndr.model import Member, Type


class Honest:
    """Values as a peer that keeps to the IDL would send them; types within themselves stay empty."""

    def __init__(self, types: Mapping[str, Type], rng: random.Random) -> None:
        self._types = types
        self._rng = rng
        self._open: list[Type] = []

    def members(self, members: Sequence[Member]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for member in members:
            declared = self._resolved(member.type)
            if isinstance(declared, Union):
                tag, arms = self._union(declared)
                values |= arms if not member.name else {member.name: arms}
                if member.switch_is:
                    values[member.switch_is] = tag
            elif member.name not in values:
                values[member.name] = self._value(declared, member)
        arrays = [(member.name, self._array_of(member)) for member in members]
        width = {name: self._width(array) for name, array in arrays if array}
        sizes = [
            (compared_with(expression), name)
            for name, array in arrays
            if array and values[name] is not None
            for expression in (array.size_is, array.length_is)
        ]
        for size in {size for size, _ in sizes if size in values}:
            named = [name for other, name in sizes if other == size]
            values[size] = min(len(values[name]) // width[name] for name in named)
            values.update({name: values[name][: values[size] * width[name]] for name in named})
        for compared, name in sizes:
            if isinstance(compared, Rounded):
                values[compared.member] = len(values[name])
                filled = compared.up(len(values[name])) - len(values[name])
                values[name] += bytes(filled) if isinstance(values[name], bytes) else [None] * filled
        return values

    def _width(self, array: Array) -> int:
        """Places in its value that an element takes."""
        element = self._resolved(array.of)
        return element.size if array.raw and isinstance(element, Scalar) else 1

    def _array_of(self, member: Member) -> Array | None:
        declared = self._resolved(member.type)
        while isinstance(declared, Pointer):
            declared = self._resolved(declared.to)
        return declared if isinstance(declared, Array) else None

    def _value(self, declared: Type, member: Member | None = None) -> Any:  # noqa: ANN401
        declared = self._resolved(declared)
        rng = self._rng
        match declared:
            case Scalar() if declared.floating:
                return rng.choice((0.0, -1.5, 2.0**20))
            case Scalar():
                bits = 32 if declared.int3264 else 8 * declared.size
                low = -(1 << bits - 1) if declared.signed else 0
                low, high = (member and member.range) or declared.range or (low, low + (1 << bits) - 1)
                return rng.choice((low, high, rng.randint(low, high)))
            case Enum():
                return rng.choice(declared.members)[1]
            case Guid():
                return str(uuid.UUID(int=rng.getrandbits(128)))
            case ContextHandle():
                return rng.choice((None, str(uuid.UUID(int=rng.getrandbits(127) + 1))))
            case Pointer():
                null = declared.kind is not PointerKind.REF and rng.random() < 0.2
                null = null or any(self._resolved(declared.to) is outer for outer in self._open)
                return None if null else self._value(declared.to, member)
            case InterfacePointer():
                return rng.choice((None, ObjrefBytes(rng.randbytes(40))))
            case EncapsulatedUnion():
                tag, arms = self._union(declared.union)
                return {declared.switch_name: tag, declared.union_name: arms}
            case String():
                most = min(12, (declared.bound or 13) - 1)
                letters = "queue\\é" + ("€\U0001f4e8" if declared.of.size == 2 else "")
                return "".join(rng.choice(letters) for _ in range(rng.randint(0, most)))[: most // 2]
            case Array():
                return self._array(declared)
            case Struct():
                self._open.append(declared)
                value = self.members(declared.members)
                self._open.pop()
                return value
        raise AssertionError(declared)

    def _array(self, declared: Array) -> bytes | str | list[Any]:
        element = self._resolved(declared.of)
        number = self._rng.choice((1, 2, 7)) if declared.bound is None else declared.bound
        if isinstance(constant := compared_with(declared.size_is), int):
            return self._rng.randbytes(constant)
        if any(element is outer for outer in self._open):
            number = 0
        if declared.raw:
            return self._rng.randbytes(number * self._width(declared))
        if is_octets(element):
            return self._rng.randbytes(number * 3 if declared.bound is None else number)
        if is_wide(element):
            return "".join(self._rng.choice("queue\\é€") for _ in range(number))
        return [self._value(element) for _ in range(number)]

    def _union(self, declared: Union) -> tuple[int, dict[str, Any]]:
        arms: dict[str, Any] = {arm.member.name: None for arm in declared.arms if arm.member and not declared.sparse}
        arm = self._rng.choice([arm for arm in declared.arms if arm.cases])
        if arm.member:
            arms[arm.member.name] = self._value(arm.member.type, arm.member)
        return self._rng.choice(arm.cases), arms

    def _resolved(self, declared: Type) -> Type:
        while isinstance(declared, Named):
            declared = self._types[declared.name]
        return declared
