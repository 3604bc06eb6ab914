"""PDUs of one kept connection to rows of `pdus`, `principals` and `issues`, and to calls that wait to be decoded."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias, cast

from decoders.dcerpc.call_model import Call, PduOf, Principal
from decoders.dcerpc.calls import CallTracker
from decoders.dcerpc.exchanges import ExchangeReader
from decoders.dcerpc.header import PacketType
from decoders.dcerpc.names import ACCEPTANCE, NEGOTIATE_ACK, PROVIDER_REASON, REJECT_REASON, RESULT, TRANSFER_SYNTAX
from decoders.dcerpc.pdus import Bind, BindAck, BindNak, Fault, Request, Response
from decoders.dcerpc.proposals import ProposalAnswer
from decoders.net.addresses import to_text
from decoders.net.community_id import community_id
from decoders.status import fault_name
from pipelines.calls.frames import split_frames
from pipelines.calls.principal_rows import principal_row
from pipelines.facts.model import Ends
from schemas.times import micros, nanos
from schemas.uids import call_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from decoders.dcerpc.bind import ContextResult, PresentationContext, SyntaxId
    from decoders.dcerpc.call_model import CallEvent
    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.exchanges import Exchange
    from decoders.dcerpc.framing import AnyPdu, Skipped
    from decoders.dcerpc.pdus import Pdu
    from decoders.dcerpc.troubles import CallKey, Trouble
    from decoders.dcerpc.unsealing import Unsealer
    from decoders.tcp.connection import Connection
    from decoders.tcp.model import Side
    from ingest.choice import Endpoint
    from schemas.model import AnyRow
    from schemas.shared_columns import ConnectionId
    from schemas.tables.issues import IssueRow
    from schemas.tables.pdus import ContextAnswer, Negotiated, PduRow, ProposedContext

Row = dict[str, Any]
_UIDS_REMEMBERED: Final = 8_192
"""Each is asked for by two PDUs at least, by the call and by its typed row, within one batch."""


@dataclass(frozen=True)
class Place:
    """The connection, as rows of several tables name it."""

    uid: str
    orig: Side
    client: Endpoint
    server: Endpoint
    began_ns: int
    _call_uids: dict[CallKey, str] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def id(self) -> ConnectionId:
        (orig_h, orig_p), (resp_h, resp_p) = self.client, self.server
        return {"orig_h": to_text(orig_h), "orig_p": orig_p, "resp_h": to_text(resp_h), "resp_p": resp_p}

    @cached_property
    def ends(self) -> Ends:
        return Ends(**self.id)

    @cached_property
    def community_id(self) -> str:
        return community_id(self.client[0], self.server[0], self.client[1], self.server[1])

    def call_uid(self, key: CallKey) -> str:
        if key not in self._call_uids:
            if len(self._call_uids) >= _UIDS_REMEMBERED:
                self._call_uids.clear()
            sender, offset = key
            self._call_uids[key] = call_uid(self.uid, from_orig=sender is self.orig, offset=offset)
        return self._call_uids[key]


@dataclass(frozen=True, slots=True)
class PlacedCall:
    place: Place
    call: Call
    after_settling: bool = False
    """What is announced elsewhere no longer changes how it is read."""

    @property
    def capture(self) -> int:
        """Of its first frame."""
        part = self.call.request or self.call.response
        if part is not None:
            return part.capture
        return self.call.fault.frames[0][0] if self.call.fault else 0


class ExchangedCalls(NamedTuple):
    """Calls of a connection that were read together, and the exchanges that they were."""

    place: Place
    calls: list[PlacedCall]
    exchanges: Sequence[Exchange]


class Captures(Protocol):
    def capture_id(self, capture: int) -> str: ...

    def capture_of(self, capture_id: str) -> int: ...

    def issue(
        self,
        uid: str,
        code: str,
        detail: str,
        capture: int,
        frame: int,
        offset: int | None,
        call: str | None = None,
    ) -> IssueRow: ...


TableItem: TypeAlias = "tuple[str, AnyRow | PlacedCall | ProposalAnswer]"
"""A row with its table, a call, or what became of a bind."""
SETTLING_BYTES: Final = 32 * 1024 * 1024
"""Of PDUs, after which a connection is read by its own binds to its end, if they explained all its calls up to then:
its rows cannot be held back for ever.
"""


_TYPE_NAMES: Final = {kind: kind.name.lower() for kind in PacketType}
_OF_CALLS: Final = (Request, Response, Fault)
_SAY_NOTHING: Final = (Request, Response)
"""Of what was negotiated. Most PDUs are these."""
_NOTHING: Final[Negotiated] = {}
_ROW_BYTES: Final = 1_024
"""Rows of a PDU take so much, however small it is."""


class Finality(enum.Enum):
    """Whether what was read of a connection may be read otherwise once more endpoints are announced."""

    SETTLED = enum.auto()
    UNSETTLED = enum.auto()
    OPEN = enum.auto()
    """That shows later."""


class ConnectionCalls:
    def __init__(self, place: Place, captures: Captures, unsealer: Unsealer | None = None) -> None:
        self._place, self._captures = place, captures
        self._tracker = CallTracker(unsealer)
        self.unresolved = False
        """Whether some call's interface is not known from the connection itself."""
        self._bytes = 0

    @property
    def standing(self) -> Finality:
        if self.unresolved:
            return Finality.UNSETTLED
        return Finality.SETTLED if self._bytes >= SETTLING_BYTES else Finality.OPEN

    def pdu(self, framed: AnyPdu, heard: int) -> Iterator[TableItem]:
        """`heard`: how much of the other side's stream its sender had received by then."""
        self._bytes += framed.header.frag_length + _ROW_BYTES
        return self._rows(self._tracker.pdu(framed.sender is self._place.orig, framed, heard))

    def reader(self, connection: Connection, now: Began) -> ExchangeReader | None:
        """Of exchanges that begin now; None where the tracker has to see each PDU."""
        if not self._tracker.idle(now):
            return None
        return ExchangeReader(connection, self._tracker.negotiation, self._place.orig)

    def exchanged(self, exchanges: Sequence[Exchange], heard: int) -> ExchangedCalls:
        """As `pdu` for each of theirs. `heard`: by the server, when it sent the last answer."""
        self._tracker.exchanged(exchanges, heard)
        calls: list[PlacedCall] = []
        for call, request, response in exchanges:
            octets = request[-1].end - request[0].offset + response[-1].end - response[0].offset
            self._bytes += octets + _ROW_BYTES * (len(request) + len(response))
            calls.append(PlacedCall(self._place, call, self.standing is Finality.SETTLED))
        return ExchangedCalls(self._place, calls, exchanges)

    def skipped(self, skipped: Skipped) -> Iterator[TableItem]:
        return self._rows(self._tracker.skipped(skipped))

    def finish(self) -> Iterator[TableItem]:
        return self._rows(self._tracker.finish())

    def _rows(self, events: Iterable[CallEvent]) -> Iterator[TableItem]:
        for event in events:
            if isinstance(event, Call):
                self.unresolved |= event.binding is None and self._bytes < SETTLING_BYTES
                yield "calls", PlacedCall(self._place, event, self.standing is Finality.SETTLED)
            elif isinstance(event, PduOf):
                yield "pdus", self._pdu_row(event)
            elif isinstance(event, ProposalAnswer):
                yield "answers", event
            elif isinstance(event, Principal):
                yield "principals", principal_row(event, self._place, self._captures)
            else:
                yield "issues", self._issue(event)

    def _issue(self, trouble: Trouble) -> IssueRow:
        call = None if trouble.call is None else self._place.call_uid(trouble.call)
        where = trouble.capture, trouble.frame, trouble.offset
        return self._captures.issue(self._place.uid, str(trouble.code), trouble.detail, *where, call)

    def _pdu_row(self, one: PduOf) -> PduRow:
        framed, parsed, header = one.framed, one.parsed, one.framed.header
        trailer = None if parsed is None else parsed.security
        capture, frames, elsewhere = split_frames(framed.origin.frames, self._captures)
        return {
            "uid": self._place.uid,
            "ts": micros(framed.origin.first_ts_ns),
            "ts_ns": nanos(framed.origin.first_ts_ns),
            "is_orig": framed.sender is self._place.orig,
            "pkt_type": _TYPE_NAMES[header.packet_type],
            "pkt_type_number": int(header.packet_type),
            "rpc_version": f"{framed.data[0]}.{framed.data[1]}",
            "little_endian": header.byte_order == "<",
            "call_id": header.call_id,
            "ctx_id": parsed.p_cont_id if isinstance(parsed, _OF_CALLS) else None,
            "opnum": parsed.opnum if isinstance(parsed, Request) else None,
            "object_uuid": parsed.object_uuid if isinstance(parsed, Request) else None,
            "flags": header.flags,
            "frag_len": header.frag_length,
            "captured_len": sum(framed.origin.bytes_by_capture.values()),
            "auth_type": trailer.auth_type if trailer else None,
            "auth_level": trailer.auth_level if trailer else None,
            "auth_context_id": trailer.auth_context_id if trailer else None,
            "assoc_group_id": parsed.assoc_group_id if isinstance(parsed, Bind | BindAck) else None,
            **(_NOTHING if isinstance(parsed, _SAY_NOTHING) else _negotiated(parsed)),
            "fate": one.fate.value,
            "call_uid": None if one.call is None else self._place.call_uid(one.call),
            "stream_offset": framed.offset,
            "frames": frames,
            "elsewhere": elsewhere,
            "capture_id": cast("str", capture),  # there is no PDU without a frame
        }


def _negotiated(parsed: Pdu | None) -> Negotiated:
    """What binds, their answers and faults say."""
    if isinstance(parsed, Bind):
        return {"proposed": [_proposed(context) for context in parsed.contexts]}
    if isinstance(parsed, BindAck):
        return {"results": [_result(one) for one in parsed.results]}
    if isinstance(parsed, BindNak):
        reason = parsed.provider_reject_reason
        return {"reject_reason": REJECT_REASON.get(reason, str(reason))}
    if isinstance(parsed, Fault):
        return {"fault": parsed.status, "fault_name": fault_name(parsed.status)}
    return {}


def _proposed(context: PresentationContext) -> ProposedContext:
    interface = context.abstract_syntax
    return {
        "ctx_id": context.context_id,
        "interface_uuid": interface.uuid,
        "interface_version": f"{interface.major}.{interface.minor}",
        "transfer_syntaxes": [_syntax_name(syntax) for syntax in context.transfer_syntaxes],
    }


def _result(one: ContextResult) -> ContextAnswer:
    accepted = one.result == ACCEPTANCE
    # In the answer to feature negotiation the reason is a bitmask.
    reason = None if accepted else PROVIDER_REASON.get(one.reason) if one.result != NEGOTIATE_ACK else None
    return {
        "result": RESULT.get(one.result, str(one.result)),
        "reason": None if accepted else reason or str(one.reason),
        "transfer_syntax": _syntax_name(one.transfer_syntax) if accepted else None,
    }


def _syntax_name(syntax: SyntaxId) -> str:
    return TRANSFER_SYNTAX.get(syntax.uuid, syntax.uuid)
