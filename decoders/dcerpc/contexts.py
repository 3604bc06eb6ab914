"""Presentation contexts of a connection: proposed, answered, used ([C706] 12.6.4.3, [MS-RPCE] 3.3.1.5.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoders.dcerpc.call_model import Binding, BindingSource
from decoders.dcerpc.header import PacketType
from decoders.dcerpc.names import (
    ACCEPTANCE,
    NEGOTIATE_ACK,
    PROVIDER_REASON,
    PROVIDER_REJECTION,
    RESULT,
    TRANSFER_SYNTAX,
)
from decoders.limits import MAX_PRESENTATION_CONTEXTS

if TYPE_CHECKING:
    from decoders.dcerpc.bind import PresentationContext, SyntaxId
    from decoders.dcerpc.pdus import Bind, BindAck
    from decoders.dcerpc.proposals import Proposal
    from decoders.dcerpc.verification import VerificationTrailer


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a context that was proposed cannot be used."""

    interface: SyntaxId
    answer: PacketType
    result: int | None = None
    """None where a bind_nak or fault refused all contexts of the proposal."""
    reason: int | None = None

    def __str__(self) -> str:
        if self.result is None:
            return self.answer.name.lower()
        # [C706] 12.6.3.1: the reason has a meaning only where the provider rejects.
        reason = f", {PROVIDER_REASON.get(self.reason or 0, self.reason)}" if self.result == PROVIDER_REJECTION else ""
        return f"{RESULT.get(self.result, self.result)}{reason}"


class Contexts:
    """The bool that methods return: whether there was room to remember all of it."""

    __slots__ = (
        "_group_granted",
        "_group_joined",
        "_witnessed",
        "accepted",
        "client_features",
        "max_recv_frag",
        "max_xmit_frag",
        "proposed",
        "rejected",
        "server_features",
    )

    def __init__(self) -> None:
        self.accepted: dict[int, Binding] = {}
        self.rejected: dict[int, Refusal] = {}
        self.proposed: dict[int, PresentationContext] = {}
        """Not answered yet, or never."""
        self.max_xmit_frag: int | None = None
        """Of the server's last answer."""
        self.max_recv_frag: int | None = None
        self.client_features: int | None = None
        self.server_features: int | None = None
        self._witnessed: dict[int, Binding] = {}
        self._group_granted: int | None = None
        self._group_joined: int | None = None

    @property
    def assoc_group_id(self) -> int | None:
        """As bind_ack says; until one does, the group that the bind is to join."""
        return self._group_joined if self._group_granted is None else self._group_granted

    def propose(self, proposal: Proposal, bind: Bind | None) -> bool:
        """`bind` is None where the PDU is cut."""
        if bind is not None and proposal.kind is PacketType.BIND:
            # [C706] 12.6.4.3: 0 asks for a new group, whose number only the answer tells.
            self._group_joined = bind.assoc_group_id or None
        room = True
        # The last element before a cut may lack transfer syntaxes: without an answer nobody knows which was meant.
        for context in proposal.contexts[:-1] if bind is None else proposal.contexts:
            if context.features is not None:
                self.client_features = context.features
            elif len(self.proposed) < MAX_PRESENTATION_CONTEXTS or context.context_id in self.proposed:
                self.proposed[context.context_id] = context
            else:
                room = False
        return room

    def answer(self, proposal: Proposal | None, ack: BindAck) -> bool | None:
        """None: the number of results is not that of the proposal."""
        if ack.header.packet_type is PacketType.BIND_ACK:
            if proposal is None and self._group_granted is not None:
                # A connection is bound once: this answer is to a bind of a later one with the same ends.
                self._forget()
            # [C706] 12.6.4.2: in alter_context_resp they are to be ignored, and some servers draw a new group id there.
            self._group_granted = ack.assoc_group_id
            self.max_xmit_frag, self.max_recv_frag = ack.max_xmit_frag, ack.max_recv_frag
        if proposal is None:
            return True
        contexts = proposal.contexts
        room = True
        for context, result in zip(contexts, ack.results, strict=False):
            if result.result == NEGOTIATE_ACK:
                self.server_features = result.reason
                continue
            number = context.context_id
            self.proposed.pop(number, None)
            if result.result != ACCEPTANCE:
                # [MS-RPCE] 3.3.1.5.6: a refusal takes nothing away that was accepted before.
                self._reject(
                    context, Refusal(context.abstract_syntax, ack.header.packet_type, result.result, result.reason)
                )
            elif number in self.accepted or len(self.accepted) < MAX_PRESENTATION_CONTEXTS:
                self.rejected.pop(number, None)
                self.accepted[number] = Binding(context.abstract_syntax, result.transfer_syntax, BindingSource.BIND)
            else:
                room = False
        return None if proposal.whole and len(contexts) != len(ack.results) else room

    def _forget(self) -> None:
        for numbered in (self.accepted, self.rejected, self.proposed, self._witnessed):
            numbered.clear()

    def refuse(self, proposal: Proposal, answer: PacketType) -> None:
        """bind_nak, or a fault in answer to alter_context."""
        if proposal.kind is PacketType.BIND:
            self._group_joined = None
        for context in proposal.contexts:
            self.proposed.pop(context.context_id, None)
            if context.features is None:
                self._reject(context, Refusal(context.abstract_syntax, answer))

    def _reject(self, context: PresentationContext, refusal: Refusal) -> None:
        if context.context_id in self.rejected or len(self.rejected) < MAX_PRESENTATION_CONTEXTS:
            self.rejected[context.context_id] = refusal

    def witness(self, ctx_id: int, trailer: VerificationTrailer) -> bool:
        """A verification trailer names interface and syntax. False: that contradicts the bind."""
        if trailer.interface is None or trailer.transfer_syntax is None:
            return True
        known = self.settled(ctx_id)
        if known is not None:
            return (known.interface, known.transfer_syntax) == (trailer.interface, trailer.transfer_syntax)
        if ctx_id in self._witnessed or len(self._witnessed) < MAX_PRESENTATION_CONTEXTS:
            source = BindingSource.VERIFICATION_TRAILER
            self._witnessed[ctx_id] = Binding(trailer.interface, trailer.transfer_syntax, source)
        return True

    def settled(self, ctx_id: int) -> Binding | None:
        """What was accepted, unless a proposal to redefine it waits for an answer that may come out late."""
        known, again = self.accepted.get(ctx_id), self.proposed.get(ctx_id)
        if known is None or again is None:
            return known
        # [MS-RPCE] 3.3.1.5.2.1: later legs of an authentication repeat the contexts of the first.
        same = known.interface == again.abstract_syntax and known.transfer_syntax in again.transfer_syntaxes
        return known if same else None

    def witnessed(self, ctx_id: int) -> Binding | None:
        """By a verification trailer."""
        return self._witnessed.get(ctx_id)

    def binding(self, ctx_id: int) -> Binding | None:
        """What a request on this context is bound to, by the best evidence there is."""
        known = self.settled(ctx_id) or self.witnessed(ctx_id)
        if known is not None or ctx_id in self.accepted:
            return known
        context = self.proposed.get(ctx_id)
        syntaxes = [one for one in context.transfer_syntaxes if one.features is None] if context else []
        if context is None or not syntaxes:
            return None
        # [MS-RPCE] 3.3.1.5.6: the server chooses, and NDR is the one that every server should have.
        chosen = next((one for one in syntaxes if TRANSFER_SYNTAX.get(one.uuid) == "ndr"), syntaxes[0])
        others = tuple(one for one in syntaxes if one != chosen)
        return Binding(context.abstract_syntax, chosen, BindingSource.BIND_UNANSWERED, others)
