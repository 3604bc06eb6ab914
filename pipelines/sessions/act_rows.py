"""Rows of `sends`, `moves`, `rejections` and `transactions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from decoders.msmq.message.names import MESSAGE_CLASSES
from pipelines.sessions.naming import named_by_call, queue_of
from pipelines.sessions.rows import decimal_of, in_transaction, micros_of, place_of, text_of, uid_of
from schemas.times import micros
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.sessions.acts import Act, MoveStep, RejectStep, SendStep
    from pipelines.sessions.steps import UnitStep

Row = dict[str, Any]


def move_row(step: MoveStep) -> Row:
    target = step.target
    shown = step.shown.message_id if step.shown else None
    return {
        **_act(step),
        "target_session_uid": target.session_uid if target else None,
        "queue_name": queue_of(step.session)["queue_name"],
        "target_queue_name": queue_of(target)["queue_name"],
        "lookup_id": decimal_of((step.call.request or {}).get("LookupId")),
        "message_id": shown,
        "message_uid": derived_uid("M", shown) if shown else None,
    }


def send_row(step: SendStep) -> Row:
    call, told = step.call, step.call.message or {}
    return {
        **_act(step),
        "operation": call.operation,
        **(named_by_call(step.queue_name) if step.queue_name is not None else queue_of(step.session)),
        "message_id": told.get("id"),
        "message_uid": derived_uid("M", told.get("id") or call.call_uid) if told else None,
        "message_label": told.get("label"),
        "message_bytes": told.get("bytes"),
    }


def rejection_row(step: RejectStep) -> Row:
    shown, asked = step.shown, (step.call.request or {}).get("usClass", 0)
    message = shown.message_id if shown is not None else None
    return {
        **_act(step),
        **queue_of(step.session),
        "lookup_id": decimal_of((step.call.request or {}).get("LookupId")),
        "message_id": message,
        "message_uid": derived_uid("M", message) if message else None,
        "message_class": MESSAGE_CLASSES.get(asked, f"0x{asked:04x}") if asked else None,
    }


def _act(step: Act) -> Row:
    call, session = step.call, step.session
    return {
        "call_uid": call.call_uid,
        **place_of(call),
        "username": call.username,
        "domain": call.domain,
        "session_uid": session.session_uid if session else None,
        **in_transaction(step.uow, step.unit),
        "outcome": step.outcome,
        "doubt": text_of(step.doubt),
        "status": call.status,
        "capture_id": call.capture_id,
    }


def unit_row(step: UnitStep) -> Row:
    unit = step.unit
    of = unit.enlisted or unit.first
    names = (queue_of(session)["queue_name"] for session in unit.sessions.values())
    return {
        "transaction_uid": unit.uid,
        "transaction": unit.uow,
        **place_of(unit.first),
        "uid": of.uid,
        "id": of.ends.id,
        "username": of.username,
        "domain": of.domain,
        "began_ts": micros(unit.enlisted.until.ts_ns) if unit.enlisted else None,
        "ended_ts": micros_of(unit.ended_at),
        "kind": None if unit.enlisted is None else "internal" if unit.internal else "external",
        "outcome": str(unit.outcome),
        "doubt": text_of(unit.doubt),
        **{name: getattr(unit, name) for name in ("enlistments", "reads", "sends", "moves", "rejects")},
        "clients": list(unit.clients),
        "queue_names": sorted({name for name in names if name is not None}),
        "session_uids": sorted(unit.sessions),
        "begin_call_uid": uid_of(unit.enlisted),
        "end_call_uid": uid_of(unit.ended),
        "capture_id": of.capture_id,
    }
