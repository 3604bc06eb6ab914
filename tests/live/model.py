"""What is said on one connection, in values under the IDL's names."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from decoders.interfaces import INTERFACES
from decoders.ndr.model import Interface, Operation, Syntax

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

Values = dict[str, Any]


@dataclass(frozen=True)
class Call:
    operation: str
    request: Values
    response: Values
    fault: int | None = None
    """Status of the fault that answers it instead of a response."""

    @property
    def interface(self) -> Interface:
        return _DECLARED[self.operation][0]

    @property
    def declared(self) -> Operation:
        return _DECLARED[self.operation][1]


_DECLARED: Final = {
    operation.name: (interface, operation) for interface in INTERFACES.values() for operation in interface.operations
}


@dataclass(frozen=True)
class Talk:
    """One connection. `client` and `server` name the project whose program it is.

    A call of another interface than the one before it comes after an alter_context.
    """

    name: str
    client: str
    server: str
    calls: tuple[Call, ...]
    syntax: Syntax = Syntax.NDR
    byte_order: ByteOrder = "<"
    auth_level: int | None = None
    request_fragment: int | None = None
    """Stub bytes of a request that impacket's client puts into one PDU."""
    mended: bool = False
    """scapy with the corrections of tests/second_opinion/stubs, without which it cannot say it."""

    @property
    def alters(self) -> int:
        return sum(one.interface != other.interface for one, other in pairwise(self.calls))
