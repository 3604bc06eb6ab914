"""impacket's calls as the values of our declarations, and the other way round; it knows little endian only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from impacket.dcerpc.v5 import epm as theirs
from impacket.dcerpc.v5.ndr import NDRCALL, NDRPOINTER, NDRPOINTERNULL, NULL

from decoders.interfaces import epm
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import decode
from decoders.ndr.layout import Layout, is_octets
from decoders.ndr.model import Array, ContextHandle, Direction, Guid, Pointer, PointerKind, String, Struct, Syntax
from decoders.ndr.texts import guid_bytes, guid_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from impacket.dcerpc.v5.ndr import NDR

    from decoders.ndr.interpreter import Decoded
    from decoders.ndr.model import Member, Operation, Type


class LookupHandleFree(NDRCALL):  # type: ignore[misc]
    """Which impacket does not declare; of its own types."""

    structure = (("entry_handle", theirs.ept_lookup_handle_t),)


class LookupHandleFreeResponse(NDRCALL):  # type: ignore[misc]
    structure = (("entry_handle", theirs.ept_lookup_handle_t), ("status", theirs.error_status))


CALLS: Final = {
    ("ept_lookup", Direction.IN): theirs.ept_lookup,
    ("ept_lookup", Direction.OUT): theirs.ept_lookupResponse,
    ("ept_map", Direction.IN): theirs.ept_map,
    ("ept_map", Direction.OUT): theirs.ept_mapResponse,
    ("ept_lookup_handle_free", Direction.IN): LookupHandleFree,
    ("ept_lookup_handle_free", Direction.OUT): LookupHandleFreeResponse,
}
_TYPES: Final = epm.INTERFACE.types


class Speaker:
    def __init__(self, types: Mapping[str, Type]) -> None:
        self._layout = Layout(types, Syntax.NDR)
        self._referent_id = 0x20000

    def values(self, members: Sequence[Member], call: NDR) -> dict[str, Any]:
        return {member.name: self._value(member.type, call.fields[member.name]) for member in members}

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
            case String():
                return b"".join(given["Data"]).removesuffix(b"\0").decode("latin-1")
            case Array(of=of):
                elements = given["Data"]
                return b"".join(elements) if is_octets(of) else [self._value(of, one) for one in elements]
            case Struct(members=members):
                return self.values(members, given)
        return given["Data"]

    def fill(self, members: Sequence[Member], call: NDR, values: Mapping[str, Any]) -> None:
        for member in members:
            self._fill(member.type, call, member.name, values[member.name])

    def _fill(self, declared: Type, within: NDR, name: str, value: Any) -> None:  # noqa: ANN401
        declared = self._layout.resolve(declared)
        field = within.fields[name]
        match declared:
            case Pointer(kind=PointerKind.REF, to=to):
                self._fill(to, within, name, value)
            case Pointer() if value is None:
                within[name] = NULL
            case Pointer(to=to):
                field.fields["ReferentID"] = self._referent_id
                self._referent_id += 4
                self._fill(to, field, "Data", value)
            case Guid():
                within[name] = guid_bytes(value, "<")
            case ContextHandle():
                field["context_handle_attributes"] = 0
                field["context_handle_uuid"] = guid_bytes(value, "<") if value else bytes(16)
            case String():
                within[name] = _octets(value.encode("latin-1") + b"\0")
            case Array(of=of) if is_octets(of):
                within[name] = _octets(value)
            case Array(of=of):
                # Each is filled where impacket expects it, so that pointers and structures need no case of their own.
                field["Data"] = [field.item(isNDR64=field._isNDR64) for _ in value]
                for index, one in enumerate(value):
                    self._element(of, field.fields["Data"], index, one)
            case Struct(members=members):
                self.fill(members, field, value)
            case _:
                within[name] = value

    def _element(self, declared: Type, elements: list[NDR], index: int, value: Any) -> None:  # noqa: ANN401
        declared = self._layout.resolve(declared)
        element = elements[index]
        if isinstance(declared, Struct):
            self.fill(declared.members, element, value)
        elif isinstance(declared, Pointer) and value is not None:
            element.fields["ReferentID"] = self._referent_id
            self._referent_id += 4
            self._fill(declared.to, element, "Data", value)
        else:
            elements[index] = NDRPOINTERNULL(isNDR64=element._isNDR64)


def _octets(value: bytes) -> list[bytes]:
    return [bytes((octet,)) for octet in value]


def dissected(operation: Operation, direction: Direction, syntax: Syntax, stub: bytes) -> tuple[dict[str, Any], int]:
    """What impacket reads, and how many bytes it took."""
    call = CALLS[operation.name, direction](isNDR64=syntax is Syntax.NDR64)
    consumed: int = call.fromString(stub)
    return Speaker(_TYPES).values(operation.on_the_wire(direction), call), consumed


def built(operation: Operation, direction: Direction, syntax: Syntax, values: Mapping[str, Any]) -> bytes:
    call = CALLS[operation.name, direction](isNDR64=syntax is Syntax.NDR64)
    Speaker(_TYPES).fill(operation.on_the_wire(direction), call, values)
    return bytes(call.getData())


def encoded(
    operation: Operation, direction: Direction, syntax: Syntax, values: Mapping[str, Any], fill: int = 0
) -> bytes:
    return encode(operation, direction, values, _TYPES, syntax, "<", fill=fill)


def decoded(operation: Operation, direction: Direction, syntax: Syntax, stub: bytes) -> Decoded:
    return decode(operation, direction, stub, _TYPES, syntax, "<")


def without_gaps(
    operation: Operation, direction: Direction, syntax: Syntax, values: Mapping[str, Any], stub: bytes
) -> bytes:
    """The stub with zeros where our encoder has gaps: impacket fills each kind of gap with a byte of its own."""
    zeros, ones = (encoded(operation, direction, syntax, values, fill) for fill in (0, 0xFF))
    gaps = {at for at, (zero, one) in enumerate(zip(zeros, ones, strict=True)) if zero != one}
    return bytes(0 if at in gaps else octet for at, octet in enumerate(stub))
