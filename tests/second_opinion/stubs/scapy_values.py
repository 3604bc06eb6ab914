"""scapy's packets as the values of our declarations, and the other way round."""

# scapy has no annotations there.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from scapy.layers.dcerpc import (
    NDRConformantArray,
    NDRConformantString,
    NDRContextHandle,
    NDRNone,
    NDRPacket,
    NDRPointer,
    NDRUnion,
    NDRVaryingArray,
)
from scapy.packet import Packet

from decoders.ndr.counts import compared_with
from decoders.ndr.layout import Layout, is_octets, is_wide
from decoders.ndr.model import (
    Array,
    ContextHandle,
    Enum,
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Member, Type

_COUNTED: Final = (NDRConformantArray, NDRConformantString, NDRVaryingArray)
_NAMES: Final = {
    "return_value": "status",
    "": "value",
    "twr_t": "twr_p_t",
    "Send": "Send_sub0",
    "Receive": "Receive_sub1",
}
"""What scapy-rpc calls otherwise."""
_GUID: Final = struct.Struct(">IHH8s")


class Speaker:
    """Between one module of definitions and our declarations."""

    def __init__(self, module: ModuleType, types: Mapping[str, Type], order: ByteOrder) -> None:
        self._module = module
        self._layout = Layout(types, Syntax.NDR)
        self._order = order

    def values(self, members: Sequence[Member], packet: Packet) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for member in members:
            given = packet.getfieldval(_NAMES.get(member.name, member.name))
            if isinstance(declared := self._layout.resolve(member.type), Union):
                arms = [arm for arm in declared.arms if arm.member]
                inner = {
                    arm.member.name: self._value(arm.member.type, given.value) if given.tag in arm.cases else None
                    for arm in arms
                    if arm.member
                }
                result |= {member.name: inner} if member.name else inner
            else:
                result[member.name] = self._value(declared, given)
        return result

    def _value(self, declared: Type, given: Any) -> Any:  # noqa: ANN401 - any of them
        declared = self._layout.resolve(declared)
        if isinstance(declared, Pointer):
            if given is None or isinstance(given, NDRNone):
                return None
            return self._value(declared.to, given.value if isinstance(given, NDRPointer) else given)
        given = _uncounted(given)
        match declared:
            case Scalar() | Enum():
                return given.QuadPart if isinstance(given, Packet) else given
            case Guid():
                return guid_text(_GUID.pack(*(given.getfieldval(f"Data{part}") for part in (1, 2, 3, 4))), ">")
            case ContextHandle():
                return guid_text(given.uuid, self._order) if any(given.uuid) else None
            case String(of=of):
                return given.decode("utf-8") if of.size == 2 else given.removesuffix(b"\0").decode("latin-1")
            case Array(of=of) if is_wide(of):
                return struct.pack(f"<{len(given)}H", *given).decode("utf-16-le").rstrip("\0")
            case Array(of=of):
                return bytes(given) if is_octets(of) else [self._value(of, one) for one in given]
            case Struct():
                return self.values(declared.members, given)
        raise TypeError(declared)

    def fields(self, members: Sequence[Member], values: Mapping[str, Any]) -> dict[str, Any]:
        """What a packet's class takes; scapy adds pointers and counts itself."""
        result: dict[str, Any] = {}
        for member in members:
            name = _NAMES.get(member.name, member.name)
            declared = self._layout.resolve(member.type)
            if isinstance(declared, Union):
                tag = values[(member.switch_is or "").strip("* ")]
                inner = values[member.name] if member.name else values
                result[name] = NDRUnion(tag=tag, value=self._arm(declared, tag, inner))
            else:
                result[name] = self._given(declared, values[member.name], values)
        return result

    def _arm(self, union: Union, tag: int, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
        (arm,) = (arm for arm in union.arms if tag in arm.cases)
        return self._given(arm.member.type, values[arm.member.name], {}, arm.member.name) if arm.member else b""

    def _given(self, declared: Type, value: Any, around: Mapping[str, Any], name: str = "") -> Any:  # noqa: ANN401
        """`around` for the counts; `name` of the arm where the structure has none."""
        declared = self._layout.resolve(declared)
        match declared:
            case Pointer(to=to, kind=kind):
                return None if value is None and kind is not PointerKind.REF else self._given(to, value, around)
            case Scalar(name=integer) if hasattr(self._module, integer):
                return getattr(self._module, integer)(QuadPart=value)
            case Guid():
                parts = _GUID.unpack(guid_bytes(value, ">"))
                guid = getattr(self._module, "GUID", None) or self._module.UUID
                return guid(**{f"Data{number}": part for number, part in enumerate(parts, 1)})
            case ContextHandle():
                return NDRContextHandle(uuid=guid_bytes(value, self._order) if value else bytes(16))
            case String(of=of):
                return value if of.size == 2 else value.encode("latin-1") + b"\0"
            case Array(of=of) if is_wide(of):
                return _sized(declared, _units(declared, value, around), around)
            case Array(of=of) if not is_octets(of):
                return _sized(declared, [self._given(of, one, {}) for one in value], around)
            case Array():
                return _sized(declared, value, around)
            case Struct():
                called = declared.name or name
                made = getattr(self._module, _NAMES.get(called, called))
                return made(**self.fields(declared.members, value))
        return value


def _units(array: Array, text: str, around: Mapping[str, Any]) -> list[int]:
    """A buffer's characters, with zeros up to its size."""
    raw = text.encode("utf-16-le")
    units = struct.unpack(f"<{len(raw) // 2}H", raw)
    size = around.get(str(compared_with(array.size_is)), len(units))
    return [*units, *bytes(size - len(units))]


def _sized(array: Array, elements: Any, around: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """The actual count is the maximum as well, unless scapy is told."""
    size = around.get(str(compared_with(array.size_is)))
    if not array.varying or size is None:
        return elements
    return NDRConformantArray(max_count=size, value=NDRVaryingArray(value=elements))


def _uncounted(given: Any) -> Any:  # noqa: ANN401
    while isinstance(given, _COUNTED):
        given = given.value
        if isinstance(given, list) and len(given) == 1 and isinstance(given[0], NDRVaryingArray):
            (given,) = given
    return given


def number_pointers(packet: Packet) -> None:
    """As our encoder does, in the order of the stub; scapy gives every pointer the same id."""
    numbers = iter(range(0x20000, 0x7FFFFFFF, 4))

    def number(given: object) -> None:
        pointers = list(_in_place(given))
        for pointer in pointers:
            pointer.referent_id = next(numbers)
        for pointer in pointers:
            number(pointer.value)

    for field in packet.fields_desc:
        number(packet.fields.get(field.name))


def _in_place(given: object) -> Iterator[NDRPointer]:
    if isinstance(given, NDRPointer):
        yield given
    elif isinstance(given, list):
        for one in given:
            yield from _in_place(one)
    elif isinstance(given, NDRPacket | NDRUnion | NDRConformantArray | NDRVaryingArray):
        for field in given.fields_desc:
            yield from _in_place(given.fields.get(field.name))
