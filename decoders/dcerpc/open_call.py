"""A call under way: what is known of it so far, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.dcerpc.call_model import CANCEL_FAULTS, Call, CallOutcome
from decoders.dcerpc.evidence import NEVER
from decoders.dcerpc.header import PduFlag

if TYPE_CHECKING:
    from decoders.dcerpc.auth_contexts import CallSecurity
    from decoders.dcerpc.call_model import Binding, CallFault
    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.parts import PartBuilder
    from decoders.dcerpc.security_trailer import SecurityTrailer
    from decoders.dcerpc.troubles import CallKey, Trouble

Slot: TypeAlias = tuple[bool, int]
"""Whether the client asked, and the call id."""

_PENDING_CANCEL: Final = int(PduFlag.PENDING_CANCEL)
_MAYBE: Final = int(PduFlag.MAYBE)


@dataclass(slots=True, eq=False)
class OpenCall:
    key: CallKey
    slot: Slot
    serial: int
    hole: Began
    """The last hole of the answering side before the call began."""
    in_doubt: bool = False
    """It began with its answer, and the request may be among bytes that never came out."""
    place: int = 0
    """Among the requests of its slot, from 1."""
    asked_at: Began = NEVER
    sent_by: Began = NEVER
    """When its request and all before it in the slot had been sent."""
    ctx_id: int | None = None
    opnum: int | None = None
    object_uuid: str | None = None
    binding: Binding | None = None
    unproposed: bool = False
    """No bind before its request names its context."""
    outer: OpenCall | None = None
    """Of a callback: the call it is made in."""
    nested: bool = False
    """Made inside a callback, or a callback: others have the same call id."""
    request: PartBuilder | None = None
    response: PartBuilder | None = None
    fault: CallFault | None = None
    security: SecurityTrailer | None = None
    security_changed: bool = False
    sealed: bool = False
    """Any of its PDUs."""
    opened: bool = False
    """Any of its PDUs was unsealed."""
    checks: set[bool | None] = field(default_factory=set)
    """What came of the signatures of its PDUs."""
    cancelled: bool = False
    orphaned: bool = False
    maybe: bool = False
    cut_short: bool = False
    """Another response with its call id began before this one's last fragment."""
    superseded: Trouble | None = None
    """Another request has its call id: what to tell if no answer to this one comes out."""

    @property
    def answered(self) -> bool:
        return self.fault is not None or (self.response is not None and self.response.ended)

    @property
    def finished(self) -> bool:
        return self.answered and self.request is not None and self.request.ended

    @property
    def waits_for_answer(self) -> bool:
        return self.request is not None and self.response is None and self.fault is None

    @property
    def answer_began(self) -> Began | None:
        if self.response is not None:
            return self.response.began
        return None if self.fault is None else (self.fault.ts_ns, self.fault.frames[0])

    def note_flags(self, flags: int) -> None:
        # [C706] 12.6.3.1: a cancel was pending at the sender; at the server, too, it was the client who asked for it.
        self.cancelled = self.cancelled or flags & _PENDING_CANCEL != 0
        self.maybe = self.maybe or flags & _MAYBE != 0

    def note_security(self, security: SecurityTrailer) -> bool:
        """False, once: fragments disagree, against [MS-RPCE] 2.2.2.11."""
        self.sealed = self.sealed or security.seals or security.opened
        self.opened = self.opened or security.opened
        self.checks.add(security.verified)
        if self.security is None:
            self.security = security
        elif security.claims != self.security.claims and not self.security_changed:
            self.security_changed = True
            return False
        return True

    def settle_seal(self, *, may_seal: bool) -> None:
        """Of a part whose trailers were all cut off: as the other PDUs of the call are sealed, else as may be."""
        for part in (self.request, self.response):
            if part is not None and part.trailer_cut and not part.trailer_seen:
                part.sealed = may_seal if self.security is None else self.security.seals
                self.sealed = self.sealed or part.sealed

    def outcome(self, *, evicted: bool) -> CallOutcome:
        if self.fault is not None:
            given_up = self.request is not None and self.fault.status in CANCEL_FAULTS
            if given_up and (self.orphaned or self.cancelled):
                return CallOutcome.ORPHANED if self.orphaned else CallOutcome.CANCELLED
            return CallOutcome.FAULTED
        if self.request is None:
            return CallOutcome.UNASKED
        if self.answered:
            return CallOutcome.ANSWERED
        if evicted:
            return CallOutcome.EVICTED
        if self.response is not None:
            return CallOutcome.ANSWER_CUT
        if self.orphaned:
            return CallOutcome.ORPHANED
        if self.cancelled:
            return CallOutcome.CANCELLED
        return CallOutcome.MAYBE if self.maybe else CallOutcome.UNANSWERED

    def result(
        self, binding: Binding | None, auth: CallSecurity | None, group: int | None, *, refused: bool, evicted: bool
    ) -> Call:
        client = None if auth is None else auth.client
        return Call(
            key=self.key,
            call_id=self.slot[1],
            ctx_id=self.ctx_id,
            opnum=self.opnum,
            object_uuid=self.object_uuid,
            binding=binding,
            callback=not self.slot[0],
            request=None if self.request is None else self.request.part(),
            response=None if self.response is None else self.response.part(),
            fault=self.fault,
            cancelled=self.cancelled,
            orphaned=self.orphaned,
            auth_type=None if auth is None else auth.auth_type,
            auth_level=None if auth is None else auth.auth_level,
            auth_context_id=None if auth is None else auth.auth_context_id,
            authenticated=None if auth is None else auth.authenticated,
            username=None if client is None else client.username,
            domain=None if client is None else client.domain,
            workstation=None if client is None else client.workstation,
            encrypted=self.sealed,
            unsealed=self.opened and not any(part.sealed for part in (self.request, self.response) if part is not None),
            verified=False if False in self.checks else self.checks == {True} or None,
            assoc_group_id=group,
            outcome=self.outcome(evicted=evicted),
            refused=refused,
        )
