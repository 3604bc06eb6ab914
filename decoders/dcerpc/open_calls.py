"""The calls of a connection that are under way: found by who asked and by call id, kept within limits, given out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.dcerpc.call_model import Missing
from decoders.dcerpc.framing_model import BrokenPdu
from decoders.dcerpc.open_call import OpenCall
from decoders.dcerpc.parts import PartBuilder
from decoders.dcerpc.slot_calls import SlotCalls
from decoders.dcerpc.troubles import TroubleCode
from decoders.limits import MAX_EARLY_ANSWERS, MAX_OPEN_CALLS, MAX_OPEN_STUB_BYTES

if TYPE_CHECKING:
    from collections.abc import Reversible

    from decoders.dcerpc.call_report import CallReport
    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.negotiation import Negotiation
    from decoders.dcerpc.open_call import Slot
    from decoders.dcerpc.pdus import Fault, Request, Response
    from decoders.dcerpc.troubles import CallKey, Trouble


class OpenCalls:
    def __init__(self, negotiation: Negotiation, report: CallReport) -> None:
        self._negotiation = negotiation
        self._report = report
        self._calls: dict[int, OpenCall] = {}
        """By serial number, oldest first."""
        self._slots: dict[Slot, SlotCalls] = {}
        self._under_way: dict[bool, dict[int, OpenCall]] = {True: {}, False: {}}
        """Per direction: those with a part that has not ended and of which nothing is missing; by serial number."""
        self._lingering: dict[int, OpenCall] = {}
        """Calls kept only since bytes of the other side may come out late; by serial number."""
        self._late_requests: dict[Slot, CallKey] = {}
        """Calls given out before the rest of their request came."""
        self._late_answers: dict[Slot, CallKey] = {}
        """Calls given up before their answer came."""
        self._serial = 0
        self.unasked = 0
        """Calls whose request has not come out."""
        self.stub_bytes = 0
        """Kept for the open calls together."""

    @property
    def idle(self) -> bool:
        """None is under way, and no PDU to come can be of one that was given out."""
        return not (self._calls or self._late_requests or self._late_answers)

    def unasked_of(self, slot: Slot) -> Reversible[OpenCall]:
        """Those whose request has not come out, in the order of answers."""
        calls = self._slots.get(slot)
        return () if calls is None else calls.unasked

    def asking(self, slot: Slot) -> OpenCall | None:
        """The one whose request came out last."""
        calls = self._slots.get(slot)
        return None if calls is None else calls.asking()

    def answering(self, slot: Slot) -> OpenCall | None:
        """The newest whose response began and has not ended."""
        calls = self._slots.get(slot)
        return None if calls is None else calls.answering()

    def last_asked(self, slot: Slot, began: Began) -> OpenCall | None:
        """The last that waits for an answer and was asked by then."""
        calls = self._slots.get(slot)
        return None if calls is None else calls.last_asked(began)

    def callback_in(self, call: OpenCall) -> OpenCall | None:
        """[MS-RPCE] 3.3.1.5.9: while one is open, with the same call id, the call it is made in is not answered."""
        from_client, call_id = call.slot
        inner = self.asking((not from_client, call_id))
        if inner is None or inner.request is None or inner.answered:
            return None
        return inner if call.request is not None and call.request.began < inner.request.began else None

    def late_request(self, slot: Slot) -> CallKey | None:
        """The call given out that a later fragment of a request belongs to."""
        return self._late_requests.get(slot)

    def late_answer(self, slot: Slot, *, last: bool) -> CallKey | None:
        """The call given up that an answer belongs to: one, up to its last fragment."""
        return self._late_answers.pop(slot, None) if last else self._late_answers.get(slot)

    def begin(self, slot: Slot, framed: AnyPdu, hole: Began) -> OpenCall:
        if len(self._calls) >= MAX_OPEN_CALLS:
            self._evict(next(iter(self._calls.values())), framed)
        self._late_requests.pop(slot, None)
        self._late_answers.pop(slot, None)
        call = OpenCall((framed.sender, framed.offset), slot, self._serial, hole)
        self._serial += 1
        self.unasked += 1
        self._calls[call.serial] = call
        calls = self._slots.get(slot)
        if calls is None:
            calls = self._slots[slot] = SlotCalls()
        calls.begin(call)
        return call

    def ask(self, call: OpenCall, framed: AnyPdu) -> PartBuilder:
        """Its request begins."""
        call.request = PartBuilder(framed)
        self.unasked -= 1
        self._slots[call.slot].ask(call, call.request.began)
        return call.request

    def answer(self, call: OpenCall, framed: AnyPdu) -> PartBuilder:
        """Its response begins."""
        call.response = PartBuilder(framed)
        self._slots[call.slot].answer(call)
        return call.response

    def supersede(self, call: OpenCall, trouble: Trouble) -> None:
        """Another request has its call id. An answer may still come out late."""
        call.superseded = trouble
        self._slots[call.slot].supersede(call)
        self.linger(call)

    def note(
        self, call: OpenCall, part: PartBuilder | None, framed: AnyPdu, pdu: Request | Response | Fault | None
    ) -> None:
        """Flags and security of one of the call's PDUs; a fault is of no part."""
        header = framed.header
        call.note_flags(header.flags)
        if not header.auth_length:
            return
        security = None if pdu is None else pdu.security
        if part is not None:
            part.note_security(security, cut=isinstance(framed, BrokenPdu))
        if security is None:
            call.checks.add(None)
            return
        self._negotiation.auth.note(security, framed)
        if not call.note_security(security):
            detail = f"call id {call.slot[1]}: type, level or context of the security trailer changes within the call"
            self._report.trouble(TroubleCode.AUTH_TRAILER_BAD, detail, framed, call.key)

    def add(self, call: OpenCall, part: PartBuilder, framed: AnyPdu, stub: bytes) -> None:
        """The next fragment of a call's request or response."""
        if part.fresh and part.missing is Missing.FIRST_FRAGMENT:
            what = "request" if part is call.request else "response"
            detail = f"{what} of call id {call.slot[1]} without its first fragment"
            self._report.trouble(TroubleCode.FRAGMENT_MISSING, detail, framed, call.key)
        before, left_out = part.kept, part.frames_left_out
        if not part.add(framed, stub, MAX_OPEN_STUB_BYTES - self.stub_bytes):
            detail = f"call id {call.slot[1]}: kept {part.kept} bytes"
            self._report.trouble(TroubleCode.STUB_TOO_LARGE, detail, framed, call.key)
        self.stub_bytes += part.kept - before
        if part.frames_left_out and not left_out:
            detail = f"call id {call.slot[1]}: later frames are counted, not listed"
            self._report.trouble(TroubleCode.TOO_MANY_FRAMES, detail, framed, call.key)
        under_way = self._under_way[call.slot[0] == (part is call.request)]
        if part.under_way:
            under_way[call.serial] = call
        else:
            under_way.pop(call.serial, None)

    def lose(self, call: OpenCall, part: PartBuilder | None, missing: Missing, framed: AnyPdu) -> None:
        """Something of the part is missing in front of this PDU, or is this PDU."""
        if part is not None and part.lose(missing):
            what = "request" if part is call.request else "response"
            detail = f"{what} of call id {call.slot[1]} is not whole ({missing})"
            self._report.trouble(TroubleCode.FRAGMENT_MISSING, detail, framed, call.key)

    def pass_hole(self, from_client: bool, framed: AnyPdu) -> None:
        """Whatever this side had under way is not whole."""
        calls, self._under_way[from_client] = self._under_way[from_client], {}
        for _, call in sorted(calls.items()):
            part = call.request if call.slot[0] == from_client else call.response
            self.lose(call, part, Missing.FRAGMENT, framed)

    def settle(self, call: OpenCall) -> None:
        """After an answer, or a request that came after its answer: give out what is certain now."""
        if not call.answered:
            return
        if call.request is not None:
            self.pass_over(call)
        if call.finished:
            self.end(call)
        else:
            self.linger(call)

    def pass_over(self, answered: OpenCall) -> None:
        """No answer to an earlier request with its call id can follow."""
        for call in self._slots[answered.slot].passed_over(answered):
            self.end(call)

    def linger(self, call: OpenCall) -> None:
        self._lingering[call.serial] = call
        while self._lingering and (
            len(self._lingering) > MAX_EARLY_ANSWERS or self.stub_bytes > MAX_OPEN_STUB_BYTES // 2
        ):
            self.end(next(iter(self._lingering.values())))

    def _evict(self, call: OpenCall, framed: AnyPdu) -> None:
        if call.serial in self._lingering:
            self.end(call)
            return
        detail = f"call id {call.slot[1]} is given up: {MAX_OPEN_CALLS} calls are open"
        self._report.trouble(TroubleCode.TOO_MANY_CALLS, detail, framed, call.key)
        self.end(call, evicted=True)

    def end(self, call: OpenCall, *, evicted: bool = False) -> None:
        del self._calls[call.serial]
        self.unasked -= call.request is None
        self._lingering.pop(call.serial, None)
        for under_way in self._under_way.values():
            under_way.pop(call.serial, None)
        calls = self._slots[call.slot]
        calls.end(call)
        if not calls:
            del self._slots[call.slot]
        if evicted and not call.answered:
            _remember(self._late_answers, call)
        if call.request is not None and not call.request.ended and (evicted or call.fault is not None):
            _remember(self._late_requests, call)
        self._give_out(call, evicted=evicted)

    def _give_out(self, call: OpenCall, *, evicted: bool) -> None:
        for part in (call.request, call.response):
            self.stub_bytes -= 0 if part is None else part.kept
        if call.superseded is not None and call.waits_for_answer and not call.maybe:
            self._report.add(call.superseded)
        auth = self._negotiation.auth
        call.settle_seal(may_seal=auth.may_seal)
        security = auth.of(None if call.security is None else call.security.claims)
        if call.slot[0] and (call.response is not None or call.fault is not None):
            auth.call_answered(security, None if call.fault is None else call.fault.status)
        binding = self._negotiation.binding_of(call)
        contexts = self._negotiation.contexts
        refused = binding is None and call.ctx_id in contexts.rejected
        group = contexts.assoc_group_id
        self._report.add(call.result(binding, security, group, refused=refused, evicted=evicted))

    def finish(self) -> None:
        for call in list(self._calls.values()):
            self.end(call)


def _remember(late: dict[Slot, CallKey], call: OpenCall) -> None:
    late[call.slot] = call.key
    if len(late) > MAX_OPEN_CALLS:
        del late[next(iter(late))]
