"""Random declarations together with values that fit them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from decoders.ndr.base_types import BYTE, CHAR, DOUBLE, DWORD, FLOAT, LONG, SHORT, SIGNED_CHAR, ULONGLONG, USHORT, WCHAR
from decoders.ndr.model import (
    Arm,
    Array,
    ContextHandle,
    EncapsulatedUnion,
    Enum,
    Guid,
    InterfacePointer,
    Member,
    Named,
    ObjrefBytes,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Type,
    Union,
)

from .operations import request

if TYPE_CHECKING:
    from decoders.ndr.model import Operation


class Shape(NamedTuple):
    type: Type
    values: st.SearchStrategy[Any]
    conformant: bool = False


class Choice(NamedTuple):
    """A union's value before it is known where the tag and the arms go."""

    tag: int
    values: dict[str, Any]
    arms: tuple[str, ...]


NODE = Struct(
    "NODE", (Member("tag", SHORT), Member("left", Pointer(Named("NODE"))), Member("right", Pointer(Named("NODE"))))
)
TYPES = {"NODE": NODE}
COLOUR = Enum("COLOUR", (("RED", 0), ("GREEN", 7), ("BLUE", 32767)))
COLOUR32 = Enum("COLOUR32", COLOUR.members, v1_enum=True)

HEX = st.integers(1, 2**128 - 1).map(lambda number: f"{number:032x}")
GUIDS = HEX.map(lambda text: f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")


BASIC = st.characters(min_codepoint=0, max_codepoint=0xFFFF, exclude_categories=["Cs"])
NARROW = st.characters(min_codepoint=0, max_codepoint=0xFF)


def _integers(scalar: Scalar) -> st.SearchStrategy[int]:
    bits = 8 * scalar.size
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if scalar.signed else st.integers(0, 2**bits - 1)


LEAVES = [
    *(Shape(scalar, _integers(scalar)) for scalar in (BYTE, SIGNED_CHAR, USHORT, SHORT, DWORD, LONG, ULONGLONG)),
    Shape(FLOAT, st.floats(allow_nan=False, width=32)),
    Shape(DOUBLE, st.floats(allow_nan=False)),
    Shape(COLOUR, st.sampled_from([0, 7, 32767])),
    Shape(COLOUR32, st.sampled_from([0, 7, 32767])),
    Shape(Guid(), GUIDS),
    Shape(ContextHandle("H"), st.none() | GUIDS),
    Shape(InterfacePointer("I"), st.none() | st.binary(max_size=6).map(ObjrefBytes)),
    Shape(Scalar("ULONG_PTR", 8, int3264=True), st.integers(0, 2**32 - 1)),
]

nodes: st.SearchStrategy[Any] = st.recursive(
    st.none(),
    lambda inner: st.fixed_dictionaries({"tag": _integers(SHORT), "left": inner, "right": inner}),
    max_leaves=6,
)


@st.composite
def strings(draw: st.DrawFn) -> Shape:
    wide = draw(st.booleans())
    bound = draw(st.none() | st.integers(8, 20))
    return Shape(String(WCHAR if wide else CHAR, bound), st.text(BASIC if wide else NARROW, max_size=7), bound is None)


@st.composite
def pointers(draw: st.DrawFn, depth: int, name: str) -> Shape:
    kind = draw(st.sampled_from(PointerKind))
    to = draw(shapes(depth - 1, name))
    values = to.values if kind is PointerKind.REF else st.none() | to.values
    return Shape(Pointer(to.type, kind), values)


@st.composite
def arrays(draw: st.DrawFn, depth: int, name: str) -> Shape:
    """`name` is the member's; its counts are `name`_count, which the member's structure provides."""
    wide = st.just(Shape(WCHAR, _integers(WCHAR)))
    plain = shapes(depth - 1, "").filter(lambda shape: not shape.conformant or isinstance(shape.type, String))
    element = draw(wide | plain)
    fixed, varying = draw(st.booleans()), draw(st.booleans())
    bound = draw(st.integers(1, 4)) if fixed else None
    low = bound if bound and not varying else 0
    values: st.SearchStrategy[Any] = st.lists(element.values, min_size=low, max_size=bound or 4)
    if element.type == BYTE:
        values = values.map(bytes)
    if element.type == WCHAR:
        values = st.text(BASIC, max_size=bound or 4).map(lambda text: text.rstrip("\0"))
    count = f"{name}_count"
    declared = Array(element.type, bound, None if fixed else count, count if varying else None)
    return Shape(declared, values, not fixed)


@st.composite
def members(draw: st.DrawFn, depth: int, *, parameters: bool = False) -> tuple[list[Member], st.SearchStrategy[Any]]:
    declared: list[Member] = []
    values: list[tuple[str, st.SearchStrategy[Any]]] = []
    unnamed_unions: set[str] = set()
    growing: set[str] = set()
    total = draw(st.integers(1, 4))
    for index in range(total):
        name = f"m{index}"
        if depth and draw(st.integers(0, 4)) == 0:
            union, arms = draw(union_arms(depth - 1, name))
            unnamed = draw(st.booleans())
            declared.append(Member(f"{name}_tag", union.switch))
            declared.append(Member("" if unnamed else name, union, switch_is=f"{name}_tag"))
            values.append((name, arms))
            unnamed_unions.update({name} if unnamed else ())
            continue
        shape = draw(shapes(depth, name))
        if shape.conformant and index < total - 1 and not parameters:
            shape = Shape(Pointer(shape.type), shape.values)
        declared += [Member(f"{name}_count", DWORD), Member(name, shape.type)]
        growing.update({name} if _grows(shape.type) else ())
        values.append((name, shape.values))

    def arrange(drawn: list[Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for (name, _), item in zip(values, drawn, strict=True):
            if isinstance(item, Choice):
                result[f"{name}_tag"] = item.tag
                everything = dict.fromkeys(item.arms) | item.values
                result.update(everything if name in unnamed_unions else {name: everything})
            else:
                # A buffer may be larger than its text.
                spare = len(item) % 3 if isinstance(item, str) and name in growing else 0
                result[f"{name}_count"] = 0 if not isinstance(item, list | bytes | str) else len(item) + spare
                result[name] = item
        return result

    return declared, st.tuples(*(strategy for _, strategy in values)).map(list).map(arrange)


@st.composite
def union_arms(draw: st.DrawFn, depth: int, name: str) -> tuple[Union, st.SearchStrategy[Any]]:
    switch: Any = draw(st.sampled_from([BYTE, USHORT, DWORD, SHORT, COLOUR]))
    tags = (
        [0, 7, 32767] if switch is COLOUR else draw(st.lists(st.integers(0, 100), min_size=1, max_size=4, unique=True))
    )
    arms: list[Arm] = []
    names: list[str] = []
    choices: dict[int, st.SearchStrategy[dict[str, Any]]] = {}
    for index, tag in enumerate(tags):
        if draw(st.integers(0, 3)) == 0:
            arms.append(Arm((tag,), None))
            choices[tag] = st.just({})
            continue
        arm_name = f"{name}_a{index}"
        shape = draw(shapes(depth, "").filter(lambda shape: not shape.conformant))
        arms.append(Arm((tag,), Member(arm_name, shape.type)))
        names.append(arm_name)
        choices[tag] = st.fixed_dictionaries({arm_name: shape.values})
    chosen = [st.builds(Choice, st.just(tag), choice, st.just(tuple(names))) for tag, choice in choices.items()]
    return Union("U", switch, tuple(arms)), st.one_of(chosen)


@st.composite
def encapsulated(draw: st.DrawFn, depth: int, name: str) -> Shape:
    union, arms = draw(union_arms(depth - 1, name))
    union = replace(union, sparse=draw(st.booleans()))

    def arrange(choice: Choice) -> dict[str, Any]:
        absent = {} if union.sparse else dict.fromkeys(choice.arms)
        return {"tag": choice.tag, "u": absent | choice.values}

    return Shape(EncapsulatedUnion("E", "tag", "u", union), arms.map(arrange))


@st.composite
def raws(draw: st.DrawFn) -> Shape:
    element = draw(st.sampled_from([BYTE, USHORT, DWORD, ULONGLONG]))
    values = st.integers(0, 3).flatmap(lambda n: st.binary(min_size=n * element.size, max_size=n * element.size))
    return Shape(Array(element, raw=True), values, conformant=True)


@st.composite
def structures(draw: st.DrawFn, depth: int) -> Shape:
    declared, values = draw(members(depth - 1))
    declaration = Struct("S", tuple(declared), little_endian=draw(st.booleans()))
    return Shape(declaration, values, _conformant(declaration))


def _grows(declared: Type) -> bool:
    while isinstance(declared, Pointer):
        declared = declared.to
    return isinstance(declared, Array) and declared.bound is None


def _conformant(declared: Type) -> bool:
    if isinstance(declared, Struct):
        return _conformant(declared.members[-1].type)
    return isinstance(declared, Array | String) and declared.bound is None


def shapes(depth: int, name: str) -> st.SearchStrategy[Shape]:
    leaves = st.sampled_from(LEAVES)
    if depth <= 0:
        return leaves
    node = st.just(Shape(Pointer(Named("NODE")), nodes))
    return st.one_of(
        leaves,
        strings(),
        raws(),
        node,
        pointers(depth, name),
        arrays(depth, name),
        structures(depth),
        encapsulated(depth, name),
    )


@st.composite
def calls(draw: st.DrawFn) -> tuple[Operation, dict[str, Any]]:
    declared, values = draw(members(3, parameters=True))
    return request(*declared), draw(values)
