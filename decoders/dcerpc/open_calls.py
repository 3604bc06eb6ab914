"""The calls of a connection that are under way, found by who asked and by call id."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from decoders.dcerpc.call_model import Call, Outcome
from decoders.limits import MAX_OPEN_CALLS

if TYPE_CHECKING:
    from decoders.dcerpc.auth_contexts import AuthContext
    from decoders.dcerpc.call_model import Binding, CallFault
    from decoders.dcerpc.parts import PartBuilder
    from decoders.dcerpc.security_trailer import SecurityTrailer
    from decoders.dcerpc.troubles import CallKey

Slot: TypeAlias = tuple[bool, int]
"""Whether the client asked, and the call id."""


@dataclass(slots=True, eq=False)
class OpenCall:
    key: CallKey
    slot: Slot
    serial: int
    ctx_id: int | None = None
    opnum: int | None = None
    object_uuid: str | None = None
    binding: Binding | None = None
    outer: OpenCall | None = None
    """Of a callback: the call it is made in."""
    request: PartBuilder | None = None
    response: PartBuilder | None = None
    fault: CallFault | None = None
    security: SecurityTrailer | None = None
    security_changed: bool = False
    sealed: bool = False
    cancelled: bool = False
    orphaned: bool = False

    @property
    def answered(self) -> bool:
        return self.fault is not None or (self.response is not None and self.response.ended)

    @property
    def has_stragglers(self) -> bool:
        """Whether more of it may come after it was given out."""
        return not self.answered or (self.request is not None and not self.request.ended)

    @property
    def finished(self) -> bool:
        return self.answered and self.request is not None and self.request.ended

    def outcome(self, *, evicted: bool) -> Outcome:
        if self.fault is not None:
            return Outcome.FAULTED
        if self.request is None:
            return Outcome.UNASKED
        if self.answered:
            return Outcome.ANSWERED
        if evicted:
            return Outcome.EVICTED
        if self.response is not None:
            return Outcome.ANSWER_CUT
        if self.orphaned:
            return Outcome.ORPHANED
        return Outcome.CANCELLED if self.cancelled else Outcome.UNANSWERED

    def result(self, binding: Binding | None, auth: AuthContext | None, group: int | None, *, evicted: bool) -> Call:
        identity = None if auth is None else auth.identity
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
            username=None if identity is None else identity.username,
            domain=None if identity is None else identity.domain,
            workstation=None if identity is None else identity.workstation,
            encrypted=self.sealed,
            assoc_group_id=group,
            outcome=self.outcome(evicted=evicted),
        )


class OpenCalls:
    """Calls by slot. A slot has several where callbacks nest: the innermost is the one spoken of."""

    __slots__ = ("_over", "_serial", "_slots", "calls")

    def __init__(self) -> None:
        self.calls: dict[int, OpenCall] = {}
        """By serial number, oldest first."""
        self._slots: defaultdict[Slot, list[OpenCall]] = defaultdict(list)
        self._over: dict[Slot, CallKey] = {}
        """Calls given out before their last fragment came: the slot's stragglers are theirs."""
        self._serial = 0

    def innermost(self, slot: Slot) -> OpenCall | None:
        stack = self._slots.get(slot)
        return stack[-1] if stack else None

    def over(self, slot: Slot) -> CallKey | None:
        return self._over.get(slot)

    def begin(self, key: CallKey, slot: Slot) -> OpenCall:
        self._over.pop(slot, None)
        call = OpenCall(key, slot, self._serial)
        self._serial += 1
        self.calls[call.serial] = call
        self._slots[slot].append(call)
        return call

    def end(self, call: OpenCall) -> None:
        del self.calls[call.serial]
        stack = self._slots[call.slot]
        stack.remove(call)
        if not stack:
            del self._slots[call.slot]
        if call.has_stragglers:
            self._over[call.slot] = call.key
            if len(self._over) > MAX_OPEN_CALLS:
                del self._over[next(iter(self._over))]
