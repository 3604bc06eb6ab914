"""Decoded calls to facts."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any, Final

from decoders.dcerpc.call_model import CallOutcome
from decoders.dcerpc.well_known import ENDPOINT_MAPPER, MSMQ
from decoders.dcerpc.well_known import INTERFACES as KNOWN
from pipelines.facts.model import BlindFact, CallFact, Moment
from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import Call, Part
    from pipelines.calls.call_rows import Identity
    from pipelines.calls.connection import Captures, PlacedCall
    from pipelines.facts.com import Com

Values = dict[str, Any]
FOLLOWED: Final = frozenset((*MSMQ.values(), *ENDPOINT_MAPPER.values()))
"""Native interfaces of which sessions, knowledge and rules hear."""
MAX_ELEMENTS: Final = 4_096
"""Of an array. No conforming call has more than 128; one that exceeds this is not judged by its values."""

MAX_SHORT_BYTES: Final = 128
"""Of bytes that are kept: a protocol tower has less than a hundred."""
_LEAVES: Final = frozenset((int, str, bool, float))
HEAD_BYTES: Final = 20
"""Of longer ones: a security descriptor begins with as many, and a SID with less."""


def call_fact(
    placed: PlacedCall,
    identity: Identity | None,
    operation: str | None,
    status: int | None,
    values: tuple[Values | None, Values | None],
    whole: tuple[bool, bool],
    captures: Captures,
    message: Values | None = None,
    in_words: Values | None = None,
    com: Com | None = None,
    *,
    unexplained: bool = False,
) -> CallFact | BlindFact | None:
    """None: nothing that sessions or rules would want."""
    call, place = placed.call, placed.place
    if call.callback or call.refused:
        return None
    began, answered = _asked(call), _answered(call)
    endpoint = KNOWN.get(identity.interface_uuid) if identity else None
    if identity is None and com is None:
        until = max(began, answered or began)
        client, server = place.id["orig_h"], place.id["resp_h"]
        return BlindFact(began, place.uid, client, server, until, Reason.BIND_NOT_SEEN)
    if com is None and (identity is None or endpoint not in FOLLOWED or identity.interface is None):
        return None
    request, response = compact(values[0]), compact(values[1])
    return CallFact(
        began=began,
        uid=place.uid,
        ends=place.ends,
        call_uid=place.call_uid(call.key),
        place=call.key[1],
        endpoint=endpoint,
        opnum=call.opnum,
        operation=operation,
        # What is one object with the default is not stored.
        source=intern(identity.source) if identity else None,
        syntax=intern(identity.transfer_syntax) if identity else None,
        group=call.assoc_group_id,
        auth_type=call.auth_type,
        auth_level=call.auth_level,
        authenticated=call.authenticated,
        username=call.username,
        domain=call.domain,
        encrypted=call.sealed,
        outcome=call.outcome,
        status=None if call.fault else status,
        fault=call.fault.status if call.fault else None,
        request=request,
        response=None if call.fault else response,
        request_whole=whole[0],
        response_whole=whole[1] or (call.fault is not None and call.fault.status is not None),
        asked=call.request is not None,
        answered=answered if call.outcome in _ANSWERED or call.fault is not None else None,
        request_frames=_frames(call.request, placed.capture),
        response_frames=_response_frames(call, placed.capture),
        capture_id=captures.capture_id(placed.capture),
        message=message,
        workstation=call.workstation,
        in_words=in_words,
        com=com,
        cancel_sent=call.cancelled or call.orphaned,
        unexplained=unexplained,
    )


_ANSWERED: Final = frozenset((CallOutcome.ANSWERED, CallOutcome.FAULTED, CallOutcome.ANSWER_CUT, CallOutcome.UNASKED))


def _asked(call: Call) -> Moment:
    """A server acts on a request when its last byte is there."""
    if call.request is not None:
        return Moment(call.request.last_ts_ns, *call.request.frames[-1])
    return _answered(call) or Moment(0, 0, 0)


def _answered(call: Call) -> Moment | None:
    if call.response is not None:
        return Moment(call.response.first_ts_ns, *call.response.frames[0])
    return Moment(call.fault.ts_ns, *call.fault.frames[0]) if call.fault else None


def _frames(part: Part | None, capture: int) -> tuple[int, ...]:
    return tuple([frame for file, frame in part.frames if file == capture]) if part else ()


def _response_frames(call: Call, capture: int) -> tuple[int, ...]:
    frames = _frames(call.response, capture)
    if call.fault is None:
        return frames
    return frames + tuple([frame for file, frame in call.fault.frames if file == capture])


def compact(values: Values | None) -> Values | None:
    """What rules look at: no empty members, few bytes, of vectors only their length. None where there is too much."""
    try:
        return None if values is None else _members(values)
    except _TooMuch:
        return None


class _TooMuch(Exception):
    """An array beyond what any conforming call has."""


def _members(values: Values) -> Values:
    # Most are numbers and text: no call for each of them.
    return {
        name: value if type(value) in _LEAVES else _compact(value)
        for name, value in values.items()
        if value is not None
    }


def _compact(value: Any) -> Any:  # noqa: ANN401 - values of any declared type
    if isinstance(value, dict):
        if "cElems" in value:
            return {"cElems": value["cElems"]}
        kept = _members(value)
        # Of a message: its hash is there.
        kept.pop("bytes", None)
        return kept
    if isinstance(value, list):
        if len(value) > MAX_ELEMENTS:
            raise _TooMuch
        return [_compact(inner) for inner in value]
    if isinstance(value, bytes | bytearray):
        if len(value) <= MAX_SHORT_BYTES:
            return {"size": len(value), "hex": value.hex()}
        return {"size": len(value), "head": value[:HEAD_BYTES].hex()}
    return value
