"""Does a connection speak DCE/RPC, to which interfaces does it bind, and which side is the client?

Fed the ordered bytes of both directions, it follows the chain of PDUs by their frag_length. Only headers, binds and
alter_contexts are looked at; nothing else is kept.
"""

from __future__ import annotations

import contextlib
import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from decoders.dcerpc.bind import parse_contexts
from decoders.dcerpc.header import HEADER_BYTES, RPC_VERSION, PacketType, PduHeader, parse_header
from decoders.dcerpc.well_known import INTERFACES
from decoders.errors import DecodeError
from decoders.limits import MAX_INTERFACES_KEPT, MAX_RESYNC_BYTES

if TYPE_CHECKING:
    from decoders.tcp.model import Side

_WITH_CONTEXTS = (PacketType.BIND, PacketType.ALTER_CONTEXT)
_SERVER_ONLY = (
    PacketType.BIND_ACK,
    PacketType.BIND_NAK,
    PacketType.ALTER_CONTEXT_RESP,
    PacketType.SHUTDOWN,
    PacketType.RESPONSE,
    PacketType.FAULT,
)


class _State(enum.Enum):
    IN_STEP = enum.auto()
    """The next byte begins a PDU."""
    SEARCHING = enum.auto()
    """After a gap or a start in the middle: the next boundary has to be found."""
    NOT_RPC = enum.auto()


@dataclass(slots=True)
class _Direction:
    state: _State
    held: bytearray = field(default_factory=bytearray)
    skip: int = 0
    searched: int = 0


class Recogniser:
    def __init__(self) -> None:
        self.pdus = 0
        self.interfaces: list[str] = []
        """Abstract syntaxes proposed, in order of appearance: the first MAX_INTERFACES_KEPT, and all that are ours."""
        self.binder: Side | None = None
        """Who sent the first bind or alter_context, or is the peer of who answered one."""
        self.requester: Side | None = None
        """Who sent the first request, or is the peer of who sent the first response or fault."""
        self._directions: dict[Side, _Direction] = {}

    @property
    def speaks_rpc(self) -> bool:
        return self.pdus > 0

    def data(self, sender: Side, payload: bytes, *, from_start: bool) -> None:
        """The next bytes of a direction. `from_start`: the capture has the connection's very first byte."""
        direction = self._directions.get(sender)
        if direction is None:
            direction = _Direction(_State.IN_STEP if from_start else _State.SEARCHING)
            self._directions[sender] = direction
        if direction.state is _State.NOT_RPC:
            return
        if direction.skip >= len(payload):
            direction.skip -= len(payload)
            return
        direction.held += memoryview(payload)[direction.skip :]
        direction.skip = 0
        while direction.held and direction.skip == 0 and self._advance(sender, direction):
            pass

    def gap(self, sender: Side, size: int) -> None:
        direction = self._directions.setdefault(sender, _Direction(_State.SEARCHING))
        if direction.skip >= size > 0:
            direction.skip -= size  # the hole lies inside a PDU whose end is known
            return
        self._look_at_the_rest(sender, direction)
        if direction.skip >= size > 0:
            direction.skip -= size
            return
        direction.held.clear()
        direction.skip = 0
        if direction.state is _State.IN_STEP:
            direction.state, direction.searched = _State.SEARCHING, 0

    def finish(self) -> None:
        """No more bytes: a PDU found by searching that ends exactly where the stream does needs no other after it."""
        for sender, direction in self._directions.items():
            self._look_at_the_rest(sender, direction)

    def _look_at_the_rest(self, sender: Side, direction: _Direction) -> None:
        """What is held comes to nothing more: the bytes that follow it are missing, or there are none."""
        while direction.state is _State.SEARCHING and _search(direction, at_end=True):
            while direction.held and direction.skip == 0 and self._advance(sender, direction):
                pass
        if direction.state is _State.IN_STEP and (header := parse_header(direction.held)) is not None:
            # A bind of which only the beginning was captured still names an interface.
            self._note(sender, header, direction.held)
            direction.skip = header.frag_length - len(direction.held)
            direction.held.clear()

    def _advance(self, sender: Side, direction: _Direction) -> bool:
        """One PDU or one search further. False: more bytes are needed, or this is no DCE/RPC."""
        held = direction.held
        if direction.state is _State.SEARCHING:
            return _search(direction, at_end=False)
        if len(held) < HEADER_BYTES:
            return False
        header = parse_header(held)
        if header is None:
            never = self.pdus == 0
            direction.state, direction.searched = (_State.NOT_RPC if never else _State.SEARCHING), 0
            if never:
                held.clear()
            return not never
        if header.packet_type in _WITH_CONTEXTS and len(held) < header.frag_length:
            return False
        self._note(sender, header, held)
        direction.skip = max(0, header.frag_length - len(held))
        del held[: header.frag_length]
        return True

    def _note(self, sender: Side, header: PduHeader, pdu: bytearray) -> None:
        self.pdus += 1
        peer = self._directions.get(sender.peer)
        if self.pdus == 1 and peer is not None and peer.state is _State.NOT_RPC:
            # What the peer said first was no PDU, yet this side answers with one: look at what the peer says next.
            peer.state, peer.searched = _State.SEARCHING, 0
        kind = header.packet_type
        if kind in _WITH_CONTEXTS:
            self.binder = sender if self.binder is None else self.binder
            self._keep_interfaces(pdu[: header.frag_length], header)
        elif kind in (PacketType.BIND_ACK, PacketType.BIND_NAK, PacketType.ALTER_CONTEXT_RESP):
            self.binder = sender.peer if self.binder is None else self.binder
        elif self.requester is None and kind in (PacketType.REQUEST, PacketType.RESPONSE, PacketType.FAULT):
            self.requester = sender.peer if kind in _SERVER_ONLY else sender

    def _keep_interfaces(self, pdu: bytearray, header: PduHeader) -> None:
        # A list that ends too early has told some interfaces before: somebody tried to reach them.
        with contextlib.suppress(DecodeError):
            for context in parse_contexts(pdu, header.byte_order):
                name = context.abstract_syntax.uuid
                room = len(self.interfaces) < MAX_INTERFACES_KEPT or name in INTERFACES
                if room and name not in self.interfaces:
                    self.interfaces.append(name)


def _search(direction: _Direction, *, at_end: bool) -> bool:
    """Go to the next PDU. A header is believed only if another follows its PDU: payload imitates one header easily."""
    held, at = direction.held, direction.held.find(RPC_VERSION)
    found = False
    while at >= 0 and len(held) - at >= HEADER_BYTES:
        header = parse_header(held, at)
        if header is not None:
            end = at + header.frag_length
            found = parse_header(held, end) is not None or (at_end and end == len(held))
            if found or (len(held) < end + HEADER_BYTES and not at_end):
                break
        at = held.find(RPC_VERSION, at + 1)
    passed = at if at >= 0 else len(held)
    direction.searched += passed
    del held[:passed]
    if direction.searched > MAX_RESYNC_BYTES:
        direction.state = _State.NOT_RPC
        held.clear()
        return False
    if found:
        direction.state = _State.IN_STEP
    return found
