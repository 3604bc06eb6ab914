"""Binds and alter_contexts that wait for their answer: which PDU answers which is decided here and nowhere else."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from decoders.dcerpc.bind import parse_contexts
from decoders.dcerpc.header import PacketType
from decoders.dcerpc.names import ACCEPTANCE, NEGOTIATE_ACK, PROVIDER_REASON, REJECT_REASON
from decoders.dcerpc.pdus import BindAck, BindNak, Fault
from decoders.errors import DecodeError
from decoders.limits import MAX_UNANSWERED_BINDS
from decoders.status import fault_name

if TYPE_CHECKING:
    from decoders.dcerpc.bind import PresentationContext
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.pdus import Bind, Pdu

ProposalKey: TypeAlias = tuple[bool, int]
"""Whether the client sent it, and where it stands in its sender's stream."""

_ANSWERS: Final = {
    PacketType.BIND_ACK: (PacketType.BIND,),
    PacketType.BIND_NAK: (PacketType.BIND, PacketType.ALTER_CONTEXT),
    PacketType.ALTER_CONTEXT_RESP: (PacketType.ALTER_CONTEXT,),
    PacketType.FAULT: (PacketType.ALTER_CONTEXT,),
}
"""What each of them answers: [MS-RPCE] 3.3.1.5.2.1. By 3.3.1.5.6 a bind_nak also refuses what is a context too many,
whichever of the two proposed it.
"""


@dataclass(frozen=True, slots=True)
class Proposal:
    key: ProposalKey
    kind: PacketType
    call_id: int
    ts_ns: int
    contexts: tuple[PresentationContext, ...]
    whole: bool
    auth_context_id: int | None
    """Of the security context that it builds; None: it builds none, or was cut before it."""


class ProposalAnswer(NamedTuple):
    """What the server says to a proposal."""

    proposal: ProposalKey
    accepted: bool | None
    """Any of its contexts; None: the answer was cut before it says so."""
    reason: str | None = None
    """Of a refusal."""
    assoc_group_id: int | None = None


class Proposals:
    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[Proposal] = []
        """In order."""

    def add(self, from_client: bool, pdu: AnyPdu, bind: Bind | None) -> tuple[Proposal, bool]:
        """And whether there was room to remember all that wait. `bind` is None where the PDU is cut."""
        security = None if bind is None else bind.security
        proposal = Proposal(
            (from_client, pdu.offset),
            pdu.header.packet_type,
            pdu.header.call_id,
            pdu.origin.last_ts_ns,
            _contexts_before_cut(pdu) if bind is None else bind.contexts,
            bind is not None,
            None if security is None else security.auth_context_id,
        )
        self._waiting.append(proposal)
        room = len(self._waiting) <= MAX_UNANSWERED_BINDS
        if not room:
            del self._waiting[0]
        return proposal, room

    def name(self, ctx_id: int) -> bool:
        """Whether one that waits proposes this context."""
        return any(context.context_id == ctx_id for one in self._waiting for context in one.contexts)

    def answered_by(self, pdu: AnyPdu) -> Proposal | None:
        """Legs of one negotiation share a call id, and the answer may come out late: kind and time decide as well."""
        kinds, call_id, ts_ns = _ANSWERS[pdu.header.packet_type], pdu.header.call_id, pdu.origin.first_ts_ns
        for index in reversed(range(len(self._waiting))):
            one = self._waiting[index]
            if one.kind in kinds and one.call_id == call_id and one.ts_ns <= ts_ns:
                return self._waiting.pop(index)
        return None


def answer_of(proposal: Proposal, pdu: AnyPdu, parsed: Pdu | None) -> ProposalAnswer:
    """`parsed` is None where the PDU was cut. A refusal is one by its kind alone; what an acceptance accepts is not."""
    if isinstance(parsed, BindAck):
        refusals = (one for one in parsed.results if one.result not in (ACCEPTANCE, NEGOTIATE_ACK))
        first = next(refusals, None)
        accepted = any(one.result == ACCEPTANCE for one in parsed.results)
        reason = None if accepted or first is None else PROVIDER_REASON.get(first.reason, str(first.reason))
        return ProposalAnswer(proposal.key, accepted, reason, parsed.assoc_group_id)
    if pdu.header.packet_type in (PacketType.BIND_ACK, PacketType.ALTER_CONTEXT_RESP):
        return ProposalAnswer(proposal.key, None)
    return ProposalAnswer(proposal.key, False, _reason(parsed))


def _reason(parsed: Pdu | None) -> str | None:
    if isinstance(parsed, BindNak):
        return REJECT_REASON.get(parsed.provider_reject_reason, str(parsed.provider_reject_reason))
    return (fault_name(parsed.status) or f"0x{parsed.status:08X}") if isinstance(parsed, Fault) else None


def _contexts_before_cut(pdu: AnyPdu) -> tuple[PresentationContext, ...]:
    found: list[PresentationContext] = []
    with contextlib.suppress(DecodeError):
        found.extend(parse_contexts(pdu.data, pdu.header.byte_order))
    return tuple(found)
