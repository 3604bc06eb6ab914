"""Responses and faults: the request each of them answers, or none where that is not certain.

An answer belongs to a request of the other side with its call id and context ([C706] 12.6.3.1) that was sent before it.
Neither side is ahead of the other for certain: bytes that waited behind a hole come out after what answers them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.call_model import CallFault, Missing, PduFate
from decoders.dcerpc.call_report import name_of
from decoders.dcerpc.header import PduFlag
from decoders.dcerpc.pdus import Fault, Response
from decoders.dcerpc.troubles import TroubleCode

if TYPE_CHECKING:
    from decoders.dcerpc.call_report import CallReport, PduReport
    from decoders.dcerpc.evidence import Evidence
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.negotiation import Negotiation
    from decoders.dcerpc.open_call import OpenCall, Slot
    from decoders.dcerpc.open_calls import OpenCalls
    from decoders.dcerpc.pdus import Pdu

_DID_NOT_EXECUTE: Final = int(PduFlag.DID_NOT_EXECUTE)


class Answers:
    def __init__(self, open_calls: OpenCalls, evidence: Evidence, negotiation: Negotiation, report: CallReport) -> None:
        self._open = open_calls
        self._evidence = evidence
        self._negotiation = negotiation
        self._report = report
        self._stray: dict[bool, int] = {}
        """Per direction: call id of the last response fragment without a call, to tell of each only once."""

    def response(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> PduReport:
        slot = not from_client, framed.header.call_id
        response = parsed if isinstance(parsed, Response) else None
        if framed.header.first:
            self._cut_short(slot)
        call = self._addressee(slot, framed)
        if call is not None and not self._on_its_context(call, framed, response):
            if not framed.header.first:
                self._open.lose(call, call.response, Missing.FRAGMENT, framed)
                return None, PduFate.NO_CALL
            call = None
        if call is None:
            late = self._open.late_answer(slot, last=framed.header.last)
            if late is not None:
                return late, PduFate.LATE
            if not framed.header.first:
                return self._stray_fragment(from_client, framed)
            call = self._begin(slot, framed)
        part = call.response or self._open.answer(call, framed)
        if response is not None and call.ctx_id is None:
            call.ctx_id = response.p_cont_id
        self._open.note(call, part, framed, response)
        self._open.add(call, part, framed, response.stub if response else b"")
        self._open.settle(call)
        return call.key, PduFate.CALL

    def fault(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> PduReport:
        slot = not from_client, framed.header.call_id
        fault = parsed if isinstance(parsed, Fault) else None
        call = self._addressee(slot, framed)
        if call is None:
            if self._negotiation.alter_refused(framed, fault):
                return None, PduFate.NEGOTIATION
            late = self._open.late_answer(slot, last=True)
            if late is not None:
                return late, PduFate.LATE
            call = self._begin(slot, framed)
            call.ctx_id = None if fault is None else fault.p_cont_id
        # Some servers name context 0 in every fault: that alone makes it no other call's.
        self._on_its_context(call, framed, fault)
        self._open.note(call, None, framed, fault)
        call.fault = CallFault(
            None if fault is None else fault.status,
            framed.header.flags & _DID_NOT_EXECUTE != 0,
            None if fault is None else fault.extended_error,
            framed.origin.first_ts_ns,
            framed.origin.frames,
        )
        self._open.settle(call)
        return call.key, PduFate.CALL

    def _begin(self, slot: Slot, framed: AnyPdu) -> OpenCall:
        """A call whose request has not come out."""
        call = self._open.begin(slot, framed, self._evidence.hole(not slot[0]))
        call.in_doubt = self._evidence.hidden
        return call

    def _on_its_context(self, call: OpenCall, framed: AnyPdu, answer: Response | Fault | None) -> bool:
        if answer is None or call.ctx_id in (None, answer.p_cont_id):
            return True
        detail = f"{name_of(framed)} is on context {answer.p_cont_id}, its request on {call.ctx_id}"
        self._report.trouble(TroubleCode.CONTEXT_MISMATCH, detail, framed, call.key)
        return False

    def _cut_short(self, slot: Slot) -> None:
        """A response begins: no more follows of another with its call id."""
        call = self._open.answering(slot)
        if call is None:
            return
        call.cut_short = True
        if call.request is None:
            self._open.linger(call)
        else:
            self._open.pass_over(call)
            self._open.end(call)

    def _addressee(self, slot: Slot, framed: AnyPdu) -> OpenCall | None:
        """The call whose response is under way, or else the one whose request waits for an answer."""
        call, under_way = self._open.last_asked(slot, framed.origin.began), self._open.answering(slot)
        if under_way is not None and not _asked_since(call, under_way):
            return under_way
        if call is None or self._is_certain(call):
            return call
        detail = f"an answer to call id {slot[1]} may be that to a request which was not captured"
        self._report.trouble(TroubleCode.PAIRING_UNCERTAIN, detail, framed, call.key)
        return None

    def _is_certain(self, call: OpenCall) -> bool:
        if self._open.callback_in(call) is not None:
            return False
        from_client, _ = call.slot
        if call.request is None:
            return True
        if self._evidence.may_have_asked(from_client, call.request.end):
            return False
        if self._evidence.hole(not from_client) < call.request.began:
            return True
        return self._evidence.counts_up and not call.nested

    def _stray_fragment(self, from_client: bool, framed: AnyPdu) -> PduReport:
        if self._stray.get(from_client) != framed.header.call_id:
            self._stray[from_client] = framed.header.call_id
            detail = f"response of call id {framed.header.call_id} without its first fragment and its request"
            self._report.trouble(TroubleCode.FRAGMENT_MISSING, detail, framed)
        return None, PduFate.NO_CALL


def _asked_since(call: OpenCall | None, under_way: OpenCall) -> bool:
    if call is None or call.request is None or under_way.response is None:
        return False
    return call.request.began > under_way.response.began
