"""What both sides agree on before and between calls: presentation and security contexts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from decoders.dcerpc.auth_contexts import AuthContexts
from decoders.dcerpc.call_model import BindingSource, PduFate
from decoders.dcerpc.call_report import name_of
from decoders.dcerpc.contexts import Contexts
from decoders.dcerpc.names import REJECT_REASON
from decoders.dcerpc.pdus import Bind, BindAck, BindNak, Control
from decoders.dcerpc.proposals import Proposals, answer_of
from decoders.dcerpc.troubles import Trouble, TroubleCode
from decoders.status import fault_name

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import Binding
    from decoders.dcerpc.call_report import CallReport, PduReport
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.open_call import OpenCall
    from decoders.dcerpc.pdus import Fault, Pdu
    from decoders.dcerpc.proposals import Proposal


class Negotiation:
    def __init__(self, report: CallReport) -> None:
        self.contexts = Contexts()
        self.auth = AuthContexts()
        self._proposals = Proposals()
        self._report = report
        self._told: set[tuple[TroubleCode, int]] = set()
        """Contexts told to be unknown or refused."""

    def bind(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> PduReport:
        """bind, alter_context."""
        bind = parsed if isinstance(parsed, Bind) else None
        proposal, room = self._proposals.add(from_client, framed, bind)
        if not self.contexts.propose(proposal, bind) or not room:
            self._report.trouble(TroubleCode.TOO_MANY_CONTEXTS, "a proposal is not remembered", framed)
        self._leg(from_client, framed, parsed)
        return None, PduFate.NEGOTIATION

    def bind_ack(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> PduReport:
        """bind_ack, alter_context_resp."""
        proposal = self._answered(framed, parsed)
        if isinstance(parsed, BindAck):
            remembered = self.contexts.answer(proposal, parsed)
            if remembered is None:
                detail = f"{len(parsed.results)} results are not one for each context proposed"
                self._report.trouble(TroubleCode.ANSWER_MISMATCH, detail, framed)
            elif not remembered:
                self._report.trouble(TroubleCode.TOO_MANY_CONTEXTS, "an accepted context is not remembered", framed)
        self._leg(from_client, framed, parsed)
        if proposal is not None:
            self.auth.bind_answered(proposal, framed)
        return None, PduFate.NEGOTIATION

    def bind_nak(self, _: bool, framed: AnyPdu, parsed: Pdu | None) -> PduReport:
        proposal = self._answered(framed, parsed)
        if proposal is not None:
            self.contexts.refuse(proposal, framed.header.packet_type)
            reason = parsed.provider_reject_reason if isinstance(parsed, BindNak) else None
            self.auth.bind_refused(proposal, REJECT_REASON.get(reason or 0, f"bind_nak {reason}"))
        return None, PduFate.NEGOTIATION

    def alter_refused(self, framed: AnyPdu, fault: Fault | None) -> bool:
        """Whether a fault answers an alter_context."""
        proposal = self._answered(framed, fault)
        if proposal is None:
            return False
        self.contexts.refuse(proposal, framed.header.packet_type)
        status = None if fault is None else fault.status
        self.auth.bind_refused(proposal, fault_name(status or 0) or f"fault 0x{status or 0:08X}")
        return True

    def _answered(self, framed: AnyPdu, parsed: Pdu | None) -> Proposal | None:
        """What the PDU answers. It is told once, here."""
        proposal = self._proposals.answered_by(framed)
        if proposal is not None:
            self._report.add(answer_of(proposal, framed, parsed))
        return proposal

    def control(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> PduReport:
        """auth3, shutdown."""
        self._leg(from_client, framed, parsed)
        return None, PduFate.CONTROL

    def _leg(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> None:
        if isinstance(parsed, Bind | BindAck | Control) and parsed.security is not None:
            problem = self.auth.leg(parsed.security, framed, from_client=from_client)
            if problem is not None:
                code, detail = problem
                self._report.trouble(code, f"{name_of(framed)}: {detail}", framed)

    def is_proposed(self, ctx_id: int) -> bool:
        """By a bind that has come out, accepted or not answered yet."""
        contexts = self.contexts
        return ctx_id in contexts.accepted or ctx_id in contexts.proposed or self._proposals.name(ctx_id)

    def binding_of(self, call: OpenCall) -> Binding | None:
        """Asked when the call is over: an answer to the bind, or a verification trailer, may come out late."""
        if call.outer is not None:
            found = self.binding_of(call.outer)
            return None if found is None else replace(found, source=BindingSource.OUTER_CALL)
        if call.binding is not None or call.ctx_id is None:
            return call.binding
        # A bind after the request is of another connection with the same ends, whose beginning was not captured.
        found = (self.contexts.witnessed if call.unproposed else self.contexts.binding)(call.ctx_id)
        if found is None:
            self._tell_unbound(call, call.ctx_id)
        return found

    def _tell_unbound(self, call: OpenCall, ctx_id: int) -> None:
        part, code, detail = call.request or call.response, *self._why_unbound(call, ctx_id)
        if part is None or (code, ctx_id) in self._told:
            return
        self._told.add((code, ctx_id))
        sender, offset = call.key
        self._report.add(Trouble(code, f"context {ctx_id}: {detail}", sender, *part.first_frame, offset, call.key))

    def _why_unbound(self, call: OpenCall, ctx_id: int) -> tuple[TroubleCode, str]:
        refusal = self.contexts.rejected.get(ctx_id)
        if ctx_id in self.contexts.accepted and not call.unproposed:
            return TroubleCode.CONTEXT_UNKNOWN, "redefined, and no answer to that was captured"
        if refusal is not None:
            one = refusal.interface
            detail = f"proposed for interface {one.uuid} {one.major}.{one.minor} and refused ({refusal})"
            return TroubleCode.CONTEXT_REJECTED, detail
        return TroubleCode.CONTEXT_UNKNOWN, "no captured bind names its interface"
