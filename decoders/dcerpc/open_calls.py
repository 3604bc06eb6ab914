"""The calls of a connection that are under way: found by who asked and by call id, kept within limits, given out."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from decoders.dcerpc.call_model import Missing
from decoders.dcerpc.framing_model import BrokenPdu
from decoders.dcerpc.open_call import OpenCall
from decoders.dcerpc.parts import PartBuilder
from decoders.dcerpc.troubles import TroubleCode
from decoders.limits import MAX_EARLY_ANSWERS, MAX_OPEN_CALLS, MAX_OPEN_STUB_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.negotiation import Negotiation
    from decoders.dcerpc.open_call import Slot
    from decoders.dcerpc.pdus import Fault, Request, Response
    from decoders.dcerpc.telling import Telling
    from decoders.dcerpc.troubles import CallKey
    from decoders.dcerpc.verification import VerificationTrailer


class OpenCalls:
    """A slot has several calls where callbacks nest, and where one side's bytes come out before the other's."""

    def __init__(self, negotiation: Negotiation, telling: Telling) -> None:
        self._negotiation = negotiation
        self._telling = telling
        self._calls: dict[int, OpenCall] = {}
        """By serial number, oldest first."""
        self._slots: defaultdict[Slot, list[OpenCall]] = defaultdict(list)
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

    def of(self, slot: Slot) -> Sequence[OpenCall]:
        """Those whose request came out in the order of requests, the others in that of answers."""
        return self._slots.get(slot, ())

    def asking(self, slot: Slot) -> OpenCall | None:
        """The one whose request came out last."""
        for call in reversed(self.of(slot)):
            if call.request is not None:
                return call
        return None

    def answering(self, slot: Slot) -> OpenCall | None:
        """The newest whose response began and has not ended."""
        for call in reversed(self.of(slot)):
            if call.response is not None and not call.answered and not call.cut_short:
                return call
        return None

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
        self._slots[slot].append(call)
        return call

    def ask(self, call: OpenCall, framed: AnyPdu) -> PartBuilder:
        """Its request begins. Behind all others of the slot: an answer that came out before it began the call."""
        stack = self._slots[call.slot]
        if stack[-1] is not call:
            stack.remove(call)
            stack.append(call)
        self.unasked -= 1
        call.request = PartBuilder(framed)
        return call.request

    def note(self, call: OpenCall, framed: AnyPdu, pdu: Request | Response | Fault | None) -> None:
        """Flags and security of one of the call's PDUs."""
        header = framed.header
        call.note_flags(header.flags)
        if not header.auth_length:
            return
        security = None if pdu is None else pdu.security
        if security is None:
            call.trailer_cut = call.trailer_cut or isinstance(framed, BrokenPdu)
            return
        self._negotiation.auth.note_level(security.auth_level)
        if not call.note_security(security):
            detail = f"call id {call.slot[1]}: type, level or context of the security trailer changes within the call"
            self._telling.trouble(TroubleCode.AUTH_TRAILER_BAD, detail, framed, call.key)

    def add(self, call: OpenCall, part: PartBuilder, framed: AnyPdu, stub: bytes) -> None:
        """The next fragment of a call's request or response."""
        if part.fresh and part.missing is Missing.FIRST_FRAGMENT:
            what = "request" if part is call.request else "response"
            detail = f"{what} of call id {call.slot[1]} without its first fragment"
            self._telling.trouble(TroubleCode.FRAGMENT_MISSING, detail, framed, call.key)
        before, left_out = part.kept, part.frames_left_out
        if not part.add(framed, stub, MAX_OPEN_STUB_BYTES - self.stub_bytes):
            detail = f"call id {call.slot[1]}: kept {part.kept} bytes"
            self._telling.trouble(TroubleCode.STUB_TOO_LARGE, detail, framed, call.key)
        self.stub_bytes += part.kept - before
        if part.frames_left_out and not left_out:
            detail = f"call id {call.slot[1]}: later frames are counted, not listed"
            self._telling.trouble(TroubleCode.TOO_MANY_FRAMES, detail, framed, call.key)

    def cut_off(self, part: PartBuilder, trailer: VerificationTrailer) -> None:
        self.stub_bytes -= part.cut_off(trailer)

    def lose(self, call: OpenCall, part: PartBuilder | None, missing: Missing, framed: AnyPdu) -> None:
        """Something of the part is missing in front of this PDU, or is this PDU."""
        if part is not None and part.lose(missing):
            what = "request" if part is call.request else "response"
            detail = f"{what} of call id {call.slot[1]} is not whole ({missing})"
            self._telling.trouble(TroubleCode.FRAGMENT_MISSING, detail, framed, call.key)

    def pass_hole(self, from_client: bool, framed: AnyPdu) -> None:
        """Whatever this side had under way is not whole."""
        for call in self._calls.values():
            part = call.request if call.slot[0] == from_client else call.response
            self.lose(call, part, Missing.FRAGMENT, framed)

    def settle(self, call: OpenCall) -> None:
        """After an answer, or a request that came after its answer: give out what is certain now."""
        if not call.answered:
            return
        if call.request is not None:
            self._pass_over(call.slot, call.request.began)
        if call.finished:
            self.end(call)
        else:
            self.linger(call)

    def _pass_over(self, slot: Slot, began: Began) -> None:
        """A later request was answered: no answer to an earlier one with its call id can follow."""
        stack = self._slots[slot]
        if len(stack) > 1:
            for call in list(stack):
                if call.superseded is not None and call.request is not None and call.request.began < began:
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
        self._telling.trouble(TroubleCode.TOO_MANY_CALLS, detail, framed, call.key)
        self.end(call, evicted=True)

    def end(self, call: OpenCall, *, evicted: bool = False) -> None:
        del self._calls[call.serial]
        self.unasked -= call.request is None
        self._lingering.pop(call.serial, None)
        stack = self._slots[call.slot]
        stack.remove(call)
        if not stack:
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
            self._telling.tell(call.superseded)
        auth = self._negotiation.auth
        if call.trailer_cut and call.security is None and auth.may_seal:
            call.sealed = True
        binding = self._negotiation.binding_of(call)
        group = self._negotiation.contexts.assoc_group_id
        self._telling.tell(call.result(binding, auth.of(call.security), group, evicted=evicted))

    def finish(self) -> None:
        for call in list(self._calls.values()):
            self.end(call)


def _remember(late: dict[Slot, CallKey], call: OpenCall) -> None:
    late[call.slot] = call.key
    if len(late) > MAX_OPEN_CALLS:
        del late[next(iter(late))]
