"""What stands in front of a COM call's parameters."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcom.error_info import ERROR_OBJECT, ErrorInfo, build_error_info, parse_error_info
from decoders.dcom.objref import CustomData, Form, ObjRef, encode_objref
from decoders.dcom.orpc import (
    CONTEXT_EXTENSION,
    ERROR_EXTENSION,
    extents_of,
    looks_like_orpcthis,
    read_implicit,
    write_implicit,
)
from decoders.dcom.types import ORPCTHAT, ORPCTHIS, TYPES
from decoders.limits import MAX_ERROR_TEXT_BYTES, MAX_ORPC_EXTENTS
from decoders.ndr.model import Direction
from tests.decoders.dcom.values import GUIDS, ORDERS, TEXTS, U32, of_type
from tests.timing import quickest

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

CID = "3b5ffc7c-b092-4475-a3e3-e4d53df481df"
THIS = bytes.fromhex("0500 0700 00000000 00000000 7cfc5f3b 92b0 7544 a3e3e4d53df481df 00000000")
IMPLICIT = {Direction.IN: ORPCTHIS, Direction.OUT: ORPCTHAT}
DIRECTIONS = st.sampled_from([Direction.IN, Direction.OUT])


def error_extent(info: ErrorInfo) -> bytes:
    custom = CustomData(0, 0, build_error_info(info))
    return encode_objref(ObjRef(Form.CUSTOM, CID, clsid=ERROR_OBJECT, custom=custom))


def extent(identifier: str, data: bytes) -> dict[str, Any]:
    return {"id": identifier, "size": len(data), "data": data + bytes(-len(data) % 8)}


def that(*extents: dict[str, Any]) -> dict[str, Any]:
    padded = [*extents, *[None] * (len(extents) % 2)]
    return {"flags": 0, "extensions": {"size": len(extents), "reserved": 0, "extent": padded}}


def test_orpcthis_by_hand() -> None:
    found = read_implicit(Direction.IN, THIS + b"parameters", "<")
    assert found.value == {
        "version": {"MajorVersion": 5, "MinorVersion": 7},
        "flags": 0,
        "reserved1": 0,
        "cid": CID,
        "extensions": None,
    }
    assert (found.size, found.complete, found.problems) == (32, True, ())


def test_extensions_by_hand() -> None:
    """One extent: the array has two places, and data is filled up to a multiple of 8."""
    stub = bytes.fromhex(
        "00000000 00000200"
        "01000000 00000000 04000200"
        "02000000 08000200 00000000"
        "08000000 44444444 3333 2222 1111111111111111 03000000 616263 0000000000"
    )
    found = read_implicit(Direction.OUT, stub + b"\x01\x00\x00\x00", "<")
    assert (found.size, found.problems) == (len(stub), ())
    assert len(stub) % 8 == 0
    (one,) = extents_of(found.value)
    assert (one.id, one.name, one.size, one.error) == ("44444444-3333-2222-1111-111111111111", None, 3, None)


@pytest.mark.parametrize(
    ("at", "value", "looks"),
    [
        (0, b"\x05\x00\x00\x00", True),
        (0, b"\x05\x00\x07\x00", True),
        (0, b"\x05\x00\x08\x00", False),
        (0, b"\x04\x00\x07\x00", False),
        (4, b"\x01\x00\x00\x00", False),
        (8, b"\x01\x00\x00\x00", False),
        (12, b"\xff" * 16, True),
        (28, b"\x00\x00\x02\x00", True),
    ],
)
def test_what_looks_like_orpcthis(at: int, value: bytes, looks: bool) -> None:
    stub = THIS[:at] + value + THIS[at + len(value) :]
    assert looks_like_orpcthis(stub, "<") == looks
    assert not looks_like_orpcthis(stub, ">")
    assert not looks_like_orpcthis(stub[:31], "<")


@given(st.data(), DIRECTIONS, ORDERS, st.integers(0, 255))
def test_both_come_back(data: st.DataObject, direction: Direction, order: ByteOrder, fill: int) -> None:
    value = data.draw(of_type(IMPLICIT[direction], TYPES))
    written = write_implicit(direction, value, order, fill=fill)
    found = read_implicit(direction, written + b"\xff" * 5, order)
    assert (found.value, found.problems, found.size, found.complete) == (value, (), len(written), True)
    assert len(written) % 8 == 0 or value["extensions"] is not None
    cut = read_implicit(direction, written[: data.draw(st.integers(0, len(written) - 1))], order)
    assert not cut.complete
    extents_of(cut.value)


@given(st.binary(max_size=150), DIRECTIONS, ORDERS)
def test_any_bytes(stub: bytes, direction: Direction, order: ByteOrder) -> None:
    for data in (stub, THIS[:28] + stub):
        found = read_implicit(direction, data, order)
        assert found.size <= len(data)
        extents_of(found.value)


@given(U32, GUIDS, st.none() | TEXTS, st.none() | TEXTS, st.none() | TEXTS, ORDERS)
def test_error_information_comes_back(
    help_context: int, iid: str, source: str | None, text: str | None, file: str | None, order: ByteOrder
) -> None:
    info = ErrorInfo(0, help_context, iid, source, text, file)
    value = that(extent(CONTEXT_EXTENSION, b"1234"), extent(CID, b""), extent(ERROR_EXTENSION, error_extent(info)))
    found = read_implicit(Direction.OUT, write_implicit(Direction.OUT, value, order), order)
    assert found.problems == ()
    context, unknown, error = extents_of(found.value)
    assert (context.name, unknown.name, error.name) == ("context", None, "error information")
    assert (context.error, unknown.error, error.error) == (None, None, info)


def test_error_information_by_hand() -> None:
    data = bytes.fromhex(
        "00000000 09000000 44444444 3333 2222 1111111111111111"
        "ffffffff 03000000 00000000 03000000 6100 6200 0000"
        "00000000"
        "ffffffff 01000000 00000000 01000000 0000"
    )
    raw = encode_objref(ObjRef(Form.CUSTOM, CID, clsid=ERROR_OBJECT, custom=CustomData(0, 0, data)))
    assert parse_error_info(raw) == ErrorInfo(0, 9, "44444444-3333-2222-1111-111111111111", "ab", None, "")


INFO = ErrorInfo(0, 1, CID, "source", "description", "file")


@pytest.mark.parametrize(
    ("at", "value", "problem"),
    [
        (0, 1, "version 1, not 0"),
        (24, 5, "source: signature 0x5"),
        (28, 3, "source: 7 characters of 3 from 0, 80 bytes"),
        (32, 1, "source: 7 characters of 7 from 1, 80 bytes"),
        (36, 0x7FFFFFFF, "source: 2147483647 characters of 7 from 0, 80 bytes"),
    ],
)
def test_what_is_wrong_with_error_information_is_told(at: int, value: int, problem: str) -> None:
    data = bytearray(build_error_info(INFO))
    struct.pack_into("<I", data, at, value)
    raw = encode_objref(ObjRef(Form.CUSTOM, CID, clsid=ERROR_OBJECT, custom=CustomData(0, 0, bytes(data))))
    found = parse_error_info(raw)
    assert found.problems == (problem,)
    assert found.iid == CID


def test_an_extent_ends_where_its_size_says() -> None:
    whole = extent(ERROR_EXTENSION, error_extent(INFO))
    (found,) = extents_of(that(whole | {"size": whole["size"] - 2}))
    assert found.error
    assert found.error.description == "description"
    assert found.error.problems == ("help file: 5 characters of 5 from 0, 8 bytes",)


def test_error_information_of_another_class_is_not_read() -> None:
    raw = encode_objref(ObjRef(Form.CUSTOM, CID, clsid=CID, custom=CustomData(0, 0, build_error_info(INFO))))
    assert parse_error_info(raw) == ErrorInfo(problems=(f"class {CID}, not {ERROR_OBJECT}",))


@given(st.integers(0, 300))
def test_error_information_cut_anywhere(cut: int) -> None:
    raw = error_extent(INFO)
    found = parse_error_info(raw[:cut])
    assert bool(found.problems) == (cut < len(raw))
    assert found.source in (None, "source")


def test_hostile_extensions_are_cheap() -> None:
    many = that(*[extent(CONTEXT_EXTENSION, b"")] * 20_000)
    stub = write_implicit(Direction.OUT, many, "<")
    found, seconds = quickest(lambda: read_implicit(Direction.OUT, stub, "<"), 1.0)
    assert seconds < 1.0
    assert len(extents_of(found.value)) == MAX_ORPC_EXTENTS
    lying = bytes.fromhex("00000000 00000200 ffffffff 00000000 04000200 ffffffff") + b"\x01" * 400
    found, seconds = quickest(lambda: read_implicit(Direction.OUT, lying, "<"), 0.05)
    assert seconds < 0.05
    assert not found.complete


def test_hostile_texts_are_cheap() -> None:
    surrogates = build_error_info(INFO)[:24] + struct.pack("<IIII", 0xFFFFFFFF, 500_000, 0, 500_000)
    data = surrogates + b"\x00\xd8" * 500_000 + bytes(8)
    raw = encode_objref(ObjRef(Form.CUSTOM, CID, clsid=ERROR_OBJECT, custom=CustomData(0, 0, data)))
    found, seconds = quickest(lambda: parse_error_info(raw), 0.1)
    assert seconds < 0.1
    assert found.source == "\\ud800" * (MAX_ERROR_TEXT_BYTES // 2)
