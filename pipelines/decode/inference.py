"""Which interface a call belongs to where the bind that says so was not captured.

Windows registers all of a process's interfaces on all of its endpoints, so neither a port nor an announcement names
one interface for certain. What they give is candidates; a candidate stays one as long as every stub of the context
decodes under it to the last byte. Four bytes fit many operations, and taking another interface's call for a purge would
accuse somebody, so one stub at least must have a shape that is not met by chance: counts, pointers or tags that agree.
Only then, and where one candidate is left, the context has an interface.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.well_known import ENDPOINT_MAPPER_PORT, PORTS
from decoders.interfaces import INTERFACES, operation_of
from decoders.ndr.model import Array, Direction, Named, Pointer, PointerKind, String, Struct, Syntax, Union
from pipelines.decode.stubs import declared, decoder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from decoders.ndr.model import Type
    from ingest.choice import Endpoint
    from pipelines.decode.stubs import ByteOrder

ENDPOINT_MAPPER_SOURCE: Final = "endpoint_mapper"
PORT_SOURCE: Final = "port"
_EPM: Final = frozenset(uuid for uuid, interface in INTERFACES.items() if interface.name == "epm")
MAX_TRIAL_BYTES: Final = 1 << 20
"""Stubs beyond this are not tried: a candidate is told by its shape, and shapes are small."""


@dataclass(frozen=True, slots=True)
class Candidate:
    interface_uuid: str
    syntax: Syntax


@dataclass(slots=True)
class Guess:
    """What a presentation context of one connection can be."""

    source: str
    left: list[Candidate]
    found: Candidate | None = None
    _shape_seen: bool = False

    def consider(
        self, opnum: int, request: tuple[bytes, ByteOrder] | None, response: tuple[bytes, ByteOrder] | None
    ) -> None:
        """Whole stubs of a call on this context."""
        if self.found is not None or not self.left:
            return
        parts = ((Direction.IN, request), (Direction.OUT, response))
        whole = [(direction, *part) for direction, part in parts if part and len(part[0]) <= MAX_TRIAL_BYTES]
        if not whole:
            return
        self.left = [one for one in self.left if all(_fits(one, opnum, *part) for part in whole)]
        if len({one.interface_uuid for one in self.left}) != 1:
            return
        self._shape_seen |= any(has_shape(self.left[0].interface_uuid, opnum, direction) for direction, *_ in whole)
        if self._shape_seen:
            # Where both transfer syntaxes fit all stubs so far, NDR: the far more common one.
            self.found = self.left[0]


def first_guess(server: Endpoint, learned: Mapping[Endpoint, frozenset[str]]) -> Guess:
    announced = learned.get(server)
    if announced:
        return Guess(ENDPOINT_MAPPER_SOURCE, _both_syntaxes(INTERFACES.keys() & announced))
    if server[1] == ENDPOINT_MAPPER_PORT:
        return Guess(PORT_SOURCE, _both_syntaxes(_EPM))
    return Guess(PORT_SOURCE, _both_syntaxes(INTERFACES.keys() - _EPM) if server[1] in PORTS else [])


@cache
def has_shape(interface_uuid: str, opnum: int, direction: Direction) -> bool:
    """Whether a stub of this operation holds counts, referent ids or tags that must agree with its length."""
    interface, operation = declared(interface_uuid, opnum)
    return any(_telling(member.type, interface.types) for member in operation.on_the_wire(direction))


def _telling(declared_type: Type, types: Mapping[str, Type]) -> bool:
    if isinstance(declared_type, Named):
        return _telling(types[declared_type.name], types)
    if isinstance(declared_type, Pointer):
        return declared_type.kind is not PointerKind.REF or _telling(declared_type.to, types)
    if isinstance(declared_type, Struct):
        return any(_telling(member.type, types) for member in declared_type.members)
    return isinstance(declared_type, Array | String | Union)


def _both_syntaxes(uuids: Iterable[str]) -> list[Candidate]:
    return [Candidate(uuid, syntax) for uuid in sorted(uuids) for syntax in (Syntax.NDR, Syntax.NDR64)]


def _fits(candidate: Candidate, opnum: int, direction: Direction, stub: bytes, byte_order: ByteOrder) -> bool:
    if operation_of(candidate.interface_uuid, opnum) is None:
        return False
    found = decoder_of(candidate.interface_uuid, opnum, direction, candidate.syntax, byte_order)(stub)
    return found.complete and not found.problems
