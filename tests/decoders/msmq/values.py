"""Decoded values as the NDR decoder gives them, for tests of what they mean."""

from __future__ import annotations

from decoders.interfaces import mqmq
from decoders.msmq.variants import vt_number
from decoders.ndr.model import Struct, Union

Value = dict[str, object]


def queue_format(kind: int, suffix: int = 0, **arm: object) -> Value:
    union = mqmq.QUEUE_FORMAT.members[-1].type
    assert isinstance(union, Union)
    arms = dict.fromkeys((each.member.name for each in union.arms if each.member is not None), None)
    assert arm.keys() <= arms.keys()
    return {"m_qft": kind, "m_SuffixAndFlags": suffix, "m_reserved": 0, **arms, **arm}


def variant(name: str, value: object = None) -> Value:
    """`value` of a vector or blob is what it counts."""
    union = mqmq.PROPVARIANT.members[-1].type
    assert isinstance(union, Union)
    vt = vt_number(name)
    arms: Value = {each.member.name: None for each in union.arms if each.member is not None}
    member = next((each.member for each in union.arms if vt in each.cases), None)
    if member is not None and isinstance(member.type, Struct):
        count, counted = (part.name for part in member.type.members)
        value = {count: len(value) if isinstance(value, list | bytes) else 0, counted: value or None}
    if member is not None:
        arms[member.name] = value
    return {"vt": vt, "wReserved1": 0, "wReserved2": 0, "wReserved3": 0, "_varUnion": arms}
