"""The same for COM: every call is IDispatch.Invoke with two arguments and a result, on one object of each client."""

from __future__ import annotations

import struct
import uuid
from typing import TYPE_CHECKING, Any, Final

from bench.calls import BIND_ACK, CALLS, NDR, decoding, pdu, repeated, share_of
from bench.judging import judging_of
from decoders.dcom.orpc import write_implicit
from decoders.interfaces import dispatch
from decoders.ndr.encoder import encode
from decoders.ndr.model import Direction, Syntax
from decoders.oaut.building import bstr, variant
from decoders.oaut.names import VT
from decoders.tcp.model import Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Inputs, Work
    from pipelines.connections.segment_runs import SegmentRow

_INVOKE: Final = 6
_OBJECT_FLAG: Final = 0x83
"""PFC_OBJECT_UUID with the first and the last fragment."""
_NULL: Final = str(uuid.UUID(int=0))
_IPID: Final = uuid.UUID("0000c004-0e84-10c4-b27e-c0ea0cb59f7c")
_DISPATCH: Final = uuid.UUID(dispatch.INTERFACE.uuid).bytes_le + bytes(4)
_BIND: Final = struct.pack("<HHIB3xHBx", 5840, 5840, 0, 1, 0, 1) + _DISPATCH + NDR
_VERSION: Final = {"MajorVersion": 5, "MinorVersion": 7}
_THIS: Final = {"version": _VERSION, "flags": 0, "reserved1": 0, "cid": str(_IPID), "extensions": None}
_ASKED: Final[dict[str, Any]] = {
    "dispIdMember": 54,
    "riid": _NULL,
    "lcid": 1033,
    "dwFlags": 1,
    "pDispParams": {
        "rgvarg": [variant(VT["VT_I4"], 7), variant(VT["VT_BSTR"], bstr("DIRECT=OS:server\\private$\\orders"))],
        "rgdispidNamedArgs": None,
        "cArgs": 2,
        "cNamedArgs": 0,
    },
    "cVarRef": 0,
    "rgVarRefIdx": [],
    "rgVarRef": [],
}
_ANSWERED: Final[dict[str, Any]] = {
    "pVarResult": variant(VT["VT_BSTR"], bstr("done")),
    "pExcepInfo": {
        **dict.fromkeys(("wCode", "wReserved", "dwHelpContext", "pvReserved", "pfnDeferredFillIn", "scode"), 0),
        **dict.fromkeys(("bstrSource", "bstrDescription", "bstrHelpFile"), bstr(None)),
    },
    "pArgErr": 0,
    "rgVarRef": [],
    "return_value": 0,
}


def invokes(inputs: Inputs) -> Callable[[], Work]:
    return decoding(conversations(share_of(inputs)))


def objects(inputs: Inputs) -> Callable[[], Work]:
    return judging_of(conversations(share_of(inputs)))


def conversations(packets: int) -> list[SegmentRow]:
    asked = _stub(Direction.IN, _ASKED, write_implicit(Direction.IN, _THIS, "<"))
    answered = _stub(Direction.OUT, _ANSWERED, write_implicit(Direction.OUT, {"flags": 0, "extensions": None}, "<"))
    head = struct.pack("<IHH", len(asked), 0, _INVOKE) + _IPID.bytes_le
    talk = [(Side.LOW, pdu(11, _BIND, 1)), (Side.HIGH, pdu(12, BIND_ACK, 1))]
    for call in range(2, CALLS + 2):
        talk.append((Side.LOW, pdu(0, head + asked, call, _OBJECT_FLAG)))
        talk.append((Side.HIGH, pdu(2, struct.pack("<IHBx", len(answered), 0, 0) + answered, call)))
    return repeated(packets, talk)


def _stub(direction: Direction, values: dict[str, Any], before: bytes) -> bytes:
    operation = next(one for one in dispatch.OPERATIONS if one.opnum == _INVOKE)
    return encode(operation, direction, values, dispatch.INTERFACE.types, Syntax.NDR, "<", before=before)
