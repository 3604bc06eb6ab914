"""PDUs of one connection to calls: fragments put together, requests paired with responses.

A response belongs to the open request of the other side with its call id and context ([C706] 12.6.3.1). Neither side
is ahead of the other for certain: bytes that waited behind a hole come out after what answers them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.dcerpc.auth_contexts import AuthContexts
from decoders.dcerpc.call_model import Binding, BindingSource, CallEvent, CallFault, Missing, PduFate, PduOf
from decoders.dcerpc.contexts import Contexts
from decoders.dcerpc.framing import BrokenPdu, FramedPdu, SkipReason
from decoders.dcerpc.header import PacketType
from decoders.dcerpc.open_calls import OpenCall, OpenCalls
from decoders.dcerpc.parts import PartBuilder
from decoders.dcerpc.pdus import Bind, BindAck, Control, Fault, Request, Response, parse_beginning, parse_pdu
from decoders.dcerpc.troubles import Trouble, TroubleCode
from decoders.dcerpc.verification import find_verification, repeats_header
from decoders.errors import DecodeError
from decoders.limits import MAX_EARLY_ANSWERS, MAX_OPEN_CALLS, MAX_OPEN_STUB_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.dcerpc.framing import AnyPdu, Skipped
    from decoders.dcerpc.open_calls import Slot
    from decoders.dcerpc.pdus import Pdu
    from decoders.dcerpc.security_trailer import SecurityTrailer
    from decoders.dcerpc.troubles import CallKey

    _Told: TypeAlias = tuple[CallKey | None, PduFate]

_PRIVACY: Final = 6
_SKIPPED: Final = {
    SkipReason.SEARCHING: (TroubleCode.RESYNCHRONISED, "passed over to find the next PDU"),
    SkipReason.HEADER_CUT: (TroubleCode.PDU_CUT, "of a header whose rest is missing"),
    SkipReason.NOT_RPC: (TroubleCode.NOT_RPC, "that are no PDU"),
}


class CallTracker:
    def __init__(self) -> None:
        self.contexts = Contexts()
        self.auth = AuthContexts()
        self._open = OpenCalls()
        self._next: dict[bool, int] = {}
        """Per direction: the offset where the next PDU begins if none is missing."""
        self._stub_bytes = 0
        """Kept for the open calls together."""
        self._waiting: dict[int, OpenCall] = {}
        """Answered calls whose request, or the rest of it, may still come; by serial number."""
        self._unknown: set[int] = set()
        self._stray: dict[bool, int] = {}
        """Per direction: call id of the last response fragment without a call, to tell of each only once."""
        self._events: list[CallEvent] = []

    def pdu(self, from_client: bool, framed: AnyPdu) -> list[CallEvent]:
        """The next PDU. First its PduOf, then what follows from it."""
        self._events = []
        self._look_for_hole(from_client, framed)
        parsed, readable = self._parse(framed)
        if readable:
            key, fate = _HANDLERS[framed.header.packet_type](self, from_client, framed, parsed)
        else:
            key, fate = self._malformed(from_client, framed), PduFate.MALFORMED
        whole = parsed if isinstance(framed, FramedPdu) else None
        return [PduOf(framed, whole, key, fate), *self._events]

    def skipped(self, skipped: Skipped) -> list[CallEvent]:
        """Bytes of a connection known to speak DCE/RPC that belong to no PDU."""
        code, what = _SKIPPED[skipped.reason]
        detail = f"{skipped.size} bytes {what}"
        return [Trouble(code, detail, skipped.sender, skipped.capture, skipped.frame, skipped.offset)]

    def finish(self) -> list[CallEvent]:
        """The connection is over."""
        self._events = []
        for call in list(self._open.calls.values()):
            self._end(call)
        return self._events

    def _parse(self, framed: AnyPdu) -> tuple[Pdu | None, bool]:
        if isinstance(framed, BrokenPdu):
            missing = f"{framed.missing} of {framed.header.frag_length} bytes are missing"
            self._trouble(TroubleCode.PDU_CUT, f"{_name(framed)}: {missing}", framed)
            return parse_beginning(framed.data, framed.header), True
        try:
            parsed = parse_pdu(framed.data, framed.header)
        except DecodeError as error:
            detail = f"{_name(framed)}: {error.detail} (at byte {error.offset})"
            self._trouble(TroubleCode.PDU_MALFORMED, detail, framed)
            return None, False
        if parsed.problem is not None:
            self._trouble(TroubleCode.AUTH_TRAILER_BAD, f"{_name(framed)}: {parsed.problem}", framed)
        return parsed, True

    def _look_for_hole(self, from_client: bool, framed: AnyPdu) -> None:
        expected = self._next.get(from_client, framed.offset)
        self._next[from_client] = framed.end
        if expected != framed.offset:
            for call in self._open.calls.values():
                part = call.request if call.slot[0] == from_client else call.response
                self._lose(part, Missing.FRAGMENT, framed, call)

    def _malformed(self, from_client: bool, framed: AnyPdu) -> CallKey | None:
        """What it was part of is not whole any more."""
        kind, call_id = framed.header.packet_type, framed.header.call_id
        if kind not in (PacketType.REQUEST, PacketType.RESPONSE):
            return None
        asks = kind is PacketType.REQUEST
        call = self._open.innermost((from_client == asks, call_id))
        part = None if call is None else call.request if asks else call.response
        if call is None or part is None or part.ended:
            return None
        self._lose(part, Missing.MALFORMED, framed, call)
        return call.key

    def _request(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> _Told:
        slot = from_client, framed.header.call_id
        request = parsed if isinstance(parsed, Request) else None
        call = self._open.innermost(slot)
        if call is not None and not self._takes_request(call, framed, request):
            if not self._is_nested(call):
                self._reuse(call, framed)
            call = None
        if call is None:
            over = self._open.over(slot)
            if over is not None and not framed.header.first:
                return over, PduFate.LATE
            call = self._begin(slot, framed)
        if call.request is None:
            call.request = PartBuilder(framed)
            self._tell_missing_first(call.request, framed, call)
        if request is not None and call.opnum is None:
            call.ctx_id, call.opnum, call.object_uuid = request.p_cont_id, request.opnum, request.object_uuid
            call.binding = self.contexts.accepted.get(request.p_cont_id)
        self._note_security(call, request, framed)
        self._add(call, call.request, framed, request.stub if request else b"")
        if isinstance(framed, FramedPdu) and request is not None and framed.header.last and not call.sealed:
            self._verify(call, call.request, request, framed)
        if call.finished:
            self._end(call)
        return call.key, PduFate.CALL

    def _takes_request(self, call: OpenCall, framed: AnyPdu, request: Request | None) -> bool:
        """Whether the fragment continues this call, or is the request to an answer that came out before it."""
        if call.request is None:
            answer_ts = call.fault.ts_ns if call.response is None and call.fault else None
            answer_ts = call.response.first_ts_ns if call.response is not None else answer_ts
            fits = request is None or call.ctx_id in (None, request.p_cont_id) or call.fault is not None
            return fits and answer_ts is not None and framed.origin.first_ts_ns <= answer_ts
        if framed.header.first or call.request.ended:
            return False
        return request is None or call.opnum is None or (request.p_cont_id, request.opnum) == (call.ctx_id, call.opnum)

    def _is_nested(self, call: OpenCall) -> bool:
        """[MS-RPCE] 3.3.1.5.9: inside a callback the first caller may ask again, with the same call id."""
        inner = self._open.innermost((not call.slot[0], call.slot[1]))
        return inner is not None and inner.request is not None and inner.serial > call.serial and not inner.answered

    def _reuse(self, call: OpenCall, framed: AnyPdu) -> None:
        if call.request is not None and not call.answered:
            detail = f"call id {call.slot[1]} asks again before its answer was seen"
            self._trouble(TroubleCode.CALL_ID_REUSED, detail, framed, call)
        self._end(call)

    def _verify(self, call: OpenCall, part: PartBuilder, request: Request, framed: FramedPdu) -> None:
        trailer = find_verification(request.stub)
        if trailer is None:
            return
        if not repeats_header(trailer, request, framed.data[4:8]) or not self.contexts.witness(
            request.p_cont_id, trailer
        ):
            detail = f"the trailer of call id {request.header.call_id} is not that of its request or context"
            self._trouble(TroubleCode.VERIFICATION_BAD, detail, framed, call)
            return
        self._stub_bytes -= part.cut_off(trailer)

    def _response(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> _Told:
        slot = not from_client, framed.header.call_id
        response = parsed if isinstance(parsed, Response) else None
        call = self._open.innermost(slot)
        if call is not None and framed.header.first and (call.answered or call.response is not None):
            self._end(call)
            call = self._begin(slot, framed)
        elif call is not None and call.answered:
            return self._stray_fragment(from_client, framed)
        elif call is None:
            over = self._open.over(slot)
            if over is not None:
                return over, PduFate.LATE
            if not framed.header.first:
                return self._stray_fragment(from_client, framed)
            call = self._begin(slot, framed)
        elif response is not None and call.ctx_id not in (None, response.p_cont_id):
            detail = f"response on context {response.p_cont_id}, its request was on {call.ctx_id}"
            self._trouble(TroubleCode.CONTEXT_MISMATCH, detail, framed, call)
            return None, PduFate.NO_CALL
        if call.response is None:
            call.response = PartBuilder(framed)
            self._tell_missing_first(call.response, framed, call)
        if response is not None and call.ctx_id is None:
            call.ctx_id = response.p_cont_id
        self._note_security(call, response, framed)
        self._add(call, call.response, framed, response.stub if response else b"")
        self._settle_answer(call)
        return call.key, PduFate.CALL

    def _fault(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> _Told:
        slot = not from_client, framed.header.call_id
        fault = parsed if isinstance(parsed, Fault) else None
        call = self._open.innermost(slot)
        if call is not None and call.answered:
            self._end(call)
            call = None
        if call is None:
            if self.contexts.refuse(framed):
                return None, PduFate.NEGOTIATION
            over = self._open.over(slot)
            if over is not None:
                return over, PduFate.LATE
            call = self._begin(slot, framed)
            call.ctx_id = None if fault is None else fault.p_cont_id
        self._note_security(call, fault, framed)
        call.fault = CallFault(
            None if fault is None else fault.status,
            bool(framed.header.flags & 0x20),
            None if fault is None else fault.extended_error,
            framed.origin.first_ts_ns,
            framed.origin.frames,
        )
        self._settle_answer(call)
        return call.key, PduFate.CALL

    def _settle_answer(self, call: OpenCall) -> None:
        if call.finished:
            self._end(call)
        elif call.answered:
            self._waiting[call.serial] = call
            while len(self._waiting) > MAX_EARLY_ANSWERS or self._stub_bytes > MAX_OPEN_STUB_BYTES // 2:
                if not self._waiting:
                    break
                self._end(next(iter(self._waiting.values())))

    def _stray_fragment(self, from_client: bool, framed: AnyPdu) -> _Told:
        if self._stray.get(from_client) != framed.header.call_id:
            self._stray[from_client] = framed.header.call_id
            detail = f"response of call id {framed.header.call_id} without its first fragment and its request"
            self._trouble(TroubleCode.FRAGMENT_MISSING, detail, framed)
        return None, PduFate.NO_CALL

    def _about_call(self, from_client: bool, framed: AnyPdu, _: Pdu | None) -> _Told:
        """co_cancel, orphaned."""
        slot = from_client, framed.header.call_id
        call = self._open.innermost(slot)
        if call is None:
            over = self._open.over(slot)
            return over, PduFate.NO_CALL if over is None else PduFate.LATE
        if framed.header.packet_type is PacketType.ORPHANED:
            call.orphaned = True
        else:
            call.cancelled = True
        return call.key, PduFate.CALL

    def _bind(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> _Told:
        if not self.contexts.propose(framed, parsed if isinstance(parsed, Bind) else None):
            self._trouble(TroubleCode.TOO_MANY_CONTEXTS, "a proposal is not remembered", framed)
        self._leg(from_client, framed, parsed)
        return None, PduFate.NEGOTIATION

    def _bind_ack(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> _Told:
        if isinstance(parsed, BindAck):
            remembered = self.contexts.answer(framed, parsed)
            if remembered is None:
                detail = f"{len(parsed.results)} results are not one for each context proposed"
                self._trouble(TroubleCode.ANSWER_MISMATCH, detail, framed)
            elif not remembered:
                self._trouble(TroubleCode.TOO_MANY_CONTEXTS, "an accepted context is not remembered", framed)
        self._leg(from_client, framed, parsed)
        return None, PduFate.NEGOTIATION

    def _bind_nak(self, _: bool, framed: AnyPdu, __: Pdu | None) -> _Told:
        self.contexts.refuse(framed)
        return None, PduFate.NEGOTIATION

    def _control(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> _Told:
        self._leg(from_client, framed, parsed)
        return None, PduFate.CONTROL

    def _leg(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None) -> None:
        if isinstance(parsed, Bind | BindAck | Control) and parsed.security is not None:
            problem = self.auth.leg(parsed.security, from_client=from_client)
            if problem is not None:
                self._trouble(TroubleCode.AUTH_TRAILER_BAD, f"{_name(framed)}: {problem}", framed)

    def _note_security(self, call: OpenCall, pdu: Request | Response | Fault | None, framed: AnyPdu) -> None:
        security = None if pdu is None else pdu.security
        if security is None:
            return
        call.sealed = call.sealed or (security.auth_level == _PRIVACY and bool(security.token))
        if call.security is None:
            call.security = security
        elif _claims(security) != _claims(call.security) and not call.security_changed:
            call.security_changed = True
            detail = f"call id {call.slot[1]}: type, level or context of the security trailer changes within the call"
            self._trouble(TroubleCode.AUTH_TRAILER_BAD, detail, framed, call)

    def _begin(self, slot: Slot, framed: AnyPdu) -> OpenCall:
        if len(self._open.calls) >= MAX_OPEN_CALLS:
            oldest = next(iter(self._open.calls.values()))
            if not oldest.answered:
                detail = f"call id {oldest.slot[1]} is given up: {MAX_OPEN_CALLS} calls are open"
                self._trouble(TroubleCode.TOO_MANY_CALLS, detail, framed, oldest)
            self._end(oldest, evicted=True)
        outer = self._open.innermost((not slot[0], slot[1]))
        call = self._open.begin((framed.sender, framed.offset), slot)
        call.outer = None if slot[0] else outer
        return call

    def _add(self, call: OpenCall, part: PartBuilder, framed: AnyPdu, stub: bytes) -> None:
        before, full = part.kept, part.frames_full
        if not part.add(framed, stub, MAX_OPEN_STUB_BYTES - self._stub_bytes):
            self._trouble(TroubleCode.STUB_TOO_LARGE, f"call id {call.slot[1]}: kept {part.kept} bytes", framed, call)
        self._stub_bytes += part.kept - before
        if part.frames_full and not full:
            detail = f"call id {call.slot[1]}: later frames are counted, not listed"
            self._trouble(TroubleCode.TOO_MANY_FRAMES, detail, framed, call)

    def _lose(self, part: PartBuilder | None, missing: Missing, framed: AnyPdu, call: OpenCall) -> None:
        if part is not None and part.lose(missing):
            what = "request" if part is call.request else "response"
            detail = f"{what} of call id {call.slot[1]} is not whole ({missing})"
            self._trouble(TroubleCode.FRAGMENT_MISSING, detail, framed, call)

    def _tell_missing_first(self, part: PartBuilder, framed: AnyPdu, call: OpenCall) -> None:
        if part.missing is Missing.FIRST_FRAGMENT:
            what = "request" if part is call.request else "response"
            detail = f"{what} of call id {call.slot[1]} without its first fragment"
            self._trouble(TroubleCode.FRAGMENT_MISSING, detail, framed, call)

    def _end(self, call: OpenCall, *, evicted: bool = False) -> None:
        self._open.end(call)
        self._waiting.pop(call.serial, None)
        for part in (call.request, call.response):
            self._stub_bytes -= 0 if part is None else part.kept
        binding = self._binding(call)
        if binding is None:
            self._tell_unknown(call)
        group, auth = self.contexts.assoc_group_id, self.auth.of(call.security)
        self._events.append(call.result(binding, auth, group, evicted=evicted))

    def _binding(self, call: OpenCall) -> Binding | None:
        """Looked up when the call is over: an answer to the bind, or a trailer, may come out late."""
        if call.outer is not None:
            found = self._binding(call.outer)
            return None if found is None else Binding(found.interface, found.transfer_syntax, BindingSource.OUTER_CALL)
        if call.binding is not None or call.ctx_id is None:
            return call.binding
        return self.contexts.binding(call.ctx_id)

    def _tell_unknown(self, call: OpenCall) -> None:
        part = call.request or call.response
        if call.ctx_id is None or call.ctx_id in self._unknown or part is None:
            return
        self._unknown.add(call.ctx_id)
        detail = f"context {call.ctx_id}: no captured bind names its interface"
        sender, offset = call.key
        self._events.append(Trouble(TroubleCode.CONTEXT_UNKNOWN, detail, sender, *part.first_frame, offset, call.key))

    def _trouble(self, code: TroubleCode, detail: str, framed: AnyPdu, call: OpenCall | None = None) -> None:
        capture, frame = framed.origin.frames[0]
        key = None if call is None else call.key
        self._events.append(Trouble(code, detail, framed.sender, capture, frame, framed.offset, key))


def _name(framed: AnyPdu) -> str:
    return f"{framed.header.packet_type.name.lower()} with call id {framed.header.call_id}"


def _claims(security: SecurityTrailer) -> tuple[int, int, int]:
    return security.auth_type, security.auth_level, security.auth_context_id


_HANDLERS: Final[dict[PacketType, Callable[[CallTracker, bool, AnyPdu, Pdu | None], _Told]]] = {
    PacketType.REQUEST: CallTracker._request,
    PacketType.RESPONSE: CallTracker._response,
    PacketType.FAULT: CallTracker._fault,
    PacketType.BIND: CallTracker._bind,
    PacketType.BIND_ACK: CallTracker._bind_ack,
    PacketType.BIND_NAK: CallTracker._bind_nak,
    PacketType.ALTER_CONTEXT: CallTracker._bind,
    PacketType.ALTER_CONTEXT_RESP: CallTracker._bind_ack,
    PacketType.AUTH3: CallTracker._control,
    PacketType.SHUTDOWN: CallTracker._control,
    PacketType.CO_CANCEL: CallTracker._about_call,
    PacketType.ORPHANED: CallTracker._about_call,
}
