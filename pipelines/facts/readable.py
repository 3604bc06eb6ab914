"""Why the request or the answer of a call cannot be read: decided here for sessions, acts, versions and rules alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.dcerpc.call_model import CallOutcome
from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact


def request_hidden(call: CallFact) -> Reason | None:
    """What was unsealed can be read, even where the answer could not be."""
    if call.encrypted and call.request is None:
        return Reason.SEALED
    if not call.asked:
        return Reason.REQUEST_NOT_CAPTURED
    if call.request is None:
        return Reason.NOT_DECODED
    return None if call.request_whole else not_whole(call)


def response_hidden(call: CallFact) -> Reason | None:
    """Of a response or a fault. What a fault says in a sealed call may be sealed as well."""
    if call.encrypted and call.response is None:
        return Reason.SEALED
    if call.answered is None:
        return Reason.RESPONSE_NOT_CAPTURED
    # A fault that was cut has no status, and there are bytes missing.
    if call.response is None and call.fault is None and call.outcome != CallOutcome.FAULTED:
        return Reason.NOT_DECODED
    return None if call.response_whole else not_whole(call)


def not_whole(call: CallFact) -> Reason:
    """Why nothing rests on the values of a call that is not whole."""
    return Reason.STUB_HAS_MORE if call.unexplained else Reason.BYTES_MISSING
