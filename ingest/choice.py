"""Which connections are kept, and which end of them is the client."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.well_known import OURS, PORTS
from decoders.tcp.model import Side
from schemas.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from decoders.dcerpc.recogniser import Recogniser

Endpoint = tuple[bytes, int]
"""Address, 4 or 16 bytes, and port."""
HINDSIGHT_NS: Final = 24 * 3600 * 1_000_000_000
"""An announcement says who listens from then on, and who did shortly before: ports pass to others with a restart."""


class Scope(enum.StrEnum):
    MSMQ = "msmq"
    RPC = "rpc"


class ChosenBy(enum.StrEnum):
    INTERFACE = "interface"
    PORT = "port"
    ENDPOINT = "endpoint"
    CONFLICT = "conflict"
    """It speaks DCE/RPC and its segments disagree: which interface was reached cannot be known."""
    SCOPE = "scope"


class DecidedBy(enum.StrEnum):
    SYN = "syn"
    BIND = "bind"
    PORT = "port"
    REQUEST = "request"
    FIRST_PACKET = "first_packet"


@dataclass(frozen=True, slots=True)
class Choice:
    """What to keep."""

    scope: Scope = Scope.MSMQ
    learned: Mapping[Endpoint, Mapping[str, int]] = field(default_factory=dict)
    """Endpoints announced elsewhere, by the endpoint mapper, by a port query or by who answers there: the interfaces
    announced there, and when each was first.
    """
    known: Mapping[str, ChosenBy] = field(default_factory=dict)
    """Connections, by uid, of which an earlier look found only after their first PDU why to keep them."""

    def announced(self, end: Endpoint, began_ns: int) -> Collection[str]:
        """Interfaces announced there, as far as that concerns a connection that began at that time."""
        told = self.learned.get(end, {})
        return {uuid for uuid, ts_ns in told.items() if ts_ns - HINDSIGHT_NS <= began_ns or began_ns == NO_TIME}

    def of(self, recogniser: Recogniser, low: Endpoint, high: Endpoint, began_ns: int) -> ChosenBy | None:
        """Why to keep it: the strongest reason. Once there is one there always is, whatever follows."""
        if not recogniser.speaks_rpc:
            return None
        if any(interface in OURS for interface in recogniser.interfaces):
            return ChosenBy.INTERFACE
        if low[1] in PORTS or high[1] in PORTS:
            return ChosenBy.PORT
        if self.scope is Scope.RPC:
            return ChosenBy.SCOPE
        return ChosenBy.ENDPOINT if any(self.announced(end, began_ns) for end in (low, high)) else None


def client_of(
    syn_originator: Side | None, recogniser: Recogniser, low_port: int, high_port: int, first_sender: Side
) -> tuple[Side, DecidedBy]:
    """A SYN is proof, a bind nearly so; a port is a habit, and the first packet of a capture says the least."""
    if syn_originator is not None:
        return syn_originator, DecidedBy.SYN
    if recogniser.binder is not None:
        return recogniser.binder, DecidedBy.BIND
    if (low_port in PORTS) != (high_port in PORTS):
        return (Side.HIGH if low_port in PORTS else Side.LOW), DecidedBy.PORT
    if recogniser.requester is not None:
        return recogniser.requester, DecidedBy.REQUEST
    return first_sender, DecidedBy.FIRST_PACKET
