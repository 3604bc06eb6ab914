"""impacket as a second opinion, where it is right: its arrays lack pointers and its InvokeResponse lacks rgVarRef."""

from __future__ import annotations

from typing import Any

import pytest
from impacket.dcerpc.v5.dcom import oaut as theirs
from impacket.dcerpc.v5.dcomrt import ORPCTHIS
from impacket.dcerpc.v5.dtypes import NULL
from impacket.dcerpc.v5.ndr import NDRCALL

from decoders.interfaces import dispatch
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Direction, ObjrefBytes, Syntax
from decoders.oaut.building import bstr, variant
from decoders.oaut.names import VT
from decoders.oaut.texts import variant_text, variant_type
from decoders.oaut.variant import VT_BYREF

from .variants import sent

ORPCTHIS_BYTES = 32


class Alone(NDRCALL):  # type: ignore[misc]
    structure = (("v", theirs.VARIANT),)


def argument(vt: int, arm: str, value: Any) -> Any:  # noqa: ANN401 - theirs
    made = theirs.VARIANT(None, False)
    made["clSize"] = 5
    made["vt"] = vt
    made["_varUnion"]["tag"] = vt
    if arm == "bstrVal":
        made["_varUnion"][arm]["asData"] = value
    elif arm:
        made["_varUnion"][arm] = value
    return made


def test_an_invoke_of_impacket() -> None:
    parameters = theirs.DISPPARAMS(None, False)
    parameters["rgdispidNamedArgs"] = NULL
    arguments = [(8, "bstrVal", "queue"), (3, "lVal", -7), (11, "boolVal", 1), (17, "bVal", 9), (2, "iVal", 5)]
    for one in arguments:
        parameters["rgvarg"].append(argument(*one))
    parameters["cArgs"], parameters["cNamedArgs"] = len(arguments), 0
    request = theirs.IDispatch_Invoke()
    request["ORPCthis"] = ORPCTHIS()
    request["ORPCthis"]["extensions"] = NULL
    request["dispIdMember"], request["lcid"], request["dwFlags"] = 54, 0x409, 1
    request["riid"] = bytes(16)
    request["pDispParams"] = parameters
    request["cVarRef"] = 0
    request["rgVarRefIdx"], request["rgVarRef"] = [], []
    invoke = dispatch.OPERATIONS[3]
    stub = request.getData()
    found = decode(invoke, Direction.IN, stub, dispatch.INTERFACE.types, Syntax.NDR, "<", start=ORPCTHIS_BYTES)
    assert found.problems == ()
    values = found.values
    assert (values["dispIdMember"], values["lcid"], values["dwFlags"]) == (54, 0x409, 1)
    shown = [(variant_type(one["vt"]), variant_text(one)) for one in values["pDispParams"]["rgvarg"]]
    assert shown == [("VT_BSTR", "queue"), ("VT_I4", "-7"), ("VT_BOOL", "true"), ("VT_UI1", "9"), ("VT_I2", "5")]


@pytest.mark.parametrize(
    ("vt", "arm", "value"),
    [
        (VT["VT_I8"], "llVal", -(2**40)),
        (VT["VT_I4"], "lVal", -5),
        (VT["VT_I2"], "iVal", -5),
        (VT["VT_UI2"], "uiVal", 65535),
        (VT["VT_UI4"], "ulVal", 2**32 - 1),
        (VT["VT_UI8"], "ullVal", 2**64 - 1),
        (VT["VT_INT"], "intVal", -1),
        (VT["VT_ERROR"], "scode", 0x80020004),
        (VT["VT_R8"], "dblVal", 0.5),
        (VT["VT_DATE"], "date", 45000.25),
        (VT_BYREF | VT["VT_I4"], "plVal", -9),
        (VT_BYREF | VT["VT_UI8"], "pullVal", 9),
    ],
)
def test_our_numbers_are_theirs(vt: int, arm: str, value: float) -> None:
    read = Alone(sent(variant(vt, value)))["v"]
    assert (read["vt"], read["_varUnion"]["tag"]) == (vt, vt)
    told = read["_varUnion"][arm]
    # Some of their scalars differ in sign: theirs and ours are the same 32 bits.
    assert (told - value) % 2**32 == 0


def test_our_text_is_theirs() -> None:
    read = Alone(sent(variant(VT["VT_BSTR"], bstr("queue €"))))["v"]
    assert read["_varUnion"]["bstrVal"]["asData"] == "queue €"


def test_our_object_is_theirs() -> None:
    read = Alone(sent(variant(VT["VT_DISPATCH"], ObjrefBytes(b"MEOW1234"))))["v"]
    assert b"".join(read["_varUnion"]["pdispVal"]["abData"]) == b"MEOW1234"
