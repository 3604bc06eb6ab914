"""Does a connection speak DCE/RPC, to which interfaces does it bind, and which side is the client?

Fed the framed PDUs of both directions; only headers, binds and alter_contexts are looked at, nothing else is kept.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.bind import parse_contexts
from decoders.dcerpc.header import PacketType
from decoders.dcerpc.well_known import OURS
from decoders.errors import DecodeError
from decoders.limits import MAX_INTERFACES_KEPT

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.tcp.model import Side

_PROPOSALS: Final = (PacketType.BIND, PacketType.ALTER_CONTEXT)
_ANSWERS: Final = (PacketType.BIND_ACK, PacketType.BIND_NAK, PacketType.ALTER_CONTEXT_RESP)


class Recogniser:
    def __init__(self) -> None:
        self.pdus = 0
        """Whole and cut ones."""
        self.interfaces: list[str] = []
        """Abstract syntaxes proposed, in order of appearance: the first MAX_INTERFACES_KEPT, and all that are ours."""
        self.binder: Side | None = None
        """Who sent the first bind or alter_context, or is the peer of who answered one."""
        self.requester: Side | None = None
        """Who sent the first request, or is the peer of who sent the first response or fault."""

    @property
    def speaks_rpc(self) -> bool:
        return self.pdus > 0

    def note(self, sender: Side, framed: AnyPdu) -> None:
        self.pdus += 1
        kind = framed.header.packet_type
        if kind in _PROPOSALS:
            self.binder = sender if self.binder is None else self.binder
            self._keep_interfaces(framed)
        elif kind in _ANSWERS:
            self.binder = sender.peer if self.binder is None else self.binder
        elif self.requester is None and kind is PacketType.REQUEST:
            self.requester = sender
        elif self.requester is None and kind in (PacketType.RESPONSE, PacketType.FAULT):
            self.requester = sender.peer

    def note_exchanges(self, client: Side, pdus: int) -> None:
        """Requests and their answers."""
        self.pdus += pdus
        self.requester = client if self.requester is None else self.requester

    def _keep_interfaces(self, framed: AnyPdu) -> None:
        # A list that ends too early has told some interfaces before: somebody tried to reach them.
        with contextlib.suppress(DecodeError):
            for context in parse_contexts(framed.data, framed.header.byte_order):
                name = context.abstract_syntax.uuid
                room = len(self.interfaces) < MAX_INTERFACES_KEPT or name in OURS
                if room and name not in self.interfaces:
                    self.interfaces.append(name)
