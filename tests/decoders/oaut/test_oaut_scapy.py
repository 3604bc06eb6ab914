"""scapy reads the arms of a SAFEARRAY as we write them, in NDR and in NDR64.

It never chooses an arm by itself: its condition compares sfType with nothing. Its VARIANT has a tag of two bytes, so
that in NDR64 it takes the gap behind ours for the value: [MS-RPCE] 2.2.5.3.4.4, [MS-OAUT] 2.2.29.2.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest
from msrpcs import ms_oaut as theirs

from decoders.ndr.encoder import encode
from decoders.ndr.model import Direction, Member, Named, ObjrefBytes, Syntax
from decoders.oaut.building import bstr, safearray, variant
from decoders.oaut.declarations import TYPES
from decoders.oaut.names import VT
from tests.builders import com_values as c
from tests.decoders.ndr.operations import request

REFERENCE = ObjrefBytes(c.objref(c.UNKNOWN, 1, 2, c.ipid(3)))
RECORD = {"fFlags": 0, "clSize": 4, "pRecInfo": REFERENCE, "pRecord": b"\1\2\3\4"}
TEXTS = ("one", "", "x" * 300, None)
BOTH = pytest.mark.parametrize("syntax", Syntax)


def arm(element: str, values: list[Any]) -> dict[str, Any]:
    (found,) = safearray(element, values)["uArrayStructs"]["u"].values()
    return dict(found)


def read(name: str, made: dict[str, Any], syntax: Syntax) -> Any:  # noqa: ANN401 - theirs
    stub = encode(request(Member("v", Named(name))), Direction.IN, {"v": made}, TYPES, syntax, "<")
    found = getattr(theirs, name)(stub, ndr64=syntax is Syntax.NDR64, ndrendian="little")
    assert bytes(found.payload) == b"", "nothing is left over"
    return found


@BOTH
@pytest.mark.parametrize(
    ("name", "element", "values", "size"),
    [
        ("BYTE_SIZEDARR", "VT_UI1", [1, 2, 255], 1),
        ("WORD_SIZEDARR", "VT_I2", [1, -2, 3], 2),
        ("DWORD_SIZEDARR", "VT_I4", [1, -2, 3, 4], 4),
        ("HYPER_SIZEDARR", "VT_I8", [1, -2, 3], 8),
        ("HYPER_SIZEDARR", "VT_R8", [0.5], 8),
    ],
)
def test_numbers(name: str, element: str, values: list[int], size: int, syntax: Syntax) -> None:
    made = arm(element, values)
    found = read(name, made, syntax)
    told = found.valueof("pData")
    if not isinstance(told, bytes):
        told = b"".join(struct.pack("<Q" if size == 8 else "<I", one % (1 << 8 * size)) for one in told)
    assert (found.clSize, told) == (len(values), made["pData"])


@BOTH
def test_texts(syntax: Syntax) -> None:
    found = read("SAFEARR_BSTR", arm("VT_BSTR", [bstr(one) for one in TEXTS]), syntax)
    blobs = [(one.cBytes, one.clSize, one.asData) for one in found.valueof("aBstr")]
    ours = [(one["cBytes"], one["clSize"], one["asData"]) for one in map(bstr, TEXTS)]
    assert (found.Size, blobs) == (len(TEXTS), ours)


@BOTH
@pytest.mark.parametrize("name", ["SAFEARR_UNKNOWN", "SAFEARR_DISPATCH", "SAFEARR_HAVEIID"])
def test_objects(name: str, syntax: Syntax) -> None:
    pointer = "apDispatch" if name == "SAFEARR_DISPATCH" else "apUnknown"
    made = {"Size": 2, pointer: [REFERENCE, REFERENCE], "iid": c.DISPATCH}
    found = read(name, made, syntax)
    assert [one.abData for one in found.valueof(pointer)] == [REFERENCE, REFERENCE]
    if name == "SAFEARR_HAVEIID":
        assert f"{found.iid.Data1:08x}-{found.iid.Data2:04x}" == c.DISPATCH[:13]


@BOTH
def test_records(syntax: Syntax) -> None:
    found = read("SAFEARR_BRECORD", {"Size": 1, "aRecord": [RECORD]}, syntax)
    (one,) = found.valueof("aRecord")
    assert (one.valueof("pRecord"), one.valueof("pRecInfo").abData) == (RECORD["pRecord"], REFERENCE)


def test_variants() -> None:
    """Of 24 bytes each: scapy does not align them to 8, as Windows does behind a text ([MS-OAUT] 2.2.29.2)."""
    values = [variant(VT["VT_I4"], 7), variant(VT["VT_I4"], -8)]
    found = read("SAFEARR_VARIANT", arm("VT_VARIANT", values), Syntax.NDR)
    assert [(one.vt, one.valueof("_varUnion")) for one in found.valueof("aVariant")] == [(3, 7), (3, -8)]


def test_where_it_reads_a_variant_in_ndr64() -> None:
    stub = encode(
        request(Member("v", Named("SAFEARR_VARIANT"))),
        Direction.IN,
        {"v": arm("VT_VARIANT", [variant(VT["VT_I4"], 7)])},
        TYPES,
        Syntax.NDR64,
        "<",
    )
    (one,) = theirs.SAFEARR_VARIANT(stub, ndr64=True, ndrendian="little").valueof("aVariant")
    assert (one.vt, one.valueof("_varUnion")) == (3, 0), "the gap, not the value behind it"
    assert stub[-8:] == struct.pack("<Q", 7)
