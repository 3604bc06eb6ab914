"""Which interface a call belongs to where the bind that says so was not captured.

Windows registers all of a process's interfaces on all of its endpoints, so neither a port nor an announcement names
one interface for certain. What they give is candidates; a candidate stays one as long as every stub of the context
decodes under it to the last byte. Four bytes fit many operations, and taking another interface's call for a purge would
accuse somebody, so one stub at least must hold what is not met by chance: an array whose counts agree, a text, an arm
with its tag. Only then, and where one candidate is left, the context has an interface; a stub that contradicts it takes
it away again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from decoders.dcerpc.call_model import BindingSource
from decoders.dcerpc.well_known import ENDPOINT_MAPPER_PORT, MSMQ, PORTS
from decoders.interfaces import operation_of
from decoders.ndr.model import Array, Direction, Named, Pointer, String, Struct, Syntax, Union
from decoders.registry import EPM
from pipelines.calls.stubs import declared, decoder_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from decoders.ndr.model import Type
    from ingest.choice import Endpoint
    from pipelines.calls.stubs import ByteOrder

ENDPOINT_MAPPER_SOURCE: Final = "endpoint_mapper"
PORT_SOURCE: Final = "port"
_OF_QUEUE_MANAGERS: Final = frozenset(MSMQ)
"""Objects have interfaces by the hundred, and their stubs all begin alike: those of COM are told by binds alone."""
MAX_TRIAL_BYTES: Final = 1 << 20
"""Stubs beyond this are not tried: a candidate is told by its shape, and shapes are small."""


@dataclass(frozen=True, slots=True)
class Candidate:
    interface_uuid: str
    syntax: Syntax


@dataclass(slots=True)
class ContextGuess:
    """What a presentation context of one connection can be."""

    source: str
    left: list[Candidate]
    """Under which every whole stub so far decodes."""
    interface_known: bool = False
    """Only the transfer syntax is open."""
    _witnessed: set[str] = field(default_factory=set)
    """Interfaces with a stub whose counts or tags agree with what is there."""

    def consider(self, opnum: int, parts: Iterable[tuple[Direction, bytes, ByteOrder]], *, faulted: bool) -> None:
        """Whole stubs of a call on this context."""
        for direction, stub, byte_order in parts:
            if len(stub) > MAX_TRIAL_BYTES:
                continue
            still: list[Candidate] = []
            for one in self.left:
                if operation_of(one.interface_uuid, opnum) is None:
                    # A server refuses an operation that its interface does not have.
                    still += [one] if faulted else []
                    continue
                found = decoder_of(one.interface_uuid, opnum, direction, one.syntax, byte_order)(stub)
                if found.complete and not found.problems:
                    still.append(one)
                    if is_telling(one.interface_uuid, opnum, direction, found.values):
                        self._witnessed.add(one.interface_uuid)
            self.left = still

    @property
    def only_one_left(self) -> Candidate | None:
        """As far as is known by now; a later stub may contradict it."""
        uuids = {one.interface_uuid for one in self.left}
        # Where both transfer syntaxes fit all stubs, they mean the same; NDR stands first.
        sure = self.interface_known or uuids <= self._witnessed
        return self.left[0] if len(uuids) == 1 and sure else None


def open_syntax(interface_uuid: str) -> ContextGuess:
    """A bind proposed several transfer syntaxes for one context, and its answer was not captured."""
    return ContextGuess(str(BindingSource.BIND_UNANSWERED), _both_syntaxes([interface_uuid]), interface_known=True)


def first_guess(server: Endpoint, announced: Collection[str]) -> ContextGuess:
    """`announced`: interfaces said to listen there."""
    if announced:
        return ContextGuess(ENDPOINT_MAPPER_SOURCE, _both_syntaxes(_OF_QUEUE_MANAGERS & set(announced)))
    if server[1] == ENDPOINT_MAPPER_PORT:
        return ContextGuess(PORT_SOURCE, _both_syntaxes([EPM.uuid]))
    return ContextGuess(PORT_SOURCE, _both_syntaxes(_OF_QUEUE_MANAGERS) if server[1] in PORTS else [])


def is_telling(interface_uuid: str, opnum: int, direction: Direction, values: Mapping[str, Any]) -> bool:
    """Whether the stub holds something that bytes met by chance do not: an array, a text or a union's arm."""
    interface, operation = declared(interface_uuid, opnum)
    return any(
        _tells(member.type, values if not member.name else values[member.name], interface.types)
        for member in operation.on_the_wire(direction)
    )


def _tells(declared_type: Type, value: Any, types: Mapping[str, Type]) -> bool:  # noqa: ANN401 - any decoded value
    if value is None or value in ("", b"", []):
        return False
    if isinstance(declared_type, Named):
        return _tells(types[declared_type.name], value, types)
    if isinstance(declared_type, Pointer):
        return _tells(declared_type.to, value, types)
    if isinstance(declared_type, Struct):
        inner = (value if not member.name else value[member.name] for member in declared_type.members)
        return any(_tells(member.type, one, types) for member, one in zip(declared_type.members, inner, strict=True))
    if isinstance(declared_type, Union):
        return any(arm.member is not None and value.get(arm.member.name) is not None for arm in declared_type.arms)
    return isinstance(declared_type, Array | String)


def _both_syntaxes(uuids: Iterable[str]) -> list[Candidate]:
    return [Candidate(uuid, syntax) for uuid in sorted(uuids) for syntax in (Syntax.NDR, Syntax.NDR64)]
