"""The properties of an activation, carried in an OBJREF_CUSTOM both ways: [MS-DCOM] 2.2.22."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.activation_properties import (
    ALTERNATE_BYTES,
    PROPERTIES,
    TYPES,
    CustomHeader,
    SpecialPropertiesData,
    SpecialPropertiesData_Alternate,
)
from decoders.dcom.type_serialization import HEADER_BYTES, read_type, write_type
from decoders.limits import MAX_ACTIVATION_PROPERTIES

if TYPE_CHECKING:
    from decoders.dcom.objref import ObjRef
    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Struct

PROPERTIES_IN: Final = "00000338-0000-0000-c000-000000000046"
PROPERTIES_OUT: Final = "00000339-0000-0000-c000-000000000046"
"""CLSID_ActivationPropertiesIn and Out, the unmarshalers of the OBJREF_CUSTOM."""

_HEAD: Final = struct.Struct("<II")


@dataclass(frozen=True, slots=True)
class ActivationProperty:
    clsid: str
    name: str | None
    """None: nobody listed it, and it was passed over by its size."""
    data: bytes
    """With its serialization headers."""
    value: dict[str, Any] | None
    byte_order: ByteOrder | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ActivationBlob:
    """What could be read; `problems` says what could not, those of the properties are with them."""

    size: int | None = None
    """dwSize."""
    reserved: int = 0
    header: dict[str, Any] | None = None
    byte_order: ByteOrder | None = None
    properties: tuple[ActivationProperty, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def all_problems(self) -> tuple[str, ...]:
        told = (f"{one.name or one.clsid}: {problem}" for one in self.properties for problem in one.problems)
        return (*self.problems, *told)

    def value_of(self, name: str) -> dict[str, Any] | None:
        """Of the first property of that name."""
        return next((one.value for one in self.properties if one.name == name), None)


def blob_of(reference: ObjRef) -> ActivationBlob | None:
    """None: the reference is no activation's."""
    if reference.custom is None or reference.clsid not in (PROPERTIES_IN, PROPERTIES_OUT):
        return None
    return parse_blob(reference.custom.data)


def parse_blob(data: bytes) -> ActivationBlob:
    """Never raises."""
    if len(data) < _HEAD.size:
        return ActivationBlob(problems=("the bytes end before the size does",))
    size, reserved = _HEAD.unpack_from(data)
    # Positions count from the CustomHeader, as dwSize and totalSize do.
    body = data[_HEAD.size :]
    found = read_type(TYPES, CustomHeader, body)
    header = found.value
    problems = [f"CustomHeader: {problem}" for problem in found.problems]
    if header is None or header["cIfs"] is None:
        return ActivationBlob(size, reserved, header, found.byte_order, (), tuple(problems))
    clsids, sizes = header["pclsid"] or [], header["pSizes"] or []
    problems += _sums(size, len(body), header, found.size, sizes)
    count = min(len(clsids), len(sizes), MAX_ACTIVATION_PROPERTIES)
    properties = []
    # They follow the header as it was serialised, whatever headerSize says.
    at = found.size
    for clsid, length in zip(clsids[:count], sizes[:count], strict=True):
        properties.append(_property(clsid, body[at : at + length], length))
        at += length
    return ActivationBlob(size, reserved, header, found.byte_order, tuple(properties), tuple(problems))


def _sums(size: int, there: int, header: dict[str, Any], header_size: int, sizes: list[int]) -> list[str]:
    """What 2.2.22 and 2.2.22.1 say twice."""
    total = header["totalSize"]
    compared = (
        (total, size, "totalSize is {}, dwSize {}"),
        (total, there, "totalSize is {}, {} bytes are there"),
        (header["headerSize"], header_size, "headerSize is {}, the header has {} bytes"),
        (total, header["headerSize"] + sum(sizes), "totalSize is {}, header and properties sum to {}"),
        (header["cIfs"], len(sizes), "{} properties, {} sizes"),
        (header["cIfs"], len(header["pclsid"] or ()), "{} properties, {} classes"),
    )
    return [text.format(one, other) for one, other, text in compared if one != other]


def _property(clsid: str, data: bytes, length: int) -> ActivationProperty:
    known = PROPERTIES.get(clsid)
    cut = (f"{length} bytes, of which {len(data)} are there",) if len(data) < length else ()
    if known is None:
        return ActivationProperty(clsid, None, data, None, None, cut)
    found = read_type(TYPES, _declared(known.declared, len(data) - HEADER_BYTES), data)
    longer = (f"{length} bytes, of which it takes {found.size}",) if 0 < found.size < len(data) else ()
    problems = (*cut, *longer, *found.problems)
    return ActivationProperty(clsid, known.name, data, found.value, found.byte_order, problems)


def _declared(declared: Struct, size: int) -> Struct:
    """2.2.22.2.2: servers accept both forms, and nothing but the size tells them apart."""
    if declared is SpecialPropertiesData and size == ALTERNATE_BYTES:
        return SpecialPropertiesData_Alternate
    return declared


def encode_blob(found: ActivationBlob, *, fill: int = 0) -> bytes:
    """From the values; a property without one is written as it came. Sizes are those of what is written."""
    if found.header is None:
        raise ValueError("no header")
    written = [_encoded(one, fill) for one in found.properties]
    header = found.header | {"pSizes": [len(one) for one in written]}
    order = found.byte_order or "<"
    header_size = len(write_type(TYPES, CustomHeader, header, order))
    size = header_size + sum(map(len, written))
    header |= {"headerSize": header_size, "totalSize": size}
    head = write_type(TYPES, CustomHeader, header, order, fill=fill)
    return _HEAD.pack(size, found.reserved) + head + b"".join(written)


def _encoded(one: ActivationProperty, fill: int) -> bytes:
    known = PROPERTIES.get(one.clsid)
    if known is None or one.value is None or one.byte_order is None:
        return one.data
    declared = SpecialPropertiesData_Alternate if _is_alternate(one.value) else known.declared
    return write_type(TYPES, declared, one.value, one.byte_order, fill=fill)


def _is_alternate(value: dict[str, Any]) -> bool:
    return "dwPRTFlags" in value and "Reserved1" not in value
