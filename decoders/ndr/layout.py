"""Sizes and alignments that follow from a declaration alone: [C706] 14.2 and 14.3, [MS-RPCE] 2.2.4 and 2.2.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.ndr.model import (
    Array,
    ContextHandle,
    EncapsulatedUnion,
    Enum,
    Guid,
    InterfacePointer,
    Named,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Syntax,
    Type,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

Leaf: TypeAlias = Scalar | Enum | Guid | ContextHandle

Declared: TypeAlias = Leaf | Pointer | InterfacePointer | Array | String | Struct | Union | EncapsulatedUnion
"""Any type but Named."""

GUID_BYTES: Final = 16
CONTEXT_HANDLE_BYTES: Final = 20
WIDE_BYTES: Final = 2

_INTEGER: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
_FLOATING: Final = {4: "f", 8: "d"}


def is_octets(declared: Type) -> bool:
    """Arrays of it are bytes in Python."""
    return isinstance(declared, Scalar) and declared.size == 1 and not declared.signed


def is_wide(declared: Type) -> bool:
    """Arrays of it are text in Python."""
    return isinstance(declared, Scalar) and declared.character and declared.size == WIDE_BYTES


class Layout:
    """One transfer syntax applied to one interface's types."""

    def __init__(self, types: Mapping[str, Type], syntax: Syntax) -> None:
        self._types = types
        self._measured: set[str] = set()
        self.ndr64 = syntax is Syntax.NDR64
        self.word = 8 if self.ndr64 else 4
        """Bytes of a count or a referent id, and their alignment."""
        self.word_format = _INTEGER[self.word]

    def resolve(self, declared: Type) -> Declared:
        seen = set()
        while isinstance(declared, Named):
            if declared.name in seen or declared.name not in self._types:
                raise ValueError(f"{declared.name} is not declared")
            seen.add(declared.name)
            declared = self._types[declared.name]
        return declared

    def leaf_format(self, leaf: Leaf) -> str:
        """Without byte order, as `struct` writes it."""
        match leaf:
            case Scalar():
                code = (_FLOATING if leaf.floating else _INTEGER)[self.leaf_size(leaf)]
                return code.lower() if leaf.signed else code
            case Enum():
                # [C706] 14.2.5 has no sign for enumerations; [MS-RPCE] 2.2.4.6 and 2.2.5.2 make the long ones signed.
                return "i" if self.ndr64 or leaf.v1_enum else "H"
            case Guid():
                return f"{GUID_BYTES}s"
            case ContextHandle():
                return f"{CONTEXT_HANDLE_BYTES}s"

    def leaf_size(self, leaf: Leaf) -> int:
        match leaf:
            case Scalar():
                return self.word if leaf.int3264 else leaf.size
            case Enum():
                return 4 if self.ndr64 or leaf.v1_enum else 2
            case Guid():
                return GUID_BYTES
            case ContextHandle():
                return CONTEXT_HANDLE_BYTES

    def alignment(self, declared: Type) -> int:
        match declared:
            case Scalar() | Enum():
                return self.leaf_size(declared)
            case Guid() | ContextHandle():
                return 4
            case Pointer() | InterfacePointer():
                return self.word
            case Named():
                return self._named_alignment(declared)
            case Array():
                # [C706] 14.3.2 counts an array's size information too. A lone max_count has left the structure in
                # NDR64, whose structures are laid out as in memory, where there is no count.
                counted = declared.varying or (declared.conformant and not self.ndr64)
                return max(self.element_alignment(declared), self.word if counted else 1)
            case String():
                return self.word
            case Struct():
                return max((self.alignment(member.type) for member in declared.members), default=1)
            case Union():
                return max(self.alignment(declared.switch), self.arm_alignment(declared))
            case EncapsulatedUnion():
                return self.alignment(declared.union)

    def _named_alignment(self, declared: Named) -> int:
        if declared.name in self._measured:
            raise ValueError(f"{declared.name} contains itself without a pointer between")
        self._measured.add(declared.name)
        alignment = self.alignment(self.resolve(declared))
        self._measured.remove(declared.name)
        return alignment

    def arm_alignment(self, union: Union) -> int:
        """The largest of all arms."""
        return max((self.alignment(arm.member.type) for arm in union.arms if arm.member), default=1)

    def element_alignment(self, array: Array) -> int:
        return 1 if self.in_place_nothing(array) else self.alignment(array.of)

    def in_place_nothing(self, array: Array) -> bool:
        """An array of reference pointers has only referents: [C706] 14.3.12.1. Not in NDR64: [MS-RPCE] 2.2.5.3.5.1."""
        element = self.resolve(array.of)
        return not self.ndr64 and isinstance(element, Pointer) and element.kind is PointerKind.REF

    def conformant(self, declared: Type) -> bool:
        """Its max_count stands in front of the outermost structure around it: [C706] 14.3.7.1."""
        match self.resolve(declared):
            case Array(bound=None) | String(bound=None):
                return True
            case Struct(members=(*_, last)):
                return self.conformant(last.type)
        return False

    def least_bytes(self, declared: Type) -> int:
        """No representation is shorter, whatever its alignment and counts."""
        match declared:
            case Scalar() | Enum() | Guid() | ContextHandle():
                return self.leaf_size(declared)
            case Pointer() | InterfacePointer():
                return self.word
            case Named():
                return self.least_bytes(self.resolve(declared))
            case Array():
                if declared.bound is not None and not declared.varying:
                    return declared.bound * self.least_bytes(declared.of)
                return self.word * (declared.conformant + 2 * declared.varying)
            case String():
                return (
                    declared.of.size if not declared.written else self.word * (2 if declared.bound is not None else 3)
                )
            case Struct():
                return sum(self.least_bytes(member.type) for member in declared.members)
            case Union():
                return self.least_bytes(declared.switch)
            case EncapsulatedUnion():
                return self.least_bytes(declared.union)

    def values(self, declared: Type) -> int:
        """Python values that one instance holds before its arrays are counted."""
        match declared:
            case Named():
                return self.values(self.resolve(declared))
            case Struct():
                return 1 + sum(self.values(member.type) for member in declared.members)
            case Union():
                arms = [arm.member for arm in declared.arms if arm.member]
                names = min(len(arms), 1) if declared.sparse else len(arms)
                return 1 + names + max((self.values(arm.type) for arm in arms), default=0)
            case EncapsulatedUnion():
                return 2 + self.values(declared.union)
        return 1

    def has_pointers(self, declared: Type) -> bool:
        """In place, so that referents follow."""
        match declared:
            case Pointer() | InterfacePointer():
                return True
            case Named():
                return self.has_pointers(self.resolve(declared))
            case Array():
                return self.has_pointers(declared.of)
            case Struct():
                return any(self.has_pointers(member.type) for member in declared.members)
            case Union():
                return any(self.has_pointers(arm.member.type) for arm in declared.arms if arm.member)
            case EncapsulatedUnion():
                return self.has_pointers(declared.union)
        return False
