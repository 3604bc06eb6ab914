"""References to objects, and exporters, in the values of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from decoders.dcom.dual_strings import from_ndr
from decoders.dcom.objref import parse_objref
from decoders.dcom.pointers import interface_pointers
from decoders.limits import MAX_REFERENCES_OF_A_CALL
from decoders.net.addresses import is_address
from pipelines.facts.com import Exporter, Reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoders.dcom.dual_strings import DualStrings
    from decoders.dcom.objref import ObjRef
    from pipelines.facts.com import Com

_TCP: Final = 7


def references(values: object, *, given: bool, clsid: str | None = None) -> Iterator[Reference]:
    for number, data in enumerate(interface_pointers(values)):
        if number == MAX_REFERENCES_OF_A_CALL:
            return
        found = parse_objref(data)
        if found.std is not None and found.iid is not None:
            std = found.std
            yield Reference(
                given=given,
                iid=found.iid,
                oxid=std.oxid,
                oid=std.oid,
                ipid=std.ipid,
                public_refs=std.public_refs,
                flags=std.flags,
                clsid=clsid,
                resolvers=_addresses(found.bindings),
            )


def _addresses(strings: DualStrings | None) -> tuple[str, ...]:
    hosts = (one.host for one in strings.string_bindings) if strings else ()
    return tuple(host for host in hosts if is_address(host))[:_MAX_RESOLVERS]


_MAX_RESOLVERS: Final = 16


def at_home(com: Com, server: str) -> Com:
    """Where a server says that its own objects are goes without saying."""
    if not any(one.given and server in one.resolvers for one in com.references):
        return com
    return replace(
        com,
        references=tuple(
            replace(one, resolvers=()) if one.given and server in one.resolvers else one for one in com.references
        ),
    )


def reference(pointer: object) -> ObjRef | None:
    data = next(interface_pointers(pointer), None)
    return None if data is None else parse_objref(data)


def exporter(values: Mapping[str, Any], oxid: str, bindings: str, unknown: str, version: str) -> Iterator[Exporter]:
    strings = from_ndr(values.get(bindings))
    if strings is None or not values.get(oxid) or not values.get(unknown):
        return
    yield Exporter(
        oxid=values[oxid],
        remote_unknown=values[unknown],
        bindings=tuple(_tcp(strings)),
        principal=next((one.principal for one in strings.security_bindings if one.principal), None),
        version=_version(values.get(version)),
    )


def _version(told: Mapping[str, Any] | None) -> tuple[int, int] | None:
    major, minor = (told or {}).get("MajorVersion"), (told or {}).get("MinorVersion")
    return None if major is None or minor is None else (major, minor)


def _tcp(strings: DualStrings) -> Iterator[tuple[str, int]]:
    for one in strings.string_bindings:
        if one.tower == _TCP and one.port:
            yield one.host, one.port
