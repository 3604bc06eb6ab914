"""Where an object resolver or exporter can be reached, and as whom: DUALSTRINGARRAY, [MS-DCOM] 2.2.19.

Both of its forms hold the same units of 16 bits. In NDR they come as an array in the PDU's byte order; within an OBJREF
as little-endian bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from decoders.limits import MAX_DUAL_STRING_BINDINGS
from decoders.ndr.texts import wide_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TOWERS: Final = {
    0x04: "ncacn_dnet_nsp",
    0x07: "ncacn_ip_tcp",
    0x08: "ncadg_ip_udp",
    0x0C: "ncacn_spx",
    0x0D: "ncacn_nb_ipx",
    0x0E: "ncadg_ipx",
    0x0F: "ncacn_np",
    0x10: "ncalrpc",
    0x12: "ncacn_nb_nb",
    0x1F: "ncacn_http",
}
"""[C706] appendix I, table I-2, by the names that Wireshark has for them as well."""

_HEAD: Final = struct.Struct("<HH")
_MAX_PORT: Final = 0xFFFF
_RESERVED: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class StringBinding:
    tower: int
    address: str
    """As it stands there: `host` of a resolver, `host[endpoint]` of an exporter."""

    @property
    def protocol_sequence(self) -> str | None:
        return TOWERS.get(self.tower)

    @property
    def host(self) -> str:
        return self._parts()[0]

    @property
    def endpoint(self) -> str | None:
        return self._parts()[1]

    @property
    def port(self) -> int | None:
        """None also where the endpoint is not a number, as of a pipe."""
        endpoint = self.endpoint
        if endpoint is None or not (endpoint.isascii() and endpoint.isdigit()) or len(endpoint) > 5:
            return None
        return int(endpoint) if int(endpoint) <= _MAX_PORT else None

    def _parts(self) -> tuple[str, str | None]:
        host, bracket, endpoint = self.address.rpartition("[")
        # Nothing in front: an IPv6 address in brackets.
        if not (host and bracket and endpoint.endswith("]")):
            return self.address, None
        return host, endpoint[:-1]


@dataclass(frozen=True, slots=True)
class SecurityBinding:
    authn_service: int
    principal: str
    """Empty: none is named. Of an exporter often the account its process runs as."""


@dataclass(frozen=True, slots=True)
class DualStrings:
    units: tuple[int, ...]
    security_offset: int
    string_bindings: tuple[StringBinding, ...]
    security_bindings: tuple[SecurityBinding, ...]
    problems: tuple[str, ...] = ()


def dual_strings(units: Sequence[int], security_offset: int) -> DualStrings:
    problems: list[str] = []
    if security_offset > len(units):
        problems.append(f"security bindings from unit {security_offset} of {len(units)}")
    middle = min(security_offset, len(units))
    strings = _bindings(units[:middle], 1, "string", problems)
    securities = _bindings(units[middle:], 2, "security", problems)
    return DualStrings(
        tuple(units),
        security_offset,
        tuple(StringBinding(tower, text) for tower, text in strings),
        tuple(SecurityBinding(service, text) for service, text in securities),
        tuple(problems),
    )


def from_ndr(value: dict[str, Any] | None) -> DualStrings | None:
    """Of a decoded DUALSTRINGARRAY; None where it is null or was not reached."""
    if value is None or value["aStringArray"] is None:
        return None
    return dual_strings(value["aStringArray"], value["wSecurityOffset"])


def read_dual_strings(data: bytes, at: int) -> tuple[DualStrings, int]:
    """Of the form without alignment, and where it ends. Of a cut one, what is there."""
    if len(data) - at < _HEAD.size:
        return DualStrings((), 0, (), (), ("bindings: the bytes end before them",)), len(data)
    count, security_offset = _HEAD.unpack_from(data, at)
    at += _HEAD.size
    there = min(count, (len(data) - at) // 2)
    found = dual_strings(struct.unpack_from(f"<{there}H", data, at), security_offset)
    if there < count:
        cut = f"bindings: {count} units, of which {there} are there"
        found = DualStrings(
            found.units, security_offset, found.string_bindings, found.security_bindings, (cut, *found.problems)
        )
    return found, at + 2 * there


def _bindings(units: Sequence[int], head: int, kind: str, problems: list[str]) -> list[tuple[int, str]]:
    """Number and text until a number 0. `head`: units in front of the text, the first of them the number."""
    found: list[tuple[int, str]] = []
    at = 0
    while at < len(units) and units[at]:
        if len(found) == MAX_DUAL_STRING_BINDINGS:
            problems.append(f"more than {MAX_DUAL_STRING_BINDINGS} {kind} bindings")
            return found
        try:
            end = units.index(0, at + head)
        except ValueError:
            problems.append(f"{kind} binding {len(found)} has no end")
            return found
        text = struct.pack(f"<{end - at - head}H", *units[at + head : end])
        found.append((units[at], wide_text(text, "<")))
        at = end + 1
    if at >= len(units):
        problems.append(f"the {kind} bindings do not end with 0")
    return found


def build_dual_strings(strings: Iterable[StringBinding], securities: Iterable[SecurityBinding]) -> DualStrings:
    """As Windows lays them out."""
    first = [unit for one in strings for unit in (one.tower, *_units(one.address), 0)]
    # 2.2.19.1: the smallest array has two zeros for either list.
    first += [0] if first else [0, 0]
    second = [unit for one in securities for unit in (one.authn_service, _RESERVED, *_units(one.principal), 0)]
    second += [0] if second else [0, 0]
    return dual_strings((*first, *second), len(first))


def _units(text: str) -> tuple[int, ...]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return struct.unpack(f"<{len(raw) // 2}H", raw)


def to_ndr(found: DualStrings) -> dict[str, Any]:
    return {
        "wNumEntries": len(found.units),
        "wSecurityOffset": found.security_offset,
        "aStringArray": list(found.units),
    }


def packed(found: DualStrings) -> bytes:
    """The form within an OBJREF."""
    return struct.pack(f"<HH{len(found.units)}H", len(found.units), found.security_offset, *found.units)
