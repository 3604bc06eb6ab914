"""PDUs of one connection to calls: each goes to the part that knows its kind, and every one is told once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.dcerpc.answers import Answers
from decoders.dcerpc.backlog import LEAST_REQUEST, Backlog
from decoders.dcerpc.call_model import CallEvent, Missing, PduFate, PduOf, Principal
from decoders.dcerpc.call_report import CallReport, name_of
from decoders.dcerpc.evidence import Evidence
from decoders.dcerpc.framing_model import BrokenPdu, FramedPdu, SkipReason
from decoders.dcerpc.header import PacketType
from decoders.dcerpc.names import CHARACTERS, FLOATS
from decoders.dcerpc.negotiation import Negotiation
from decoders.dcerpc.open_calls import OpenCalls
from decoders.dcerpc.pdus import parse_beginning, parse_pdu
from decoders.dcerpc.requests import Requests
from decoders.dcerpc.troubles import Trouble, TroubleCode
from decoders.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from decoders.dcerpc.call_report import PduReport
    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.exchanges import Exchange
    from decoders.dcerpc.framing_model import AnyPdu, Skipped
    from decoders.dcerpc.pdus import Pdu
    from decoders.dcerpc.troubles import CallKey
    from decoders.dcerpc.unsealing import Unsealer

    _Handler: TypeAlias = Callable[[bool, AnyPdu, Pdu | None], PduReport]

_LEGS: Final = (
    PacketType.BIND,
    PacketType.BIND_ACK,
    PacketType.ALTER_CONTEXT,
    PacketType.ALTER_CONTEXT_RESP,
    PacketType.AUTH3,
)
_SKIPPED: Final = {
    SkipReason.SEARCHING: (TroubleCode.RESYNCHRONISED, "passed over to find the next PDU"),
    SkipReason.HEADER_CUT: (TroubleCode.PDU_CUT, "of a header whose rest is missing"),
    SkipReason.NOT_RPC: (TroubleCode.NOT_RPC, "that are no PDU"),
}


class CallTracker:
    def __init__(self, unsealer: Unsealer | None = None) -> None:
        self._unsealer = unsealer
        self._report = CallReport()
        self._evidence = Evidence()
        self.negotiation = Negotiation(self._report)
        self.open_calls = OpenCalls(self.negotiation, self._report)
        self._backlogs = {True: Backlog(), False: Backlog()}
        """Per direction, from the client first."""
        self._foreign_told = False
        shared = self.open_calls, self._evidence, self.negotiation, self._report
        requests, answers = Requests(*shared), Answers(*shared)
        self._handlers: Final[dict[PacketType, _Handler]] = {
            PacketType.REQUEST: requests.request,
            PacketType.RESPONSE: answers.response,
            PacketType.FAULT: answers.fault,
            PacketType.BIND: self.negotiation.bind,
            PacketType.BIND_ACK: self.negotiation.bind_ack,
            PacketType.BIND_NAK: self.negotiation.bind_nak,
            PacketType.ALTER_CONTEXT: self.negotiation.bind,
            PacketType.ALTER_CONTEXT_RESP: self.negotiation.bind_ack,
            PacketType.AUTH3: self.negotiation.control,
            PacketType.SHUTDOWN: self.negotiation.control,
            PacketType.CO_CANCEL: self._given_up,
            PacketType.ORPHANED: self._given_up,
        }

    def pdu(self, from_client: bool, framed: AnyPdu, heard: int = 0) -> list[CallEvent]:
        """The next PDU of a side; `heard`: how many bytes of the other its sender had received by then.

        For each PDU that is looked at now its PduOf comes first, then what follows from it.
        """
        own, other = self._backlogs[from_client], self._backlogs[not from_client]
        if not (own.waiting or other.waiting or heard - other.end >= LEAST_REQUEST):
            own.end = framed.end
            return self._take(from_client, framed, heard)
        # Those that had not received this one: a hole in front of it is judged by where the PDUs before it end.
        events = self._released(from_client, framed.offset)
        own.end = framed.end
        if own.must_wait(framed, heard, other):
            own.add(framed, heard)
            return events + (self._late(from_client) if own.is_full else [])
        hidden = bool(other.waiting) or other.may_hide(heard)
        events += self._take(from_client, framed, heard, hidden=hidden)
        return events + self._released(from_client, framed.end)

    def idle(self, now: Began) -> bool:
        """Whether a request sent now and its answer are a call whatever came before, and need no unsealing."""
        waiting = any(backlog.waiting for backlog in self._backlogs.values())
        undisturbed = self.open_calls.idle and not waiting and self._evidence.hole(False) < now
        return undisturbed and self._unsealer is None

    def exchanged(self, exchanges: Sequence[Exchange], heard: int) -> None:
        """As if their PDUs had come one by one. `heard`: by the server, when it sent the last answer."""
        for one in exchanges:
            self._evidence.note_request(one.call.call_id)
        asked, answered = exchanges[-1].request[-1].end, exchanges[-1].response[-1].end
        self._backlogs[True].end, self._backlogs[False].end = asked, answered
        self._evidence.note_level(asked, answered, heard)
        auth = self.negotiation.auth
        for claims in {one.request[0].claims for one in exchanges}:
            auth.call_answered(auth.of(claims), None)

    def _released(self, from_client: bool, offset: int) -> list[CallEvent]:
        """PDUs that waited for what this side sent up to there."""
        waited = self._backlogs[not from_client]
        events: list[CallEvent] = []
        while waited.has_heard(offset):
            events += self._late(not from_client)
        return events

    def _late(self, from_client: bool) -> list[CallEvent]:
        """The first PDU of this side that waits."""
        other = self._backlogs[not from_client]
        framed, heard = self._backlogs[from_client].first()
        return self._take(from_client, framed, heard, hidden=bool(other.waiting) or other.may_hide(heard))

    def _take(self, from_client: bool, framed: AnyPdu, heard: int, *, hidden: bool = False) -> list[CallEvent]:
        if self._evidence.note_pdu(from_client, framed, heard, hidden=hidden):
            self.open_calls.pass_hole(from_client, framed)
        if (framed.data[5] or framed.data[4] & 0x0F) and not self._foreign_told:
            self._tell_foreign(framed)
        parsed, readable = self._parse(framed)
        if self._unsealer is not None:
            parsed, trouble = self._unsealer.pdu(from_client, framed, parsed, self.negotiation.auth)
            if trouble is not None:
                code, detail = trouble
                self._report.trouble(code, f"{name_of(framed)}: {detail}", framed)
        if readable:
            key, fate = self._handlers[framed.header.packet_type](from_client, framed, parsed)
        else:
            key, fate = self._malformed(from_client, framed), PduFate.MALFORMED
        if self._unsealer is not None and framed.header.packet_type in _LEGS:
            self._unsealer.learn(parsed, self.negotiation.auth)
        whole = parsed if isinstance(framed, FramedPdu) else None
        return [PduOf(framed, whole, key, fate), *self._report.take()]

    def skipped(self, skipped: Skipped) -> list[CallEvent]:
        """Bytes of a connection known to speak DCE/RPC that belong to no PDU."""
        code, what = _SKIPPED[skipped.reason]
        detail = f"{skipped.size} bytes {what}"
        return [Trouble(code, detail, skipped.sender, skipped.capture, skipped.frame, skipped.offset)]

    def finish(self) -> list[CallEvent]:
        """The connection is over."""
        events: list[CallEvent] = []
        for from_client, backlog in self._backlogs.items():
            while backlog.waiting:
                events += self._late(from_client)
        self.open_calls.finish()
        for context in self.negotiation.auth.contexts.values():
            verdict = None
            if self._unsealer is not None:
                verdict, trouble = self._unsealer.verdict(context)
                if trouble is not None:
                    where = *next(iter(context.frames)), context.offset
                    self._report.add(Trouble(*trouble, context.sender, *where))
            self._report.add(Principal(context, verdict))
        return events + self._report.take()

    def _parse(self, framed: AnyPdu) -> tuple[Pdu | None, bool]:
        if isinstance(framed, BrokenPdu):
            missing = f"{framed.missing} of {framed.header.frag_length} bytes are missing"
            self._report.trouble(TroubleCode.PDU_CUT, f"{name_of(framed)}: {missing}", framed)
            return parse_beginning(framed.data, framed.header), True
        try:
            parsed = parse_pdu(framed.data, framed.header)
        except DecodeError as error:
            detail = f"{name_of(framed)}: {error.detail} (at byte {error.offset})"
            self._report.trouble(TroubleCode.PDU_MALFORMED, detail, framed)
            return None, False
        if parsed.problem is not None:
            self._report.trouble(TroubleCode.AUTH_TRAILER_BAD, f"{name_of(framed)}: {parsed.problem}", framed)
        return parsed, True

    def _malformed(self, from_client: bool, framed: AnyPdu) -> CallKey | None:
        """What it was part of is not whole any more."""
        kind, call_id = framed.header.packet_type, framed.header.call_id
        if kind is PacketType.REQUEST:
            call = self.open_calls.asking((from_client, call_id))
            part = None if call is None else call.request
        elif kind is PacketType.RESPONSE:
            call = self.open_calls.answering((not from_client, call_id))
            part = None if call is None else call.response
        else:
            return None
        if call is None or part is None or part.ended:
            return None
        self.open_calls.lose(call, part, Missing.MALFORMED, framed)
        return call.key

    def _given_up(self, from_client: bool, framed: AnyPdu, _: Pdu | None) -> PduReport:
        """co_cancel, orphaned."""
        slot = from_client, framed.header.call_id
        call = self.open_calls.asking(slot)
        if call is None:
            late = self.open_calls.late_answer(slot, last=False)
            return late, PduFate.NO_CALL if late is None else PduFate.LATE
        if framed.header.packet_type is PacketType.ORPHANED:
            call.orphaned = True
        else:
            call.cancelled = True
        return call.key, PduFate.CALL

    def _tell_foreign(self, framed: AnyPdu) -> None:
        """[C706] 14.2.5: the NDR decoders assume what every sender has used for decades."""
        self._foreign_told = True
        detail = f"characters are {CHARACTERS[framed.data[4] & 0x0F]}, floats {FLOATS[framed.data[5]]}"
        self._report.trouble(TroubleCode.DATA_REPRESENTATION, f"{name_of(framed)}: {detail}", framed)
