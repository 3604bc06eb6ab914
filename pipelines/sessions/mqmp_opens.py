"""What both opens of qmcomm have in common: who the client is, and whom it may be in the way of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.sessions.readers import READING

if TYPE_CHECKING:
    from pipelines.sessions.shared_state import SharedState
    from pipelines.sessions.steps import CallStep

SHARING_VIOLATIONS: Final = frozenset((0xC00E_0009, 0xC000_0043))
"""MQ_ERROR_SHARING_VIOLATION, STATUS_SHARING_VIOLATION."""


class Opens:
    def __init__(self, shared: SharedState) -> None:
        self._readers = shared.registry.readers

    def asked(self, step: CallStep) -> None:
        if step.connection is not None and step.call.request_whole:
            association = step.connection.association
            step.introduction = association.licence
            association.licence = association.licence or step.call
        name = format_name(step.request.get("pQueueFormat") or {})
        # A queue on another server was opened there.
        access = step.request.get("dwDesiredAccess", 0)
        if name is not None and access in READING and not step.request.get("hRemoteQueue"):
            step.holder = self._readers.against(name, access, step.request.get("dwShareMode", 0))

    def answered(self, step: CallStep, *, opened: bool) -> None:
        """`opened`: a handle was given."""
        holder = step.holder
        if holder is None or holder.is_over or holder.close_asked:
            return
        refused = holder.contender is None and step.code in SHARING_VIOLATIONS
        # The first that was let in is the one to tell of.
        if refused or (opened and (holder.contender is None or holder.contender.status != v.MQ_OK)):
            holder.contender = slim(step.call)
