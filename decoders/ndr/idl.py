"""An interface's declaration written back as IDL, for the reference page and to compare with the specification's."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from decoders.ndr.model import (
    Array,
    ContextHandle,
    Direction,
    EncapsulatedUnion,
    Enum,
    Guid,
    InterfacePointer,
    MemberKind,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoders.ndr.model import Arm, Interface, Member, Operation, Parameter, Type

_NOTHING: Final[Mapping[str, Mapping[str, Type]]] = MappingProxyType({})
_STEP: Final = "    "
_BASE_NAMES: Final = {
    (1, False, False): "byte",
    (1, True, False): "small",
    (2, False, False): "unsigned short",
    (2, True, False): "short",
    (4, False, False): "unsigned long",
    (4, True, False): "long",
    (8, False, False): "unsigned hyper",
    (8, True, False): "hyper",
    (4, False, True): "float",
    (8, False, True): "double",
}
"""[C706] 14.2: what an alias stands for follows from its size, sign and kind."""
_PROPERTIES: Final = {
    MemberKind.GET: "[propget]",
    MemberKind.PUT: "[propput]",
    MemberKind.PUTREF: "[propputref]",
}
_DIRECTIONS: Final = ((Direction.IN, "in"), (Direction.OUT, "out"))


def interface_idl(interface: Interface, imports: Mapping[str, Mapping[str, Type]] = _NOTHING) -> str:
    """`imports`: types declared elsewhere, by file. A file is imported when the interface has all its types."""
    used = imported(interface, imports)
    foreign = {name for types in used.values() for name in types}
    own = {name: declared for name, declared in interface.types.items() if name not in foreign}
    major, minor = interface.version
    lines = [
        *(f'import "{file}";' for file in used),
        "[",
        *([f"{_STEP}object,"] if interface.base else []),
        f"{_STEP}uuid({interface.uuid}),",
        *([] if interface.base else [f"{_STEP}version({major}.{minor}),"]),
        f"{_STEP}pointer_default({_pointer_default(own)})",
        "]",
        f"interface {interface.name}" + (f" : {interface.base}" if interface.base else ""),
        "{",
        *(f"{_STEP}const {one.type.name} {one.name} = {one.value};" for one in interface.constants),
        *_indented(_typedefs(own)),
    ]
    opnum = interface.operations[0].opnum if interface.base and interface.operations else 0
    for operation in interface.operations:
        unused = range(opnum, operation.opnum)
        lines += ["", *(f"{_STEP}void Opnum{number}NotUsedOnWire(void);" for number in unused)] if unused else []
        lines += ["", *_indented(_operation(operation, interface.binding_handle))]
        opnum = operation.opnum + 1
    for operation in interface.callbacks:
        lines += ["", f"{_STEP}[callback]", *_indented(_operation(operation, interface.binding_handle))]
    return "\n".join([*lines, "}", ""])


def imported(interface: Interface, imports: Mapping[str, Mapping[str, Type]]) -> dict[str, Mapping[str, Type]]:
    """No document imports itself."""
    own = f"{interface.document.lower()}.idl"
    return {file: types for file, types in imports.items() if file != own and types.keys() <= interface.types.keys()}


def _pointer_default(types: Mapping[str, Type]) -> str:
    """The kind that pointers without an attribute have where the default decides: inside structures."""
    structs = (declared for declared in types.values() if isinstance(declared, Struct))
    pointers = (member.type for struct in structs for member in struct.members if isinstance(member.type, Pointer))
    return next((pointer.kind.value for pointer in pointers if not pointer.written), PointerKind.UNIQUE.value)


def types_idl(types: Mapping[str, Type]) -> str:
    return "\n".join([*_typedefs(types), ""])


def _typedefs(types: Mapping[str, Type]) -> Iterator[str]:
    for name, declared in types.items():
        yield from _typedef(name, declared)


def _typedef(name: str, declared: Type) -> Iterator[str]:
    match declared:
        case Struct() | Enum() if declared.name != name:
            yield f"typedef {declared.name} {name};"
        case Struct():
            yield _joined("typedef struct", declared.tag, "{")
            for member in declared.members:
                yield from _indented(_member(member))
            yield f"}} {name};"
        case Enum():
            attribute = "[v1_enum]" if declared.v1_enum else ""
            yield _joined("typedef", attribute, "enum", declared.tag, "{")
            yield from (f"{_STEP}{member} = {value}," for member, value in declared.members)
            yield f"}} {name};"
        case ContextHandle():
            yield f"typedef [context_handle] void *{name};"
        case Guid():
            yield f"typedef GUID {name};"
        case Scalar():
            base = _base_name(declared)
            yield _joined("typedef", _listed(_range(declared.range)), base, f"{name};")
        case EncapsulatedUnion():
            switch = f"switch({declared.union.switch.name} {declared.switch_name})"
            yield _joined("typedef union", declared.tag, switch, declared.union_name, "{")
            for arm in declared.union.arms:
                yield from _indented(_case(arm))
            yield f"}} {name};"
        case _:
            attributes, written = _declarator(declared, name)
            yield _joined("typedef", _listed(attributes), f"{written};")


def _base_name(scalar: Scalar) -> str:
    if scalar.int3264:
        return "__int3264" if scalar.signed else "unsigned __int3264"
    return _BASE_NAMES[scalar.size, scalar.signed, scalar.floating]


def _member(member: Member, before: tuple[str, ...] = ()) -> Iterator[str]:
    attributes = [*before, *_range(member.range)]
    if member.switch_is is not None:
        attributes.append(f"switch_is({member.switch_is})")
    if isinstance(member.type, Union):
        if member.type.switch_written:
            attributes.append(f"switch_type({member.type.switch.name})")
        yield _joined(_listed(attributes), "union", "{")
        for arm in member.type.arms:
            yield from _indented(_arm(arm))
        yield _joined("}", member.name).rstrip() + ";"
        return
    if isinstance(member.type, Struct) and not member.type.name:
        yield _joined(_listed(attributes), "struct", "{")
        for inner in member.type.members:
            yield from _indented(_member(inner))
        yield f"}} {member.name};"
        return
    own, written = _declarator(member.type, member.name)
    yield _joined(_listed([*attributes, *own]), f"{written};")


def _arm(arm: Arm) -> Iterator[str]:
    case = f"case({', '.join(_labels(arm))})" if arm.cases else "default"
    if arm.member is None:
        yield f"[{case}];"
    else:
        yield from _member(arm.member, (case,))


def _case(arm: Arm) -> Iterator[str]:
    """Of an encapsulated union."""
    cases = [f"case {label}:" for label in _labels(arm)] or ["default:"]
    if arm.member is None:
        yield _joined(*cases, ";")
    else:
        first, *rest = _member(arm.member)
        yield _joined(*cases, first)
        yield from rest


def _labels(arm: Arm) -> list[str]:
    return list(arm.labels or map(str, arm.cases))


def _operation(operation: Operation, binding_handle: str) -> Iterator[str]:
    returned = "void" if operation.returns is None else operation.returns.name
    handle = [f"[in] handle_t {binding_handle}"] if operation.takes_handle_t else []
    written = [*handle, *map(_parameter, operation.parameters)]
    name, attribute = operation.name, ""
    if operation.automation is not None:
        name, attribute = operation.automation.member, _PROPERTIES.get(operation.automation.kind, "")
    head = _joined(attribute, returned, name)
    if not written:
        yield f"{head}(void);"
        return
    yield f"{head}("
    yield from (f"{_STEP}{parameter}," for parameter in written[:-1])
    yield f"{_STEP}{written[-1]}"
    yield ");"


def _parameter(parameter: Parameter) -> str:
    member = parameter.member
    attributes = [name for direction, name in _DIRECTIONS if direction in parameter.direction]
    attributes += ["optional"] * parameter.optional + ["retval"] * parameter.retval
    attributes += _range(member.range)
    own, written = _declarator(member.type, member.name)
    return _joined(_listed([*attributes, *own]), "const" if parameter.const else "", written)


def _declarator(declared: Type, name: str, depth: int = 0) -> tuple[list[str], str]:
    """Attributes, and the type with the name in its place: stars before it, dimensions behind it.

    `depth`: pointers in front. Each has a place in size_is and length_is, which stays empty.
    """
    match declared:
        case Pointer(to=Array(bound=None) as array):
            attributes, written = _declarator(array.of, f"*{name}")
            return [*_pointer(declared), *_counts(array, depth), *attributes], written
        case Pointer(to=String(bound=None) as text):
            return [*_pointer(declared), *_string(text)], f"{text.of.name} *{name}"
        case Pointer():
            attributes, written = _declarator(declared.to, f"*{name}", depth + 1)
            return [*_pointer(declared), *attributes], written
        case InterfacePointer():
            return [f"iid_is({declared.iid_is})"] if declared.iid_is else [], f"{declared.name} *{name}"
        case Array():
            attributes, written = _declarator(declared.of, name)
            return [*_counts(declared), *attributes], f"{written}[{_bound(declared.bound)}]"
        case String():
            return _string(declared), f"{declared.of.name} {name}[{_bound(declared.bound)}]"
        case Union():
            raise ValueError("a union stands in a structure, as a member")
        case _:
            return [], f"{declared.name} {name}"


def _pointer(pointer: Pointer) -> list[str]:
    return [pointer.kind.value] if pointer.written else []


def _counts(array: Array, depth: int = 0) -> list[str]:
    named = (("size_is", array.size_is), ("length_is", array.length_is))
    return [f"{attribute}({', ' * depth}{count})" for attribute, count in named if count is not None]


def _range(values: tuple[int, int] | None) -> list[str]:
    return [] if values is None else [f"range({values[0]}, {values[1]})"]


def _string(text: String) -> list[str]:
    return ["string"] if text.written else []


def _bound(bound: int | None) -> str:
    return "" if bound is None else str(bound)


def _listed(attributes: list[str]) -> str:
    return f"[{', '.join(attributes)}]" if attributes else ""


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"{_STEP}{line}" if line else line for line in lines)
