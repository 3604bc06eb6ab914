"""Properties of queue managers and queues: PROPVARIANTs of any type, and what a healthy server says in them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from decoders.interfaces import mqmq
from decoders.msmq.properties import PROPERTIES, Property
from decoders.msmq.variants import vt_number
from decoders.ndr.model import Scalar, Struct, Union
from tests.scripts.object_properties import OBJECT_PROPERTIES
from tests.scripts.words import handle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.object_properties import ObjectProperty
    from tests.scripts.stubs import Flat

OBJECT: Final = 0
"""In place of an MgmtObjectType: the properties that objects have."""

VT_NULL: Final = vt_number("VT_NULL")
_LONG, _TEXT, _BLOB, _GUID = (vt_number(name) for name in ("VT_UI4", "VT_LPWSTR", "VT_BLOB", "VT_CLSID"))
_TEXTS, _VARIANTS = vt_number("VT_VECTOR|VT_LPWSTR"), vt_number("VT_VECTOR|VT_VARIANT")
_LONGS, _TIMES = vt_number("VT_VECTOR|VT_UI4"), vt_number("VT_VECTOR|VT_I4")
_YESTERDAY: Final = 1_767_510_000

_TYPICAL: Final[Mapping[str, object]] = {
    "PROPID_MGMT_MSMQ_ACTIVEQUEUES": ["DIRECT=OS:hq\\private$\\orders"],
    "PROPID_MGMT_MSMQ_PRIVATEQ": ["hq\\private$\\orders"],
    "PROPID_MGMT_MSMQ_DSSERVER": "\\\\dc1",
    "PROPID_MGMT_MSMQ_TYPE": "MSMQ 6.1 Server",
    "PROPID_MGMT_QUEUE_PATHNAME": "hq\\private$\\orders",
    "PROPID_MGMT_QUEUE_FORMATNAME": "DIRECT=OS:hq\\private$\\orders",
    "PROPID_MGMT_QUEUE_TYPE": "PRIVATE",
    "PROPID_MGMT_QUEUE_XACT": "NO",
    "PROPID_MGMT_QUEUE_FOREIGN": "NO",
    "PROPID_MGMT_QUEUE_NEXTHOPS": ["10.0.0.9"],
    "PROPID_MGMT_QUEUE_SUBQUEUE_NAMES": ["urgent"],
    "PROPID_MGMT_QUEUE_EOD_SOURCE_INFO": [
        [_TEXTS, ["DIRECT=OS:branch7\\private$\\orders"]],
        [vt_number("VT_VECTOR|VT_CLSID"), ["22222222-2222-3333-4444-555555555555"]],
        [vt_number("VT_VECTOR|VT_UI8"), [9]],
        [_LONGS, [4]],
        [_TIMES, [_YESTERDAY]],
        [_LONGS, [0]],
    ],
    "PROPID_MGMT_QUEUE_CONNECTION_HISTORY": [
        [_LONGS, [2]],
        [_TIMES, [_YESTERDAY]],
        [_TIMES, [0]],
        [_VARIANTS, [[_TEXTS, ["10.0.0.9"]]]],
    ],
    "PROPID_Q_PATHNAME": "hq\\private$\\orders",
    "PROPID_Q_LABEL": "orders",
    "PROPID_Q_QUOTA": 0xFFFF_FFFF,
    "PROPID_QM_PATHNAME": "hq",
    "PROPID_QM_MACHINE_TYPE": "Windows NT (Intel)",
}
_ELSEWHERE: Final[Mapping[int, object]] = {
    # SEQUENCE_INFO, [MS-MQMQ] 2.2.5.1: every VT_BLOB property is one.
    _BLOB: struct.pack("<qII", 9, 4, 3),
    _TEXT: "text",
    _TEXTS: ["text"],
    _GUID: handle("orders"),
}
_OCTETS: Final = (mqmq.BLOB, mqmq.CAUB)


def _arms() -> dict[int, tuple[str, object]]:
    union = mqmq.PROPVARIANT.members[-1].type
    assert isinstance(union, Union)
    return {case: (arm.member.name, arm.member.type) for arm in union.arms if arm.member for case in arm.cases}


_ARMS: Final = _arms()


def variant(vt: int, value: object = None) -> Flat:
    """Null is the type's nothing; a vector of variants is a list of [vt, value]; octets may be hexadecimal text."""
    name, declared = _ARMS.get(vt, ("", None))
    union = {name: _held(declared, value)} if name else {}
    return {"vt": vt, "wReserved1": 0, "wReserved2": 0, "wReserved3": 0, "_varUnion": union}


def _held(declared: object, value: Any) -> object:  # noqa: ANN401
    if isinstance(declared, Scalar):
        return value or 0
    if not isinstance(declared, Struct):
        return value
    if declared in _OCTETS and isinstance(value, str):
        value = bytes.fromhex(value)
    if declared == mqmq.CAPROPVARIANT and value is not None:
        value = [variant(*item) for item in value]
    count, counted = (member.name for member in declared.members)
    return {count: len(value or ()), counted: value}


def _known(kind: int, propid: int) -> Property | ObjectProperty | None:
    return OBJECT_PROPERTIES.get(propid) if kind == OBJECT else PROPERTIES.get((kind, propid))


def expected_type(kind: int, propid: int) -> int:
    """Of an answer; nothing is said of properties that nobody knows."""
    known = _known(kind, propid)
    return VT_NULL if known is None else known.vt


def guessed_type(kind: int, propid: int, value: object) -> int:
    if value is None:
        return VT_NULL
    if _known(kind, propid) is not None:
        return expected_type(kind, propid)
    return _TEXT if isinstance(value, str) else _TEXTS if isinstance(value, list) else _LONG


def typical(kind: int, propid: int, vt: int) -> object:
    known = _known(kind, propid)
    if known is None or known.vt != vt:
        return _ELSEWHERE.get(vt)
    values = known.values if isinstance(known, Property) else ()
    return _TYPICAL.get(known.name) or next(iter(values), _ELSEWHERE.get(vt))
