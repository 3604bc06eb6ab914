"""com_calls: calls of COM objects."""

from __future__ import annotations

from typing import TypedDict

import pyarrow as pa

from schemas.model import LONG, STRING, TIMESTAMP, U32, Column, Table
from schemas.relations import Reference
from schemas.shared_columns import (
    CALL_UID,
    CAPTURE_ID,
    DOMAIN,
    DOUBT,
    ID,
    OF_CALL,
    OF_CAPTURE,
    OF_FLOW,
    UID,
    USERNAME,
    ConnectionId,
)
from schemas.vocabulary import CALL_OUTCOMES, COM_KINDS, COM_WAYS

ARGUMENT = pa.struct([pa.field(name, STRING) for name in ("name", "direction", "type", "value", "value_name")])


class ArgumentRow(TypedDict):
    """Of the column `arguments`."""

    name: str | None
    direction: str
    type: str
    value: str | None
    value_name: str | None


class ComCallRow(TypedDict):
    call_uid: str
    ts: int | None
    ts_ns: int | None
    uid: str
    id: ConnectionId
    username: str | None
    domain: str | None
    object_uid: str
    ipid: str | None
    interface: str | None
    iid: str | None
    member: str | None
    kind: str | None
    via: str
    arguments: list[ArgumentRow]
    result: str | None
    result_name: str | None
    outcome: str
    hresult: int | None
    hresult_name: str | None
    exception: str | None
    causality_id: str | None
    doubt: str | None
    capture_id: str


COM_CALLS = Table(
    "com_calls",
    "One call of a COM object: whose it is, which member was called, and with which arguments. Those of the object "
    "resolver at port 135 are native RPC and stand in `calls` and their own tables.",
    (
        CALL_UID,
        Column("ts", TIMESTAMP, "When it was asked for."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        ID,
        USERNAME,
        DOMAIN,
        Column("object_uid", STRING, "The object, see `com_objects`.", required=True),
        Column("ipid", STRING, "Interface of the object that the call was made on, `calls.object_uuid`."),
        Column("interface", STRING, "Its name; null where nobody listed it."),
        Column("iid", STRING, "Its UUID; null where neither a bind nor the object tells it."),
        Column(
            "member",
            STRING,
            "Method or property. Of IDispatch.Invoke the one that its number means, where the wire told its name, or "
            "the type library of MSMQ's classes has it.",
        ),
        Column(
            "kind", STRING, "What was done with it; `method_or_get` where the client left that open.", values=COM_KINDS
        ),
        Column(
            "via",
            STRING,
            "`direct`: by the method's own number; `invoke`: through IDispatch.Invoke, as scripts do.",
            required=True,
            values=COM_WAYS,
        ),
        Column(
            "arguments",
            pa.list_(ARGUMENT),
            "In the order of the declaration: `name`, `direction` (`in`, `out`, `in_out`), `type` as declared, or what "
            "the wire carried where that is another one, and `value` as text, shortened; `value_name` of a number that "
            "stands for something. What the client left out has no value. Empty where the stub is sealed or nobody "
            "declared the method.",
            required=True,
        ),
        Column("result", STRING, "What a script has as the call's result, as text."),
        Column("result_name", STRING, "Name of a result that is a number and stands for something."),
        Column("outcome", STRING, "What became of it, as in `calls`.", required=True, values=CALL_OUTCOMES),
        Column("hresult", LONG, "What the method returned; of Invoke with an exception its own code.", low=0, high=U32),
        Column("hresult_name", STRING, "Its name."),
        Column("exception", STRING, "What the server said of its failure: EXCEPINFO, or error information."),
        Column("causality_id", STRING, "The same for calls that one call led to, and mostly for those of one thread."),
        DOUBT,
        CAPTURE_ID,
    ),
    key=("call_uid",),
    relations=(OF_CALL, OF_FLOW, OF_CAPTURE, Reference("object_uid", "com_objects", "object_uid")),
)
