"""COM's values in tables."""

from __future__ import annotations

import hashlib
import random
import uuid
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pytest

from decoders.dcom.dual_strings import build_dual_strings
from decoders.dcom.objref import ObjRef, StdObjRef, encode_objref
from decoders.interfaces import INTERFACES, dispatch
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import decode
from decoders.ndr.model import (
    CutBytes,
    Direction,
    InterfacePointer,
    Member,
    Named,
    ObjrefBytes,
    Pointer,
    PointerKind,
    Syntax,
)
from decoders.oaut.building import bstr, byte_array, safearray, variant
from decoders.oaut.declarations import TYPES
from decoders.oaut.names import VT
from decoders.oaut.types import IID_IDISPATCH
from decoders.oaut.variant import VT_ARRAY, VT_BYREF
from decoders.registry import DCOM, REGISTRY
from schemas.com_shapes import VARIANT, variant_row
from schemas.idl_types import IdlTypes
from schemas.model import STRING
from schemas.value_shapes import ValueShapes, payload
from tests.decoders.ndr.honest_values import Honest
from tests.decoders.ndr.operations import request
from tests.every import each
from tests.timing import quickest

if TYPE_CHECKING:
    from decoders.ndr.model import Interface, Operation, Type


class Shaped(NamedTuple):
    name: str
    interface: Interface
    operation: Operation
    direction: Direction


EVERY = [
    Shaped(f"{interface.name}-{operation.name}-{direction.name}", interface, operation, direction)
    for interface in INTERFACES.values()
    if REGISTRY[interface.uuid].family in DCOM
    for operation in interface.operations
    for direction in (Direction.IN, Direction.OUT)
]


def shown(declared: Type, value: object, *, payload: bool = False, keep: bool = False) -> Any:  # noqa: ANN401 - a cell
    members = (Member("p", declared, payload=payload),)
    stub = encode(request(*members), Direction.IN, {"p": value}, TYPES, Syntax.NDR, "<")
    decoded = decode(request(*members), Direction.IN, stub, TYPES, Syntax.NDR, "<")
    row = ValueShapes(TYPES, keep_payload=keep).of(members)(decoded.values)
    (cell,) = pa.array([row], IdlTypes(TYPES).struct(members)).to_pylist()
    return cell["p"]


V = Pointer(Named("VARIANT"), PointerKind.REF)


def test_a_variant_is_its_type_and_a_short_text() -> None:
    assert shown(V, variant(VT["VT_I4"], 5)) == {"vt": 3, "type": "VT_I4", "value": "5", "size": None, "sha256": None}
    assert shown(V, None) is None


def test_bytes_have_a_hash() -> None:
    digest = hashlib.sha256(b"abc").hexdigest()
    expected = {"vt": 0x2011, "type": "VT_ARRAY|VT_UI1", "value": "616263", "size": 3, "sha256": digest}
    assert shown(V, byte_array(b"abc")) == expected
    assert shown(V, byte_array(b""))["sha256"] == hashlib.sha256(b"").hexdigest()


def test_a_record_and_bytes_by_reference_have_one_too() -> None:
    record = variant(VT["VT_RECORD"], {"fFlags": 1, "clSize": 3, "pRecInfo": None, "pRecord": b"abc"})
    for made in (record, variant(VT_BYREF | VT["VT_VARIANT"], byte_array(b"abc"))):
        assert (shown(V, made)["size"], shown(V, made)["sha256"]) == (3, hashlib.sha256(b"abc").hexdigest())


def test_a_large_array_is_counted_not_listed() -> None:
    numbers = variant(VT_ARRAY | VT["VT_I4"], safearray("VT_I4", range(500_000)))
    row, seconds = quickest(lambda: variant_row(numbers), 0.01)
    assert row["size"] == 500_000
    assert seconds < 0.01


def test_a_message_is_not_shown_unless_asked_for() -> None:
    hidden = shown(V, byte_array(b"abc"), payload=True)
    assert (hidden["value"], hidden["size"]) == (None, 3)
    assert hidden["sha256"]
    assert shown(V, byte_array(b"abc"), payload=True, keep=True)["value"] == "616263"


@pytest.mark.parametrize(
    ("made", "size"),
    [
        (variant(VT["VT_BSTR"], bstr(None)), None),
        (variant(VT_ARRAY | VT["VT_I4"], safearray("VT_I4", [1, 2, 3])), 3),
        (variant(VT_ARRAY | VT["VT_BSTR"], safearray("VT_BSTR", [bstr("a"), bstr(None)])), 2),
        (variant(VT["VT_DISPATCH"], ObjrefBytes(b"MEOW")), 4),
        (variant(VT["VT_UNKNOWN"], None), None),
    ],
)
def test_the_size_of_others(made: dict[str, Any], size: int | None) -> None:
    row = shown(V, made)
    assert (row["size"], row["sha256"]) == (size, None)


@pytest.mark.parametrize(
    "made",
    [
        variant(VT["VT_BSTR"], bstr("ab")),
        variant(VT_BYREF | VT["VT_BSTR"], bstr("ab")),
        variant(VT_BYREF | VT["VT_VARIANT"], variant(VT["VT_BSTR"], bstr("ab"))),
    ],
)
def test_a_text_is_hashed_as_it_was_sent(made: dict[str, Any]) -> None:
    """Scripts send bodies as text."""
    row = shown(V, made)
    assert (row["size"], row["sha256"]) == (4, hashlib.sha256(b"a\0b\0").hexdigest())


def test_a_text_that_was_cut_has_no_hash() -> None:
    made = bstr("ab") | {"asData": CutBytes(b"a\0")}
    assert shown(V, variant(VT["VT_BSTR"], bstr("ab")) | {"_varUnion": {"bstrVal": made}})["sha256"] is None


def test_a_text_that_is_a_message_is_not_shown_unless_asked_for() -> None:
    digest = hashlib.sha256(b"a\0").hexdigest()
    hidden = {"size": 2, "sha256": digest, "packet_size": None, "bytes": None}
    assert payload(bstr("a"), keep=False) == hidden
    assert payload(bstr("a"), keep=True) == hidden | {"bytes": b"a\0"}
    assert payload(bstr(None), keep=True) is None


@pytest.mark.parametrize(
    ("data", "text"),
    [("ab", "ab"), ("", ""), (None, None), (b"\1\2\3", "010203")],
    ids=["text", "empty", "null", "odd"],
)
def test_a_bstr_is_text(data: str | bytes | None, text: str | None) -> None:
    assert shown(Named("BSTR"), bstr(data)) == text
    assert IdlTypes(TYPES).struct((Member("p", Named("BSTR")),)).field("p").type == STRING


def test_an_interface_pointer() -> None:
    pointer = InterfacePointer("IUnknown")
    std = StdObjRef(0, 5, 0x1234, 0xABCD, str(uuid.UUID(int=9)))
    data = encode_objref(ObjRef(1, IID_IDISPATCH, std, bindings=build_dual_strings((), ())))
    row = shown(pointer, ObjrefBytes(data))
    assert (row["form"], row["interface"], row["oxid"], row["oid"]) == (
        "standard",
        "IDispatch",
        "0000000000001234",
        "000000000000abcd",
    )
    assert (row["ipid"], row["public_refs"], row["size"], row["activates"]) == (std.ipid, 5, len(data), None)
    damaged = shown(pointer, ObjrefBytes(b"MEOW"))
    assert (damaged["size"], damaged["iid"], damaged["form"]) == (4, None, None)
    assert shown(pointer, None) is None


def test_every_variant_of_invoke_is_a_plain_column() -> None:
    operation = dispatch.OPERATIONS[3]
    types = IdlTypes(TYPES).struct(operation.on_the_wire(Direction.IN))
    assert types.field("pDispParams").type.field("rgvarg").type == pa.list_(VARIANT)
    assert types.field("rgVarRef").type == pa.list_(VARIANT)


def test_any_values_fit() -> None:
    each(EVERY, attrgetter("name"), _any_values_fit)


def _any_values_fit(one: Shaped) -> None:
    _, interface, operation, direction = one
    honest = Honest(interface.types, random.Random(one.name))
    members = operation.on_the_wire(direction)
    shape = ValueShapes(interface.types).of(members)
    rows = []
    for _ in range(20):
        values = honest.members(members)
        stub = encode(operation, direction, values, interface.types, Syntax.NDR, "<")
        rows.append(shape(decode(operation, direction, stub, interface.types, Syntax.NDR, "<").values))
    column = pa.array(rows, IdlTypes(interface.types).struct(members))
    column.validate(full=True)
    assert len(column) == len(rows)
