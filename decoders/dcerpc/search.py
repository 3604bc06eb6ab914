"""Finding the next PDU where the boundary is not known: after a hole, or where a capture joined in the middle.

Message bodies hold anything, traces of RPC among them, so one header proves nothing. A place is believed when the
PDUs that follow each other from there reach further than any single PDU does: a chain inside one body breaks off at
that body's end. Where the bytes end sooner, the chain must reach their end.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from typing import Final

from decoders.dcerpc.header import FIXED_BYTES, HEADER_BYTES, PacketType, PduHeader, parse_header
from decoders.limits import MAX_PDU_BYTES

_TYPES: Final = b"".join(re.escape(bytes((kind,))) for kind in PacketType)
_LOOKS_LIKE: Final = re.compile(rb"\x05[\x00\x01][" + _TYPES + rb"].[\x00\x10]\x00\x00\x00", re.DOTALL)
"""Stricter than parse_header: ASCII and IEEE floats only, since nothing has used the others for decades."""

_CLIENT: Final = 1
_SERVER: Final = 2
_ROLE: Final = {
    PacketType.BIND: _CLIENT,
    PacketType.ALTER_CONTEXT: _CLIENT,
    PacketType.AUTH3: _CLIENT,
    PacketType.CO_CANCEL: _CLIENT,
    PacketType.ORPHANED: _CLIENT,
    PacketType.BIND_ACK: _SERVER,
    PacketType.BIND_NAK: _SERVER,
    PacketType.ALTER_CONTEXT_RESP: _SERVER,
    PacketType.SHUTDOWN: _SERVER,
}
"""Who sends it. Requests, responses and faults go both ways where there are callbacks."""


def plausible_header(data: bytearray, at: int) -> PduHeader | None:
    """A header at this place that also fits what its type needs."""
    if _LOOKS_LIKE.match(data, at) is None:
        return None
    header = parse_header(data, at)
    if header is None:
        return None
    trailer = header.auth_length + 8 if header.auth_length else 0
    return header if header.frag_length >= FIXED_BYTES[header.packet_type] + trailer else None


def may_begin_header(data: bytes | bytearray) -> bool:
    """Whether fewer bytes than a header could be the beginning of one."""
    return _LOOKS_LIKE.match((bytes(data) + _ANY_HEADER[len(data) :])[:HEADER_BYTES]) is not None


_ANY_HEADER: Final = bytes.fromhex("0500000310000000 18000000 00000000")


class SearchState(enum.Enum):
    WAIT = enum.auto()
    """More bytes must be held: up to offset `needed`. None of those before offset `passed` begins a PDU."""
    FOUND = enum.auto()
    """A PDU begins at offset `passed`."""


@dataclass(slots=True)
class _Chain:
    """PDUs that follow each other from a candidate on."""

    reached: int
    members: list[int] = field(default_factory=list)
    role: int = 0
    """Of whom its PDUs show the sender to be, as far as they do."""
    last_with_role: int = 0
    """Index among the members."""


class HeaderSearch:
    """One search. All offsets are those of the stream, so that bytes passed can be taken away between calls."""

    __slots__ = ("_chain", "_dead", "needed", "passed")

    def __init__(self, offset: int) -> None:
        self.passed = offset
        self.needed = offset + HEADER_BYTES
        self._chain: _Chain | None = None
        self._dead: set[int] = set()
        """Places ahead whose chain is known to break, since an earlier one went through them."""

    def look(self, held: bytearray, base: int, *, final: bool) -> SearchState:
        """`base`: offset of the first byte held. `final`: what would follow is missing, or there is nothing."""
        end = base + len(held)
        while True:
            if self._chain is None:
                at = self._next_candidate(held, base)
                if at is None:
                    self.passed = end if final else max(self.passed, end - HEADER_BYTES + 1)
                    self.needed = self.passed + HEADER_BYTES
                    return SearchState.WAIT
                self.passed = at
                self._chain = _Chain(at)
            believed = self._follow(held, base, self._chain, final=final)
            if believed is None:
                self.needed = self._chain.reached + HEADER_BYTES
                return SearchState.WAIT
            if believed:
                return SearchState.FOUND
            self._chain = None
            self.passed += 1

    def _next_candidate(self, held: bytearray, base: int) -> int | None:
        at = self.passed - base
        while (match := _LOOKS_LIKE.search(held, at)) is not None:
            at = match.start()
            if len(held) - at < HEADER_BYTES:
                return None
            if base + at in self._dead:
                self._dead.remove(base + at)
            elif plausible_header(held, at) is not None:
                return base + at
            at += 1
        return None

    def _follow(self, held: bytearray, base: int, chain: _Chain, *, final: bool) -> bool | None:
        """None: too early to say."""
        while True:
            several = len(chain.members) > 1
            if several and chain.reached - self.passed > MAX_PDU_BYTES:
                return True
            left = base + len(held) - chain.reached
            if left < HEADER_BYTES:
                if not final:
                    return None
                if left == 0 or (several and (left < 0 or may_begin_header(held[-left:]))):
                    return True
                self._dead.update(chain.members[1:])
                return False
            header = plausible_header(held, chain.reached - base)
            if header is None or chain.reached in self._dead:
                self._dead.update(chain.members[1:])
                return False
            role = _ROLE.get(header.packet_type, 0)
            if role and chain.role not in (0, role):
                self._dead.update(chain.members[1 : chain.last_with_role + 1])
                return False
            if role:
                chain.role, chain.last_with_role = role, len(chain.members)
            chain.members.append(chain.reached)
            chain.reached += header.frag_length
