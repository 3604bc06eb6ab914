"""What the answer to a call of an object says of what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact

_RPC_E_DISCONNECTED: Final = 0x8001_0108
_FAILED: Final = 0x8000_0000


def reached(fact: CallFact) -> bool:
    """The object was there: it answered, whatever it said."""
    return fact.answered is not None and fact.fault is None and (fact.status or 0) & 0xFFFF_FFFF != _RPC_E_DISCONNECTED


def done(fact: CallFact) -> bool:
    """Of a call that failed, or whose answer was not read, nobody knows what became of it."""
    return fact.answered is not None and fact.fault is None and fact.status is not None and not fact.status & _FAILED


def unsure(fact: CallFact) -> Reason | None:
    """Why the server may have done it or not: it has no answer, or the client gave it up."""
    if done(fact):
        return None
    if fact.given_up:
        return Reason.TIMES_CROSS
    return Reason.RESPONSE_NOT_CAPTURED if fact.answered is None else None
