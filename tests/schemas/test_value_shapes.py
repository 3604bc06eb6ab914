"""Values that were sent come out of Arrow as they were, for every operation; what differs is told here."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from decoders.interfaces import INTERFACES
from decoders.ndr.base_types import BYTE, CHAR, DOUBLE, DWORD, FLOAT, SIGNED_CHAR, ULONGLONG, UNSIGNED_CHAR, WCHAR
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import (
    Array,
    Direction,
    Guid,
    Interface,
    Member,
    Operation,
    Pointer,
    Scalar,
    String,
    Struct,
    Syntax,
    Type,
)
from decoders.registry import DCOM, REGISTRY
from schemas.idl_types import NO_PARAMETERS, PAYLOAD, IdlTypes
from schemas.value_shapes import ValueShapes
from tests.decoders.ndr.honest_values import Honest
from tests.decoders.ndr.operations import request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoders.ndr.interpreter import ByteOrder

EVERY = [
    pytest.param(interface, operation, direction, id=f"{operation.name}-{direction.name}")
    for interface in INTERFACES.values()
    if REGISTRY[interface.uuid].family not in DCOM  # COM's values are shown otherwise: test_com_shapes.
    for operation in interface.all_operations
    for direction in (Direction.IN, Direction.OUT)
]
_PAYLOAD = {field.name for field in PAYLOAD}


def _same(
    operation: Operation,
    direction: Direction,
    values: Sequence[Mapping[str, Any]],
    types: Mapping[str, Type],
    *,
    order: ByteOrder = "<",
    keep_payload: bool = False,
) -> pa.StructArray:
    """To the wire, back, and to Arrow."""
    members = operation.on_the_wire(direction)
    decode = compile_decoder(operation, direction, types, Syntax.NDR, order)
    shape = ValueShapes(types, keep_payload=keep_payload).of(members)
    stubs = [encode(operation, direction, one, types, Syntax.NDR, order, fill=0xA5) for one in values]
    result = pa.array([shape(decode(stub).values) for stub in stubs], IdlTypes(types).struct(members))
    result.validate(full=True)
    return result


def _sent(value: Any) -> Any:  # noqa: ANN401 - any value
    """What a peer sent, from what a table shows."""
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, dict):
        return value["bytes"] if value.keys() == _PAYLOAD else {name: _sent(inner) for name, inner in value.items()}
    return [_sent(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("interface", "operation", "direction"), EVERY)
def test_as_they_were_sent(interface: Interface, operation: Operation, direction: Direction, order: ByteOrder) -> None:
    honest = Honest(interface.types, random.Random(f"{operation.name} {direction}"))
    members = operation.on_the_wire(direction)
    values = [honest.members(members) for _ in range(30)]
    shown = _same(operation, direction, values, interface.types, order=order, keep_payload=True).to_pylist()
    assert [_sent(row) for row in shown] == ([*values] if members else [{NO_PARAMETERS.name: True}] * len(values))


def test_two_pointers_to_one_value() -> None:
    part = Struct("PART", (Member("m", Pointer(Array(BYTE, size_is="3")), payload=True),))
    shape = ValueShapes({}).of((Member("a", Pointer(part)), Member("b", Pointer(part))))
    shared = {"m": b"abc"}
    shown = shape({"a": shared, "b": shared})
    assert shown["a"] == shown["b"]
    assert shown["a"]["m"]["size"] == 3
    assert shared == {"m": b"abc"}


def test_a_message_is_its_size_and_hash_unless_asked_for() -> None:
    payload = Member("m", Pointer(Array(UNSIGNED_CHAR, size_is="n")), payload=True)
    values: list[dict[str, Any]] = [{"m": b"abc"}, {"m": None}, {"m": b""}]
    (full, null, empty) = _same(request(payload), Direction.IN, values, {}).to_pylist()
    assert full["m"] == {
        "size": 3,
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "packet_size": None,
        "bytes": None,
    }
    assert null["m"] is None
    assert empty["m"]["size"] == 0
    (full, null, _) = _same(request(payload), Direction.IN, values, {}, keep_payload=True).to_pylist()
    assert (full["m"]["bytes"], null["m"]) == (b"abc", None)


@pytest.mark.parametrize("keep_payload", [False, True])
def test_messages_within_a_list_and_behind_two_pointers_are_treated_so_too(keep_payload: bool) -> None:
    part = Struct("PART", (Member("n", DWORD), Member("m", Pointer(Array(BYTE, size_is="n")), payload=True)))
    operation = request(
        Member("k", DWORD),
        Member("parts", Pointer(Array(part, size_is="k"))),
        Member("body", Pointer(Pointer(Array(BYTE, size_is="3"))), payload=True),
    )
    value = {"k": 2, "parts": [{"n": 3, "m": b"abc"}, {"n": 0, "m": None}], "body": b"abc"}
    nothing = {"k": 0, "parts": None, "body": None}
    full, null = _same(operation, Direction.IN, [value, nothing], {}, keep_payload=keep_payload).to_pylist()
    sizes = [one["m"] and one["m"]["size"] for one in full["parts"]]
    kept = [one["m"] and one["m"]["bytes"] for one in full["parts"]]
    assert (sizes, full["body"]["size"]) == ([3, None], 3)
    assert (kept, full["body"]["bytes"]) == (([b"abc", None], b"abc") if keep_payload else ([None, None], None))
    assert (null["parts"], null["body"]) == (None, None)


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_buffer_of_characters(order: ByteOrder) -> None:
    operation = request(Member("n", DWORD), Member("p", Pointer(Array(WCHAR, size_is="n"))))
    texts = ["", "plain", "in\0side", "a\U0001f4e8b"]
    values = [{"n": 9, "p": text} for text in texts]
    result = _same(operation, Direction.IN, values, {}, order=order)
    assert [row["p"] for row in result.to_pylist()] == texts


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("of", "texts"),
    [
        (CHAR, ["", "plain", "caf\xe9 \xff"]),
        (WCHAR, ["", "plain", "caf\xe9", "\u20ac\uffff\u0800\u07ff\u0080\u007f"]),
        (WCHAR, ["a\U0001f4e8b", "plain"]),
        (WCHAR, ["lone \ud800", "\udc00 low", "plain"]),
    ],
)
def test_text(of: Scalar, texts: list[str], order: ByteOrder) -> None:
    operation = request(Member("p", Pointer(String(of))))
    values = [{"p": text} for text in texts] + [{"p": None}] * (4 - len(texts))
    result = _same(operation, Direction.IN, values, {}, order=order)
    written = [text.encode("utf-8", "backslashreplace").decode() for text in texts]
    assert [row["p"] for row in result.to_pylist()] == written + [None] * (4 - len(texts))


def test_numbers_that_arrow_and_python_see_differently() -> None:
    operation = request(
        Member("u", ULONGLONG), Member("s", SIGNED_CHAR), Member("f", FLOAT), Member("d", DOUBLE), Member("g", Guid())
    )
    guid = "00112233-4455-6677-8899-aabbccddeeff"
    values = [
        {"u": 2**64 - 1, "s": -128, "f": 0.1, "d": 0.1, "g": guid},
        {"u": 0, "s": 127, "f": -0.0, "d": 1e300, "g": guid},
    ]
    first = _same(operation, Direction.IN, values, {}, order=">")[0].as_py()
    assert (int(first["u"]), first["s"], first["g"]) == (2**64 - 1, -128, guid)


def test_no_rows() -> None:
    operation = request(Member("p", Pointer(String(WCHAR))))
    assert len(_same(operation, Direction.IN, [], {})) == 0
