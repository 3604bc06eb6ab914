"""What the wire structures share: NDR types of impacket, corrected where its engine departs from NDR 2.0."""

from __future__ import annotations

import hashlib
import uuid
from itertools import count
from typing import TYPE_CHECKING

from impacket.dcerpc.v5.dtypes import GUID, UUID, WSTR
from impacket.dcerpc.v5.epm import ept_lookup_handle_t, twr_t
from impacket.dcerpc.v5.ndr import (
    NDR,
    NDRCALL,
    NDRPOINTER,
    NDRSTRUCT,
    NDRULONG,
    NDRUNION,
    NDRArray,
    NDRUniConformantArray,
    NDRUniConformantVaryingArray,
    NDRUniVaryingArray,
)

from samples.towers import read_tower

if TYPE_CHECKING:
    from collections.abc import Iterator

Plain = None | bool | int | str | list["Plain"] | dict[str, "Plain"]
"""What a value of the wire becomes in expected.json."""

NULL_HANDLE = b"\0" * 20


class TightUnion(NDRUNION):  # type: ignore[misc]
    """The arm aligned by its own type; without `notAlign` impacket puts a 2-byte arm on a multiple of 4."""

    notAlign = True  # noqa: N815


class Empty(NDR):  # type: ignore[misc]
    """An arm without a field: `[case(VT_NULL)] ;`."""

    align = 1


class ContextHandle(NDRSTRUCT):  # type: ignore[misc]
    """ndr_context_handle: attributes and UUID, 20 bytes, aligned by 4, no referent id."""

    structure = (("attributes", NDRULONG), ("uuid", GUID))

    def __init__(self, data: bytes | None = None, isNDR64: bool = False) -> None:  # noqa: N803
        super().__init__(None, isNDR64)
        self["uuid"] = bytes(16)
        if data is not None:
            self.fromString(data)


class TopLevelArray(NDRUniConformantArray):  # type: ignore[misc]
    """A conformant array as a parameter; NDRCALL leaves max_count out of its sum when it aligns the elements."""

    def getData(self, soFar: int = 0) -> bytes:  # noqa: N802, N803
        return bytes(super().getData(soFar + 4))


class CountedBytes(NDRUniConformantVaryingArray):  # type: ignore[misc]
    """`[size_is, length_is] byte *`: max_count, offset, actual_count, bytes."""


def children(value: NDR) -> list[tuple[str, object]]:
    """Fields of a structure in the order of the wire."""
    return [(name, value.fields[name]) for name, _ in (*value.commonHdr, *value.structure, *value.referent)]


def number_referents(value: object, ids: Iterator[int]) -> None:
    """Gives every pointer that is not null the next id; impacket's own are random."""
    if isinstance(value, list):
        for item in value:
            number_referents(item, ids)
    elif isinstance(value, NDR):
        if isinstance(value, NDRPOINTER) and value.fields["ReferentID"]:
            value.fields["ReferentID"] = next(ids)
        for _, field in children(value):
            number_referents(field, ids)


def encode(call: NDRCALL, ids: Iterator[int] | None = None) -> bytes:
    """The stub; unique pointers get the ids that Windows gives, 0x00020000 and on in steps of 4."""
    number_referents(call, count(0x00020000, 4) if ids is None else ids)
    return bytes(call.getData())


def octets(array: NDRArray) -> bytes:
    """The bytes of an array of characters, which impacket decodes into a list of single bytes."""
    return array["Data"] if isinstance(array["Data"], bytes) else b"".join(array["Data"])


def plain(value: object) -> Plain:
    """A decoded value as JSON: names of the IDL, null for a null pointer or handle, byte buffers by their hash."""
    match value:
        case ContextHandle() | ept_lookup_handle_t():
            raw = value.getData()
            return None if raw == NULL_HANDLE else str(uuid.UUID(bytes_le=raw[4:]))
        case GUID() | UUID():
            return str(uuid.UUID(bytes_le=value.getData()))
        case WSTR():
            return str(value["Data"]).rstrip("\0")
        case twr_t():
            return dict(read_tower(octets(value.fields["tower_octet_string"])))
        case NDRPOINTER():
            return None if not value.fields["ReferentID"] else plain(value.fields["Data"])
        case NDRUniVaryingArray():
            return octets(value).decode("ascii").rstrip("\0")
        case NDRArray() if value.item == "c":
            return {"bytes": len(octets(value)), "sha256": hashlib.sha256(octets(value)).hexdigest()}
        case NDRArray():
            return [plain(item) for item in value["Data"]]
        case Empty():
            return None
        case NDR():
            fields = [(name, plain(field)) for name, field in children(value)]
            return fields[0][1] if [name for name, _ in fields] == ["Data"] else named(fields)
        case int():
            return value
    raise TypeError(f"no plain form for {value!r}")


def named(fields: list[tuple[str, Plain]]) -> dict[str, Plain]:
    """Members by name; `u` stands for a union that the IDL leaves unnamed, its arm belongs to the structure itself."""
    result: dict[str, Plain] = {}
    for name, value in fields:
        if name == "u" and isinstance(value, dict):
            result.update(value)
        elif name not in {"tag", "none"}:
            result[name] = value
    return result
