"""R_QMMgmtGetInfo's answers, where most differences show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.interfaces import mqmq
from decoders.ndr.model import Direction, Union
from tests.second_opinion.stubs.scapy_calls import call

if TYPE_CHECKING:
    from tests.second_opinion.stubs.scapy_calls import Call

GET_INFO: Final = call("R_QMMgmtGetInfo", Direction.OUT)


def answer(*variants: dict[str, Any]) -> dict[str, Any]:
    return {"apVar": list(variants), "return_value": 7}


def variant(name: str, value: object) -> dict[str, Any]:
    """By the name of the arm."""
    union = mqmq.PROPVARIANT.members[-1].type
    assert isinstance(union, Union)
    tags = {arm.member.name: arm.cases[0] for arm in union.arms if arm.member}
    inner = dict.fromkeys(tags) | {name: value}
    return {"vt": tags[name], "wReserved1": 0, "wReserved2": 0, "wReserved3": 0, "_varUnion": inner}


def text(value: str) -> dict[str, Any]:
    return variant("pwszVal", value)


def is_ours(compared: Call, values: dict[str, Any], stub: str) -> None:
    """Our encoder writes the stub, and our decoder reads the values from it."""
    raw = bytes.fromhex(stub)
    assert compared.encoded(values) == raw
    decoded = compared.decoded(raw)
    assert (decoded.values, decoded.problems, decoded.consumed) == (values, (), len(raw))
