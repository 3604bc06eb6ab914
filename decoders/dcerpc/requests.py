"""Requests: which call a fragment continues, and which it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.dcerpc.call_model import PduFate
from decoders.dcerpc.call_report import name_of
from decoders.dcerpc.framing_model import FramedPdu
from decoders.dcerpc.pdus import Request
from decoders.dcerpc.troubles import Trouble, TroubleCode
from decoders.dcerpc.verification import find_verification, repeats_header
from decoders.limits import MAX_VERIFICATION_BYTES

if TYPE_CHECKING:
    from decoders.dcerpc.call_report import CallReport, PduReport
    from decoders.dcerpc.evidence import Began, Evidence
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.negotiation import Negotiation
    from decoders.dcerpc.open_call import OpenCall, Slot
    from decoders.dcerpc.open_calls import OpenCalls
    from decoders.dcerpc.parts import PartBuilder
    from decoders.dcerpc.pdus import Pdu


class Requests:
    def __init__(self, open_calls: OpenCalls, evidence: Evidence, negotiation: Negotiation, report: CallReport) -> None:
        self._open = open_calls
        self._evidence = evidence
        self._negotiation = negotiation
        self._report = report

    def request(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> PduReport:
        slot = from_client, framed.header.call_id
        request = parsed if isinstance(parsed, Request) else None
        call = self._continued(slot, framed, request) or self._answered_before(slot, framed, request)
        if call is None:
            late = None if framed.header.first else self._open.late_request(slot)
            if late is not None:
                return late, PduFate.LATE
            call = self._begin(slot, framed)
        part = call.request
        if part is None:
            part = self._open.ask(call, framed)
            if from_client and not call.nested:
                self._evidence.note_request(slot[1])
        if request is not None and call.opnum is None:
            if call.ctx_id not in (None, request.p_cont_id):
                detail = f"{name_of(framed)} is on context {request.p_cont_id}, its answer on {call.ctx_id}"
                self._report.trouble(TroubleCode.CONTEXT_MISMATCH, detail, framed, call.key)
            call.ctx_id, call.opnum, call.object_uuid = request.p_cont_id, request.opnum, request.object_uuid
            call.binding = self._negotiation.contexts.settled(request.p_cont_id)
            call.unproposed = call.binding is None and not self._negotiation.is_proposed(request.p_cont_id)
        self._open.note(call, part, framed, request)
        self._open.add(call, part, framed, request.stub if request else b"")
        if isinstance(framed, FramedPdu) and request is not None and framed.header.last and not part.sealed:
            self._verify(call, part, request, framed)
        self._open.settle(call)
        return call.key, PduFate.CALL

    def _continued(self, slot: Slot, framed: AnyPdu, request: Request | None) -> OpenCall | None:
        if framed.header.first:
            return None
        call = self._open.asking(slot)
        if call is None or call.request is None or call.request.ended:
            return None
        # A server answers a whole request; only a fault may come before its end ([MS-RPCE] 3.3.3.5.8).
        if call.response is not None and framed.origin.began > call.response.began:
            return None
        if self._answered_since(slot, call.request.began, framed.origin.began):
            return None
        fits = request is None or call.opnum is None or (request.p_cont_id, request.opnum) == (call.ctx_id, call.opnum)
        return call if fits else None

    def _answered_since(self, slot: Slot, asked: Began, now: Began) -> bool:
        """Whether what may be the answer to a request came between it and now."""
        for one in reversed(self._open.unasked_of(slot)):
            if one.response is None or one.response.began >= now:
                continue
            return one.response.began > asked
        return False

    def _answered_before(self, slot: Slot, framed: AnyPdu, request: Request | None) -> OpenCall | None:
        """The call whose answer came out before this request, which was sent earlier."""
        if not self._open.unasked:
            return None
        began = framed.origin.began
        passed: list[OpenCall] = []
        found: OpenCall | None = None
        for call in self._open.unasked_of(slot):
            answered = call.answer_began
            if answered is not None and answered < began:
                passed.append(call)
            elif request is None or call.ctx_id in (None, request.p_cont_id) or call.fault is not None:
                counted = slot[0] and self._evidence.counts_up
                found = call if (call.hole < began or counted) and not call.in_doubt else None
                break
        # Requests come out in order: those to earlier answers are missing.
        for call in passed:
            self._open.end(call)
        return found

    def _begin(self, slot: Slot, framed: AnyPdu) -> OpenCall:
        from_client, call_id = slot
        nested = not from_client
        below = self._open.asking(slot)
        if below is not None and self._open.callback_in(below) is not None:
            nested = True
        elif below is not None and below.answered:
            self._open.end(below)
        elif below is not None:
            capture, frame = framed.origin.frames[0]
            detail = f"call id {call_id} asks again and no answer to the first was seen"
            where = framed.sender, capture, frame, framed.offset
            self._open.supersede(below, Trouble(TroubleCode.CALL_ID_REUSED, detail, *where, below.key))
        outer = None if from_client else self._open.asking((True, call_id))
        call = self._open.begin(slot, framed, self._evidence.hole(not from_client))
        call.nested = nested
        if outer is not None and outer.request is not None and not outer.answered:
            call.outer = outer if outer.request.began < framed.origin.began else None
        return call

    def _verify(self, call: OpenCall, part: PartBuilder, request: Request, framed: FramedPdu) -> None:
        # [MS-RPCE] 2.2.2.13 has the last PDU carry all of it, aligned from the start of that PDU. Some clients cut the
        # stub into fragments with the trailer already on it: then it may reach back, aligned from the stub's start.
        trailer = find_verification(request.stub) or find_verification(part.tail(MAX_VERIFICATION_BYTES))
        if trailer is None:
            return
        witness = self._negotiation.contexts.witness
        if not repeats_header(trailer, request, framed.data[4:8]) or not witness(request.p_cont_id, trailer):
            detail = f"the trailer of call id {request.header.call_id} is not that of its request or context"
            self._report.trouble(TroubleCode.VERIFICATION_BAD, detail, framed, call.key)
            return
        part.cut_off(trailer)
