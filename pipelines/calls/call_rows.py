"""Rows of `calls`."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from decoders.dcerpc.names import TRANSFER_SYNTAX
from decoders.dcerpc.well_known import INTERFACES as KNOWN
from decoders.interfaces import interface_of
from decoders.ndr.model import Syntax
from decoders.status import fault_name, status_name
from schemas.times import NO_TIME, micros, nanos

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import Binding, Call
    from decoders.dcerpc.framing import FrameRef
    from decoders.ndr.model import Interface
    from pipelines.calls.connection import Captures, PlacedCall

Row = dict[str, Any]


class DecodeState(enum.StrEnum):
    FULL = "full"
    PARTIAL = "partial"
    OPAQUE = "opaque"


@dataclass(frozen=True)
class Identity:
    """The interface of a call, and how it is known."""

    interface_uuid: str
    version: str
    transfer_syntax: str
    source: str

    @classmethod
    def of(cls, binding: Binding) -> Identity:
        interface, syntax = binding.interface, binding.transfer_syntax
        named = TRANSFER_SYNTAX.get(syntax.uuid, syntax.uuid)
        return cls(interface.uuid, f"{interface.major}.{interface.minor}", named, str(binding.source))

    @cached_property
    def interface(self) -> Interface | None:
        """Its declaration, if it is one of ours."""
        return interface_of(self.interface_uuid, self.version)

    @cached_property
    def syntax(self) -> Syntax | None:
        return _SYNTAXES.get(self.transfer_syntax)


_SYNTAXES = {str(syntax): syntax for syntax in Syntax}


def call_row(
    placed: PlacedCall,
    identity: Identity | None,
    operation: str | None,
    status: int | None,
    state: DecodeState,
    captures: Captures,
) -> Row:
    place, call = placed.place, placed.call
    request, response, fault = call.request, call.response, call.fault
    if fault is not None:
        # What stood in a response that the fault broke off is no result.
        status = None
    answered: tuple[FrameRef, ...] = (*(response.frames if response else ()), *(fault.frames if fault else ()))
    asked: tuple[FrameRef, ...] = request.frames if request else ()
    here = placed.capture
    other_frames = [
        {"side": side, "capture_id": captures.capture_id(capture), "frame": frame}
        for side, frames in (("request", asked), ("response", answered))
        for capture, frame in frames
        if capture != here
    ]
    began = first_ts_ns(call)
    return {
        "call_uid": place.call_uid(call.key),
        "ts": micros(began),
        "ts_ns": nanos(began),
        "uid": place.uid,
        "community_id": place.community_id,
        "id": place.id,
        "rtt_us": _rtt_us(call),
        "endpoint": KNOWN.get(identity.interface_uuid) if identity else None,
        "interface_uuid": identity.interface_uuid if identity else None,
        "interface_version": identity.version if identity else None,
        "interface_source": identity.source if identity else None,
        "opnum": call.opnum,
        "operation": operation,
        "object_uuid": call.object_uuid,
        "call_id": call.call_id,
        "ctx_id": call.ctx_id,
        "assoc_group_id": call.assoc_group_id,
        "transfer_syntax": identity.transfer_syntax if identity else None,
        "is_callback": call.callback,
        "auth_type": call.auth_type,
        "auth_level": call.auth_level,
        "auth_context_id": call.auth_context_id,
        "username": call.username,
        "domain": call.domain,
        "encrypted": call.encrypted,
        "unsealed": call.unsealed,
        "verified": call.verified,
        "outcome": str(call.outcome),
        "cancel_sent": call.cancelled,
        "orphaned": call.orphaned,
        "status": status,
        "status_name": None
        if status is None
        else status_name(status, KNOWN.get(identity.interface_uuid, "") if identity else ""),
        "fault": fault.status if fault else None,
        "fault_name": fault_name(fault.status) if fault and fault.status is not None else None,
        "did_not_execute": fault.did_not_execute if fault else None,
        "decode_state": str(state),
        "request_bytes": request.size if request else None,
        "response_bytes": response.size if response else None,
        "request_fragments": request.fragments if request else None,
        "response_fragments": (response.fragments if response else 0) + (fault is not None) or None,
        "request_frames": [frame for capture, frame in asked if capture == here],
        "response_frames": [frame for capture, frame in answered if capture == here],
        "other_frames": other_frames or None,
        "capture_id": captures.capture_id(here),
    }


def first_ts_ns(call: Call) -> int:
    part = call.request or call.response
    return part.first_ts_ns if part else call.fault.ts_ns if call.fault else NO_TIME


def _rtt_us(call: Call) -> int | None:
    answered = call.response.first_ts_ns if call.response else call.fault.ts_ns if call.fault else NO_TIME
    if call.request is None or NO_TIME in (answered, call.request.last_ts_ns):
        return None
    rtt_us = (answered - call.request.last_ts_ns) // 1000
    # Nobody answers what was not asked yet: two capture points whose clocks differ.
    return None if rtt_us < 0 and call.request.fragments == 1 else rtt_us
