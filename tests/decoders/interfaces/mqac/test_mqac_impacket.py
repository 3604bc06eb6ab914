"""impacket's NDR as a second opinion: an operation of each class, written by it and read by us, and the other way.

Types are its own of [MS-OAUT]; the operations are put together here from the document, not from our declarations.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from impacket.dcerpc.v5.dcom import oaut
from impacket.dcerpc.v5.dcomrt import ORPCTHAT, ORPCTHIS, PMInterfacePointer
from impacket.dcerpc.v5.dtypes import LONG, NULL, SHORT, ULONG
from impacket.dcerpc.v5.ndr import NDRCALL

from decoders.interfaces.mqac import INTERFACES
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Direction, Interface, ObjrefBytes, Operation, Syntax
from decoders.oaut.building import bstr, variant
from decoders.oaut.names import VT
from decoders.oaut.texts import variant_text, variant_type
from decoders.oaut.values import bstr_value

THIS, THAT = 32, 8
BSTR, VARIANT, OBJECT, TRUTH = oaut.BSTR, oaut.VARIANT, PMInterfacePointer, oaut.VARIANT_BOOL
LEFT_OUT = (VT["VT_ERROR"], "scode", 0x8002_0004)
NUMBER, TEXT, YES = (VT["VT_I4"], "lVal", 7), (VT["VT_BSTR"], "bstrVal", "queue"), (VT["VT_BOOL"], "boolVal", -1)
LOOKUP_ID = (VT["VT_UI8"], "ullVal", 2**63 + 1)
MEOW = b"MEOW1234"
_THEIRS = {"boolVal": 0xFFFF, "scode": 0x8002_0004 - 2**32}
"""Its truth values have no sign and its SCODE has one: the same bits."""
IN, OUT = Direction.IN, Direction.OUT

CASES: dict[tuple[str, str, Direction], list[tuple[str, Any, Any]]] = {
    ("IMSMQQueueInfo4", "put_PathName", IN): [("bstrPathName", BSTR, ".\\private$\\orders €")],
    ("IMSMQQueueInfo4", "Create", IN): [("IsTransactional", VARIANT, YES), ("IsWorldReadable", VARIANT, LEFT_OUT)],
    ("IMSMQQueueInfo4", "Open", IN): [("Access", LONG, 0x81), ("ShareMode", LONG, 1)],
    ("IMSMQQueueInfo4", "Open", OUT): [("ppq", OBJECT, MEOW)],
    ("IMSMQQueueInfo4", "get_Label", OUT): [("pbstrLabel", BSTR, "orders")],
    ("IMSMQQueue4", "Receive", IN): [
        ("Transaction", VARIANT, NUMBER),
        ("WantDestinationQueue", VARIANT, LEFT_OUT),
        ("WantBody", VARIANT, YES),
        ("ReceiveTimeout", VARIANT, NUMBER),
        ("WantConnectorType", VARIANT, LEFT_OUT),
    ],
    ("IMSMQQueue4", "ReceiveByLookupIdAllowPeek", IN): [
        ("LookupId", VARIANT, LOOKUP_ID),
        ("Transaction", VARIANT, LEFT_OUT),
        ("WantDestinationQueue", VARIANT, YES),
        ("WantBody", VARIANT, LEFT_OUT),
        ("WantConnectorType", VARIANT, YES),
    ],
    ("IMSMQQueue4", "EnableNotification", IN): [
        ("Event", OBJECT, MEOW),
        ("Cursor", VARIANT, NUMBER),
        ("ReceiveTimeout", VARIANT, LEFT_OUT),
    ],
    ("IMSMQQueue4", "get_IsOpen2", OUT): [("pisOpen", TRUTH, -1)],
    ("IMSMQQueue4", "get_IsOpen", OUT): [("pisOpen", SHORT, 1)],
    ("IMSMQMessage4", "put_Body", IN): [("varBody", VARIANT, TEXT)],
    ("IMSMQMessage4", "get_Body", OUT): [("pvarBody", VARIANT, TEXT)],
    ("IMSMQMessage4", "Send", IN): [("DestinationQueue", OBJECT, MEOW), ("Transaction", VARIANT, NUMBER)],
    ("IMSMQQuery4", "LookupQueue", IN): [
        *((name, VARIANT, TEXT) for name in ("QueueGuid", "ServiceTypeGuid", "Label", "CreateTime", "ModifyTime")),
        *((name, VARIANT, NUMBER) for name in ("RelServiceType", "RelLabel", "RelCreateTime", "RelModifyTime")),
        ("MulticastAddress", VARIANT, TEXT),
        ("RelMulticastAddress", VARIANT, LEFT_OUT),
    ],
    ("IMSMQQueueInfos4", "Next", OUT): [("ppqinfoNext", OBJECT, MEOW)],
    ("IMSMQApplication", "MachineIdOfMachineName", IN): [("MachineName", BSTR, "SERVER")],
    ("IMSMQApplication", "MachineIdOfMachineName", OUT): [("pbstrGuid", BSTR, "{0}")],
    ("IMSMQManagement", "Init", IN): [(name, VARIANT, TEXT) for name in ("Machine", "Pathname", "FormatName")],
    ("IMSMQOutgoingQueueManagement", "get_State", OUT): [("plState", LONG, 6)],
    ("IMSMQQueueManagement", "get_BytesInJournal", OUT): [("pvBytesInJournal", VARIANT, LOOKUP_ID)],
    ("IMSMQTransaction", "Commit", IN): [
        ("fRetaining", VARIANT, YES),
        ("grfTC", VARIANT, NUMBER),
        ("grfRM", VARIANT, LEFT_OUT),
    ],
    ("IMSMQTransactionDispenser3", "BeginTransaction", OUT): [("ptransaction", OBJECT, MEOW)],
    ("IMSMQCoordinatedTransactionDispenser3", "BeginTransaction", OUT): [("ptransaction", OBJECT, MEOW)],
    ("IMSMQDestination", "putref_IADs", IN): [("pIADs", OBJECT, MEOW)],
    ("IMSMQCollection", "Item", IN): [("Index", VARIANT, TEXT)],
    ("IMSMQCollection", "Item", OUT): [("pvarRet", VARIANT, LOOKUP_ID)],
    ("IMSMQPrivateEvent", "FireArrivedErrorEvent", IN): [
        ("pq", OBJECT, MEOW),
        ("hrStatus", ULONG, 0xC00E_001B),
        ("msgcursor", LONG, 2),
    ],
    ("_DMSMQEventEvents", "Arrived", IN): [("Queue", OBJECT, MEOW), ("Cursor", LONG, 1)],
}
WAYS = [pytest.param(*case, id=f"{case[0]}-{case[1]}-{case[2].name}") for case in CASES]


def declared(interface: str, name: str) -> tuple[Interface, Operation]:
    (found,) = (one for one in INTERFACES if one.name == interface)
    return found, next(one for one in found.operations if one.name == name)


def structure(direction: Direction, fields: list[tuple[str, Any, Any]]) -> type[NDRCALL]:
    header = ("ORPCthis", ORPCTHIS) if direction is IN else ("ORPCthat", ORPCTHAT)
    status = () if direction is IN else (("ErrorCode", ULONG),)
    return type("Call", (NDRCALL,), {"structure": (header, *((name, kind) for name, kind, _ in fields), *status)})


def fill(call: Any, name: str, kind: Any, value: Any) -> None:  # noqa: ANN401 - theirs
    if kind is VARIANT:
        vt, arm, inner = value
        made = oaut.VARIANT(None, False)
        made["clSize"], made["vt"], made["_varUnion"]["tag"] = 5, vt, vt
        if arm == "bstrVal":
            made["_varUnion"][arm]["asData"] = inner
        else:
            made["_varUnion"][arm] = _THEIRS.get(arm, inner)
        call[name] = made
    elif kind is BSTR:
        call[name]["asData"] = value
    elif kind is OBJECT:
        call[name]["ulCntData"], call[name]["abData"] = len(value), list(value)
    else:
        call[name] = _THEIRS["boolVal"] if kind is TRUTH else value


def shown(kind: Any, value: Any) -> Any:  # noqa: ANN401
    """Of ours, as the cases write it."""
    if kind is VARIANT:
        return variant_type(value["vt"]), variant_text(value)
    return bstr_value(value) if kind is BSTR else value


def expected(kind: Any, value: Any) -> Any:  # noqa: ANN401
    if kind is not VARIANT:
        return value
    vt, arm, inner = value
    text = {"boolVal": "true", "scode": "0x80020004"}.get(arm, str(inner))
    return variant_type(vt), text


@pytest.mark.parametrize(("interface", "name", "direction"), WAYS)
def test_what_it_writes_we_read(interface: str, name: str, direction: Direction) -> None:
    random.seed(1)
    fields = CASES[interface, name, direction]
    call = structure(direction, fields)()
    call["ORPCthis" if direction is IN else "ORPCthat"]["extensions"] = NULL
    for field in fields:
        fill(call, *field)
    if direction is OUT:
        call["ErrorCode"] = 0xC00E_0025
    stub = call.getData()
    found, operation = declared(interface, name)
    start = THIS if direction is IN else THAT
    decoded = decode(operation, direction, stub, found.types, Syntax.NDR, "<", start=start)
    assert decoded.problems == ()
    assert {one: shown(kind, decoded.values[one]) for one, kind, _ in fields} == {
        one: expected(kind, value) for one, kind, value in fields
    }
    assert direction is IN or decoded.values["return_value"] == 0xC00E_0025


@pytest.mark.parametrize(("interface", "name", "direction"), WAYS)
def test_what_we_write_it_reads(interface: str, name: str, direction: Direction) -> None:
    fields = CASES[interface, name, direction]
    found, operation = declared(interface, name)
    values: dict[str, Any] = {"return_value": 0} if direction is OUT and operation.returns else {}
    for one, kind, value in fields:
        if kind is VARIANT:
            vt, arm, inner = value
            values[one] = variant(vt, bstr(inner) if arm == "bstrVal" else inner)
        else:
            values[one] = bstr(value) if kind is BSTR else ObjrefBytes(value) if kind is OBJECT else value
    before = bytes.fromhex("05000700").ljust(THIS, b"\0") if direction is IN else bytes(THAT)
    stub = encode(operation, direction, values, found.types, Syntax.NDR, "<", before=before)
    call = structure(direction, fields)(stub)
    for one, kind, value in fields:
        told = call[one]
        if kind is VARIANT:
            vt, arm, inner = value
            read = told["_varUnion"][arm]
            read = read["asData"] if arm == "bstrVal" else read
            assert (told["vt"], told["_varUnion"]["tag"]) == (vt, vt)
            assert read in (inner, _THEIRS.get(arm))
        elif kind is OBJECT:
            assert b"".join(told["abData"]) == value
        else:
            assert (told["asData"] if kind is BSTR else told) == (_THEIRS["boolVal"] if kind is TRUTH else value)


def test_every_class_has_one() -> None:
    without = {"ITransaction", "IMSMQPrivateDestination", "IMSMQEvent"}
    named = {interface.rstrip("234") for interface, _, _ in CASES}
    assert named == {one.name.rstrip("234") for one in INTERFACES} - without
