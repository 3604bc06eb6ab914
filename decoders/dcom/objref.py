"""OBJREF, by which a reference to an object travels: [MS-DCOM] 2.2.18. Little-endian and without alignment."""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.dual_strings import packed, read_dual_strings
from decoders.ndr.texts import guid_bytes, guid_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.dcom.dual_strings import DualStrings

MEOW: Final = 0x574F454D
EXTENDED_SIGNATURE: Final = 0x4E535956
NO_PING: Final = 0x1000
"""SORF_NOPING of STDOBJREF's flags."""

_HEAD: Final = struct.Struct("<II16s")
_STD: Final = struct.Struct("<IIQQ16s")
_CUSTOM: Final = struct.Struct("<16sII")
_ELEMENT: Final = struct.Struct("<II16sII")
_SIGNATURE: Final = struct.Struct("<I")
_NULL: Final = "00000000-0000-0000-0000-000000000000"


class Form(enum.IntEnum):
    STANDARD = 1
    HANDLER = 2
    CUSTOM = 4
    EXTENDED = 8


_FORMS: Final[Mapping[int | None, Form]] = {form.value: form for form in Form}


@dataclass(frozen=True, slots=True)
class StdObjRef:
    flags: int
    public_refs: int
    oxid: int
    oid: int
    ipid: str

    @property
    def pinged(self) -> bool:
        return not self.flags & NO_PING


@dataclass(frozen=True, slots=True)
class CustomData:
    """An object that travels by value: there is no IPID."""

    extension_size: int
    reserved: int
    """Any value; a length from Windows."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Envoy:
    """What OBJREF_EXTENDED adds: one DATAELEMENT."""

    signature1: int
    elements: int
    signature2: int
    data_id: str
    size: int
    rounded: int
    data: bytes
    """With the bytes it is rounded up by."""


@dataclass(frozen=True, slots=True)
class ObjRef:
    """What could be read; `problems` says what could not. A part is None where the form lacks it or the bytes end."""

    flags: int | None = None
    iid: str | None = None
    std: StdObjRef | None = None
    clsid: str | None = None
    """Of the handler or of the unmarshaler."""
    bindings: DualStrings | None = None
    """Of the object resolver at the server."""
    custom: CustomData | None = None
    envoy: Envoy | None = None
    rest: bytes = b""
    """Behind its end."""
    problems: tuple[str, ...] = ()

    @property
    def form(self) -> Form | None:
        return _FORMS.get(self.flags)


def parse_objref(data: bytes) -> ObjRef:
    """Never raises."""
    return _Parser(bytes(data)).parse()


class _Cut(Exception):
    pass


class _Parser:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._problems: list[str] = []
        self._std: StdObjRef | None = None
        self._clsid: str | None = None
        self._bindings: DualStrings | None = None
        self._custom: CustomData | None = None
        self._envoy: Envoy | None = None

    def parse(self) -> ObjRef:
        flags = iid = None
        try:
            signature, flags, raw = self._take(_HEAD, "head")
            iid = guid_text(raw, "<")
            if signature != MEOW:
                self._problems.append(f"signature {signature:#010x}, not {MEOW:#010x}")
                # Whatever this is, it is no OBJREF.
                return ObjRef(rest=self._data, problems=tuple(self._problems))
            if iid == _NULL:
                self._problems.append("the iid is null")
            self._body(flags)
        except _Cut:
            pass
        rest = self._data[self._at :]
        if any(rest):
            self._problems.append(f"{len(rest)} bytes behind the end")
        bindings = self._bindings
        told = bindings.problems if bindings else ()
        parts = self._std, self._clsid, bindings, self._custom, self._envoy
        return ObjRef(flags, iid, *parts, rest, (*self._problems, *told))

    def _body(self, flags: int) -> None:
        if flags not in _FORMS:
            self._problems.append(f"flags {flags:#x}, which is no form")
            raise _Cut
        if flags == Form.CUSTOM:
            raw, extension_size, reserved = self._take(_CUSTOM, "class")
            self._clsid = guid_text(raw, "<")
            self._custom = CustomData(extension_size, reserved, self._data[self._at :])
            self._at = len(self._data)
            return
        std_flags, public_refs, oxid, oid, ipid = self._take(_STD, "STDOBJREF")
        self._std = StdObjRef(std_flags, public_refs, oxid, oid, guid_text(ipid, "<"))
        signature = 0
        if flags == Form.HANDLER:
            (raw,) = self._take(struct.Struct("<16s"), "class")
            self._clsid = guid_text(raw, "<")
        elif flags == Form.EXTENDED:
            (signature,) = self._take(_SIGNATURE, "signature")
        self._bindings, self._at = read_dual_strings(self._data, self._at)
        if flags == Form.EXTENDED:
            self._extended(signature)

    def _extended(self, signature1: int) -> None:
        elements, signature2, data_id, size, rounded = self._take(_ELEMENT, "element")
        data = self._data[self._at : self._at + rounded]
        self._at += len(data)
        self._envoy = Envoy(signature1, elements, signature2, guid_text(data_id, "<"), size, rounded, data)
        for signature in (signature1, signature2):
            if signature != EXTENDED_SIGNATURE:
                self._problems.append(f"signature {signature:#010x}, not {EXTENDED_SIGNATURE:#010x}")
        if elements != 1:
            self._problems.append(f"{elements} elements, of which one is read")
        if rounded != (size + 7) & ~7:
            self._problems.append(f"element of {size} bytes, rounded to {rounded}")
        if len(data) < rounded:
            self._problems.append(f"element of {rounded} bytes, of which {len(data)} are there")

    def _take(self, layout: struct.Struct, what: str) -> tuple[Any, ...]:
        if len(self._data) - self._at < layout.size:
            self._problems.append(f"the bytes end before its {what} does")
            raise _Cut
        values = layout.unpack_from(self._data, self._at)
        self._at += layout.size
        return values


def encode_objref(found: ObjRef) -> bytes:
    """The bytes it was made of. ValueError where a part that its form has is missing."""
    if found.flags is None or found.iid is None:
        raise ValueError("no flags or iid")
    head = _HEAD.pack(MEOW, found.flags, guid_bytes(found.iid, "<"))
    custom, std, clsid, bindings, envoy = found.custom, found.std, found.clsid, found.bindings, found.envoy
    match found.form:
        case Form.CUSTOM if custom and clsid:
            return head + _CUSTOM.pack(guid_bytes(clsid, "<"), custom.extension_size, custom.reserved) + custom.data
        case Form.STANDARD if std and bindings:
            return head + _std(std) + packed(bindings) + found.rest
        case Form.HANDLER if std and bindings and clsid:
            return head + _std(std) + guid_bytes(clsid, "<") + packed(bindings) + found.rest
        case Form.EXTENDED if std and bindings and envoy:
            first = _SIGNATURE.pack(envoy.signature1)
            raw = guid_bytes(envoy.data_id, "<")
            element = _ELEMENT.pack(envoy.elements, envoy.signature2, raw, envoy.size, envoy.rounded)
            return head + _std(std) + first + packed(bindings) + element + envoy.data + found.rest
    raise ValueError("a part of it is missing")


def _std(std: StdObjRef) -> bytes:
    return _STD.pack(std.flags, std.public_refs, std.oxid, std.oid, guid_bytes(std.ipid, "<"))
