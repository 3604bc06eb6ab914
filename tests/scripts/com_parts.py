"""References to objects, bindings and properties of activations, as Windows builds them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.activation_blob import (
    PROPERTIES_IN,
    PROPERTIES_OUT,
    ActivationBlob,
    ActivationProperty,
    encode_blob,
)
from decoders.dcom.activation_properties import PROPERTIES
from decoders.dcom.dual_strings import DualStrings, SecurityBinding, StringBinding, build_dual_strings
from decoders.dcom.objref import CustomData, Form, ObjRef, StdObjRef, encode_objref

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.stubs import Flat

NULL: Final = "00000000-0000-0000-0000-000000000000"
IUNKNOWN: Final = "00000000-0000-0000-c000-000000000046"
_TCP: Final = 7
_IN, _OUT = "000001a2-0000-0000-c000-000000000046", "000001a3-0000-0000-c000-000000000046"
_CLSIDS: Final = {known.name: clsid for clsid, known in PROPERTIES.items()}
_TOTAL_AT: Final = 24
"""Of totalSize: behind dwSize, dwReserved and the headers of the serialization."""
REFERENCE_NAMES: Final = frozenset(("gives", "oxid", "oid", "public", "iid", "form", "signature", "at", "sorf"))


def bindings(*hosts: str, principal: str = "CORP\\service") -> DualStrings:
    return build_dual_strings([StringBinding(_TCP, host) for host in hosts], [SecurityBinding(10, principal)])


def objref(iid: str, ipid: str, where: tuple[int, int], given: Flat, host: str) -> bytes:
    """`where`: OXID and OID, unless the script says others."""
    std = StdObjRef(
        given.get("sorf", 0), given.get("public", 5), given.get("oxid", where[0]), given.get("oid", where[1]), ipid
    )
    made = ObjRef(Form.STANDARD, given.get("iid", iid), std, bindings=bindings(given.get("at", host)))
    data = encode_objref(made)
    signature, form = given.get("signature"), given.get("form")
    if signature is not None:
        data = struct.pack("<I", signature) + data[4:]
    if form is not None:
        data = data[:4] + struct.pack("<I", form) + data[8:]
    return data


def pointer(data: bytes | None) -> Flat | None:
    """MInterfacePointer."""
    return None if data is None else {"ulCntData": len(data), "abData": data}


def properties(values: Mapping[str, dict[str, Any]], given: Flat, *, answered: bool) -> Flat | None:
    """Of an activation, without those that the script leaves out."""
    made = tuple(
        ActivationProperty(_CLSIDS[name], name, b"", value, "<", ())
        for name, value in values.items()
        if name not in given.get("lacks", ())
    )
    header = {
        "totalSize": 0,
        "headerSize": 0,
        "dwReserved": 0,
        "destCtx": 2,
        "cIfs": len(made),
        "classInfoClsid": NULL,
        "pclsid": [one.clsid for one in made],
        "pSizes": [0] * len(made),
        "pdwReserved": None,
    }
    blob = encode_blob(ActivationBlob(0, 0, header, "<", made))
    if "total" in given:
        blob = blob[:_TOTAL_AT] + struct.pack("<I", given["total"]) + blob[_TOTAL_AT + 4 :]
    iid, clsid = (_OUT, PROPERTIES_OUT) if answered else (_IN, PROPERTIES_IN)
    data = encode_objref(ObjRef(Form.CUSTOM, iid, clsid=clsid, custom=CustomData(0, len(blob), blob)))
    if not answered and "signature" in given:
        data = struct.pack("<I", given["signature"]) + data[4:]
    return pointer(data)
