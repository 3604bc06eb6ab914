"""scapy's packets as the values of our declarations, and back."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from scapy.layers.dcerpc import (
    NDRConformantArray,
    NDRConformantString,
    NDRContextHandle,
    NDRPointer,
    NDRUnion,
    NDRVaryingArray,
)
from scapy.packet import Packet

from decoders.ndr.layout import Layout, is_octets
from decoders.ndr.model import (
    Array,
    ContextHandle,
    Enum,
    Guid,
    Member,
    Pointer,
    Scalar,
    String,
    Struct,
    Syntax,
    Type,
    Union,
)
from decoders.ndr.texts import guid_bytes, guid_text, handle_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoders.ndr.interpreter import ByteOrder

_WRAPPERS: Final = (NDRPointer, NDRConformantArray, NDRConformantString, NDRVaryingArray, NDRUnion)


class Told:
    """What a dissected packet says."""

    def __init__(self, types: Mapping[str, Type], order: ByteOrder) -> None:
        self._layout = Layout(types, Syntax.NDR)
        self._order = order

    def members(self, members: Sequence[Member], packet: Packet) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for member in members:
            declared = self._layout.resolve(member.type)
            if isinstance(declared, Union):
                arms = self._arms(declared, packet.getfieldval(member.name or "value"))
                result |= arms if not member.name else {member.name: arms}
            else:
                result[member.name] = self.value(declared, packet.getfieldval(NAMES.get(member.name, member.name)))
        return result

    def _arms(self, declared: Union, union: NDRUnion) -> dict[str, Any]:
        arms: dict[str, Any] = {}
        for arm in declared.arms:
            if arm.member:
                chosen = union.tag in arm.cases
                arms[arm.member.name] = self.value(arm.member.type, union.value) if chosen else None
        return arms

    def value(self, declared: Type, given: Any) -> Any:  # noqa: ANN401 - any of them
        declared = self._layout.resolve(declared)
        if isinstance(declared, Pointer):
            return None if given is None else self.value(declared.to, given)
        given = _unwrapped(given)
        match declared:
            case Scalar() | Enum():
                return given.QuadPart if isinstance(given, Packet) else given
            case Guid():
                return guid_text(guid_from(given), ">")
            case ContextHandle():
                return handle_text(bytes(4) + given.uuid, self._order)
            case String():
                return given if isinstance(given, str) else given.decode("latin-1")
            case Array() if is_octets(self._layout.resolve(declared.of)):
                return bytes(given)
            case Array():
                return [self.value(declared.of, one) for one in given]
            case Struct():
                return self.members(declared.members, given)
        raise TypeError(declared)


NAMES: Final = {"return_value": "status"}


def _unwrapped(given: Any) -> Any:  # noqa: ANN401
    while isinstance(given, _WRAPPERS):
        given = given.value
        if isinstance(given, list) and len(given) == 1 and isinstance(given[0], NDRVaryingArray):
            (given,) = given
    return given


def guid_from(packet: Packet) -> bytes:
    return struct.pack(">IHH", packet.Data1, packet.Data2, packet.Data3) + packet.Data4
