"""What the PDUs of a connection come to: calls, the fate of every PDU, and troubles."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from decoders.dcerpc.auth_contexts import AuthContext
    from decoders.dcerpc.bind import SyntaxId
    from decoders.dcerpc.framing_model import AnyPdu, FrameRef
    from decoders.dcerpc.header import ByteOrder
    from decoders.dcerpc.pdus import Pdu
    from decoders.dcerpc.proposals import ProposalAnswer
    from decoders.dcerpc.troubles import CallKey, Trouble
    from decoders.dcerpc.verification import VerificationTrailer


class BindingSource(enum.StrEnum):
    BIND = "bind"
    """Proposed and accepted."""
    BIND_UNANSWERED = "bind_unanswered"
    """Proposed and used; the answer was not captured."""
    VERIFICATION_TRAILER = "verification_trailer"
    """A request's verification trailer names it; the bind was not captured."""
    OUTER_CALL = "outer_call"
    """A callback's: [MS-RPCE] 3.3.1.5.9 gives it that of the call it is made in."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What a presentation context stands for."""

    interface: SyntaxId
    transfer_syntax: SyntaxId
    source: BindingSource
    open_syntaxes: tuple[SyntaxId, ...] = ()
    """Other transfer syntaxes that were proposed: without the answer nobody knows which of all was chosen."""


class PduFate(enum.StrEnum):
    CALL = "call"
    LATE = "late"
    NEGOTIATION = "negotiation"
    CONTROL = "control"
    MALFORMED = "malformed"
    NO_CALL = "no_call"


PDU_FATES: Final = {
    PduFate.CALL: "Part of a call: its key is told.",
    PduFate.LATE: "Fragment of a call already given out: answered early, faulted, reused or evicted.",
    PduFate.NEGOTIATION: "bind, alter_context and their answers, and the fault that refuses an alter_context.",
    PduFate.CONTROL: "auth3 and shutdown.",
    PduFate.MALFORMED: "Does not decode: see issues.",
    PduFate.NO_CALL: "co_cancel, orphaned or a fragment of a response that belongs to no call captured.",
}


class CallOutcome(enum.StrEnum):
    ANSWERED = "answered"
    FAULTED = "faulted"
    ANSWER_CUT = "answer_cut"
    UNANSWERED = "unanswered"
    UNASKED = "unasked"
    MAYBE = "maybe"
    CANCELLED = "cancelled"
    ORPHANED = "orphaned"
    EVICTED = "evicted"


CANCEL_FAULTS: Final = frozenset((0x1C00_000D, 0x0000_071A))
"""nca_s_fault_cancel and what Windows throws for it, RPC_S_CALL_CANCELLED: how a server answers a cancel."""

OUTCOMES: Final = {
    CallOutcome.ANSWERED: "Request and the last fragment of its response were captured.",
    CallOutcome.FAULTED: "The server answered with a fault.",
    CallOutcome.ANSWER_CUT: "The response began; its last fragment was not captured.",
    CallOutcome.UNANSWERED: "No response was captured before the connection ended or the call id was used again.",
    CallOutcome.UNASKED: "Only the response was captured.",
    CallOutcome.MAYBE: "The client wanted no response (maybe semantics), and none was captured.",
    CallOutcome.CANCELLED: "The client asked to cancel; no response was captured, or the fault that says cancelled.",
    CallOutcome.ORPHANED: "The client abandoned the call; no response was captured, or the fault that says cancelled.",
    CallOutcome.EVICTED: "Given up to keep memory bounded, before its response.",
}


class Missing(enum.StrEnum):
    """Why a part is not complete; the first reason that came up stands."""

    FIRST_FRAGMENT = "first_fragment"
    """It began before what was captured: no byte of the stub has a known place, so none is kept."""
    FRAGMENT = "fragment"
    """Bytes of the connection are missing between two fragments, or one names another context: the stub ends there."""
    PDU_CUT = "pdu_cut"
    """A fragment itself has a hole: the stub ends at it."""
    MALFORMED = "malformed"
    """A fragment does not decode: the stub ends before it."""
    LAST_FRAGMENT = "last_fragment"
    """No more came."""
    LIMIT = "limit"
    """More stub than is kept."""


class Part(NamedTuple):
    """The request or the response of a call."""

    stub: bytes
    """All fragments, without authentication padding and verification trailer. Ciphertext where sealed."""
    complete: bool
    missing: Missing | None
    byte_order: ByteOrder
    first_ts_ns: int
    last_ts_ns: int
    capture: int
    """Of the first frame."""
    frames: tuple[FrameRef, ...]
    frames_left_out: int
    fragments: int
    size: int
    """Stub bytes captured, kept or not."""
    verification: VerificationTrailer | None
    sealed: bool = False
    """Any of its fragments is, and was not unsealed."""
    trailer: bytes = b""
    """What was cut off behind the stub as verification trailer: parameters may end in bytes that look like one."""


@dataclass(frozen=True, slots=True)
class CallFault:
    status: int | None
    """None where the fault was cut before it."""
    did_not_execute: bool
    extended_error: bytes | None
    ts_ns: int
    frames: tuple[FrameRef, ...]


class Call(NamedTuple):
    key: CallKey
    call_id: int
    ctx_id: int | None
    """None where the only PDU was cut before it."""
    opnum: int | None
    """None where no request was captured."""
    object_uuid: str | None
    binding: Binding | None
    callback: bool
    """The server asks, the client answers."""
    request: Part | None
    response: Part | None
    fault: CallFault | None
    cancelled: bool
    orphaned: bool
    auth_type: int | None
    auth_level: int | None
    auth_context_id: int | None
    authenticated: bool | None
    """Its security context is somebody's. False: the anonymous user's or a guest's. None: whose is not known."""
    username: str | None
    domain: str | None
    workstation: str | None
    encrypted: bool
    """Request, response or fault is sealed on the wire."""
    unsealed: bool
    """And all of them that were captured could be unsealed."""
    verified: bool | None
    """The signatures of all its PDUs fit; False: one does not; None: not all were checked."""
    assoc_group_id: int | None
    outcome: CallOutcome
    refused: bool = False
    """The server had refused its presentation context: what interface it was for does not matter."""

    @property
    def sealed(self) -> bool:
        """Something of it cannot be read for its seal."""
        return self.encrypted and not self.unsealed


class Principal(NamedTuple):
    """Who is behind a security context, when the connection is over."""

    context: AuthContext
    secret: str | None
    """Whether a secret that was given is the client's: `right`, `wrong` or `unusable`; None where none was given."""


class PduOf(NamedTuple):
    """Every PDU, once."""

    framed: AnyPdu
    parsed: Pdu | None
    """None where it is cut or malformed."""
    call: CallKey | None
    fate: PduFate


CallEvent: TypeAlias = "Call | PduOf | Principal | ProposalAnswer | Trouble"
