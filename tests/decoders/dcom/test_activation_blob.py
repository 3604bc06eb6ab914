"""Types serialised by themselves, and the properties of an activation made of them."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decoders.dcom.activation_blob import ActivationBlob, ActivationProperty, encode_blob, parse_blob
from decoders.dcom.activation_properties import (
    PROPERTIES,
    TYPES,
    CustomHeader,
    InstantiationInfoData,
    LocationInfoData,
    SpecialPropertiesData,
    SpecialPropertiesData_Alternate,
)
from decoders.dcom.type_serialization import parse_headers, read_type, write_type
from tests.decoders.dcom.values import GUIDS, ORDERS, of_type
from tests.timing import quickest

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

NULL = "00000000-0000-0000-0000-000000000000"
SPECIAL, UNKNOWN = "000001b9-0000-0000-c000-000000000046", "11111111-2222-3333-4444-555555555555"
LOCATION = "000001a4-0000-0000-c000-000000000046"
KNOWN = st.sampled_from(sorted(PROPERTIES))
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def test_headers_by_hand() -> None:
    body = bytes.fromhex("00000000 01000000 02000000 03000000")
    data = bytes.fromhex("01 10 0800 cccccccc 10000000 00000000") + body
    value = {"machineName": None, "processId": 1, "apartmentId": 2, "contextId": 3}
    assert read_type(TYPES, LocationInfoData, data) == (value, "<", 32, ())
    assert write_type(TYPES, LocationInfoData, value, "<") == data
    big = bytes.fromhex("01 00 0800 cccccccc 00000010 00000000 00000000 00000001 00000002 00000003")
    assert read_type(TYPES, LocationInfoData, big) == (value, ">", 32, ())
    assert write_type(TYPES, LocationInfoData, value, ">") == big


def test_alignment_counts_from_behind_the_headers() -> None:
    """Reserved2 has 8 bytes and stands at 56 of its structure: 2.2.22.2.2."""
    value = dict.fromkeys((member.name for member in SpecialPropertiesData.members), 0)
    data = write_type(TYPES, SpecialPropertiesData, value | {"guidPartition": NULL, "Reserved3": [0] * 5}, "<")
    assert len(data) == 16 + 88
    marked = data[: 16 + 56] + b"\x07" + data[16 + 57 :]
    assert read_type(TYPES, SpecialPropertiesData, marked).value["Reserved2"] == 7


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("01100800 cccccccc 10000000", "the bytes end before the serialization headers do"),
        ("02100800 cccccccc 10000000 00000000", "serialization version 2, endianness 0x10, header of 8 bytes"),
        ("01200800 cccccccc 10000000 00000000", "serialization version 1, endianness 0x20, header of 8 bytes"),
        ("01100900 cccccccc 10000000 00000000", "serialization version 1, endianness 0x10, header of 9 bytes"),
        ("01100800 cccccccc 10000000 00000000 00", "16 bytes serialized, of which 1 are there"),
        ("01100800 cccccccc 01000000 00000000 00", "1 bytes serialized, no multiple of 8"),
    ],
)
def test_what_is_wrong_with_the_headers_is_told(data: str, problem: str) -> None:
    assert problem in parse_headers(bytes.fromhex(data)).problems


@settings(suppress_health_check=SLOW)
@given(st.data(), st.sampled_from(sorted(TYPES)), ORDERS, st.integers(0, 255))
def test_every_type_comes_back(data: st.DataObject, name: str, order: ByteOrder, fill: int) -> None:
    declared = TYPES[name]
    value = data.draw(of_type(declared, TYPES))
    written = write_type(TYPES, declared, value, order, fill=fill)
    assert len(written) % 8 == 0
    assert read_type(TYPES, declared, written + b"behind") == (value, order, len(written), ())


@st.composite
def blobs(draw: st.DrawFn) -> ActivationBlob:
    """Every property at most once; their sizes are found when they are written."""
    order = draw(ORDERS)
    properties = []
    for clsid in draw(st.lists(KNOWN | GUIDS, min_size=1, max_size=4, unique=True)):
        known = PROPERTIES.get(clsid)
        if known is None:
            size = draw(st.integers(0, 20))
            properties.append(ActivationProperty(clsid, None, b"?" * size, None, None, ()))
            continue
        own = draw(ORDERS)
        alternate = known.declared is SpecialPropertiesData and draw(st.booleans())
        declared = SpecialPropertiesData_Alternate if alternate else known.declared
        value = draw(of_type(declared, TYPES))
        data = write_type(TYPES, declared, value, own)
        properties.append(ActivationProperty(clsid, known.name, data, value, own, ()))
    clsids = [one.clsid for one in properties]
    header: dict[str, Any] = {
        "totalSize": 0, "headerSize": 0, "dwReserved": 0, "destCtx": 2, "cIfs": len(clsids), "classInfoClsid": NULL,
        "pclsid": clsids, "pSizes": [], "pdwReserved": None,
    }  # fmt: skip
    return ActivationBlob(None, 0, header, order, tuple(properties))


@settings(suppress_health_check=SLOW)
@given(blobs())
def test_a_blob_comes_back(made: ActivationBlob) -> None:
    data = encode_blob(made)
    found = parse_blob(data)
    assert found.all_problems == ()
    assert found.properties == made.properties
    assert found.size == len(data) - 8
    assert found.header
    assert found.header["totalSize"] == found.size
    assert encode_blob(found) == data


@settings(suppress_health_check=SLOW)
@given(blobs(), st.data())
def test_a_blob_cut_anywhere(made: ActivationBlob, data: st.DataObject) -> None:
    raw = encode_blob(made)
    found = parse_blob(raw[: data.draw(st.integers(0, len(raw) - 1))])
    assert found.all_problems
    for one, whole in zip(found.properties, made.properties, strict=False):
        assert (one.clsid, one.name) == (whole.clsid, whole.name)
        assert one.problems or one == whole


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    assert parse_blob(data).all_problems
    headed = struct.pack("<II", len(data), 0) + bytes.fromhex("01100800cccccccc") + data
    parse_blob(headed)


@settings(max_examples=300, suppress_health_check=SLOW)
@given(blobs(), st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 7)), min_size=1, max_size=6))
def test_flipped_bits(made: ActivationBlob, flips: list[tuple[int, int]]) -> None:
    raw = bytearray(encode_blob(made))
    for position, bit in flips:
        raw[position % len(raw)] ^= 1 << bit
    found = parse_blob(bytes(raw))
    assert len(found.properties) <= 4 or found.all_problems


def made(*properties: tuple[str, bytes]) -> bytes:
    clsids = [clsid for clsid, _ in properties]
    header: dict[str, Any] = {
        "totalSize": 0, "headerSize": 0, "dwReserved": 0, "destCtx": 2, "cIfs": len(clsids), "classInfoClsid": NULL,
        "pclsid": clsids, "pSizes": [], "pdwReserved": None,
    }  # fmt: skip
    parts = tuple(ActivationProperty(clsid, None, data, None, None, ()) for clsid, data in properties)
    return encode_blob(ActivationBlob(None, 0, header, "<", parts))


PLACE = write_type(TYPES, LocationInfoData, {"machineName": "a", "processId": 1, "apartmentId": 2, "contextId": 3}, "<")


@pytest.mark.parametrize(("size", "alternate"), [(88, False), (80, True)])
def test_the_size_tells_the_forms_of_special_properties_apart(size: int, alternate: bool) -> None:
    data = bytes.fromhex("01100800cccccccc") + struct.pack("<II", size, 0) + bytes(range(size))
    found = parse_blob(made((SPECIAL, data), (UNKNOWN, b"any bytes"), (LOCATION, PLACE)))
    assert found.all_problems == ()
    value = found.value_of("SpecialSystemProperties")
    assert value
    assert ("Reserved1" not in value) == alternate
    assert len(value["Reserved3"]) == (8 if alternate else 5)
    assert [one.name for one in found.properties] == ["SpecialSystemProperties", None, "ServerLocationInfo"]
    assert (found.value_of("ServerLocationInfo") or {})["machineName"] == "a"
    assert found.value_of("InstantiationInfo") is None


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"totalSize": 7}, "totalSize is 7, dwSize {size}"),
        ({"headerSize": 8}, "headerSize is 8, the header has {header} bytes"),
        ({"pSizes": [8]}, "totalSize is {size}, header and properties sum to {less}"),
        ({"cIfs": 2}, "2 properties, 1 sizes"),
        ({"cIfs": 11}, "CustomHeader: ndr-range at CustomHeader.cIfs: 11 is not within 1 to 10"),
        ({"pclsid": None}, "1 properties, 0 classes"),
        ({"pSizes": [100_000]}, "ServerLocationInfo: 100000 bytes, of which 48 are there"),
    ],
)
def test_sizes_that_do_not_fit_are_told(changed: dict[str, Any], problem: str) -> None:
    raw = made((LOCATION, PLACE))
    header = read_type(TYPES, CustomHeader, raw[8:])
    written = write_type(TYPES, CustomHeader, header.value | changed, "<")
    numbers = {"size": len(raw) - 8, "header": len(written), "less": len(raw) - 8 - len(PLACE) + 8}
    found = parse_blob(raw[:8] + written + PLACE)
    assert len(PLACE) == 48
    assert problem.format(**numbers) in found.all_problems
    if "headerSize" in changed:
        assert found.value_of("ServerLocationInfo")


def test_bytes_behind_a_blob_are_told() -> None:
    raw = made((LOCATION, PLACE))
    assert parse_blob(raw + bytes(8)).all_problems == (f"totalSize is {len(raw) - 8}, {len(raw)} bytes are there",)


def test_bytes_behind_a_property_are_told() -> None:
    longer = PLACE[:8] + struct.pack("<I", 40) + PLACE[12:] + bytes(8)
    assert parse_blob(made((LOCATION, longer))).all_problems == ("ServerLocationInfo: 8 bytes behind the value",)
    behind = parse_blob(made((LOCATION, PLACE + bytes(8))))
    assert behind.all_problems == ("ServerLocationInfo: 56 bytes, of which it takes 48",)


def test_a_blob_without_header_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="no header"):
        encode_blob(replace(ActivationBlob(), size=1))


def test_hostile_counts_are_cheap() -> None:
    header = bytearray(
        write_type(TYPES, CustomHeader, read_type(TYPES, CustomHeader, made((LOCATION, PLACE))[8:]).value, "<")
    )
    for at in range(16, len(header), 4):
        struct.pack_into("<I", header, at, 0xFFFFFFFF)
    data = struct.pack("<II", 0, 0) + bytes(header) + b"\xff" * 100_000
    _, seconds = quickest(lambda: parse_blob(data), 0.05)
    assert seconds < 0.05
    many = {"cIfs": 20_000, "pclsid": [LOCATION] * 20_000, "pSizes": [48] * 20_000}
    value = read_type(TYPES, CustomHeader, made((LOCATION, PLACE))[8:]).value
    large = struct.pack("<II", 0, 0) + write_type(TYPES, CustomHeader, value | many, "<") + PLACE * 100
    found, seconds = quickest(lambda: parse_blob(large), 0.1)
    assert seconds < 0.1
    assert len(found.properties) == 64


def test_a_wrong_number_of_interfaces_is_told() -> None:
    value = {
        "classId": NULL, "classCtx": 0, "actvflags": 0, "fIsSurrogate": 0, "cIID": 0, "instFlag": 0, "pIID": [],
        "thisSize": 0, "clientCOMVersion": {"MajorVersion": 5, "MinorVersion": 7},
    }  # fmt: skip
    data = write_type(TYPES, InstantiationInfoData, value, "<")
    assert "ndr-range" in read_type(TYPES, InstantiationInfoData, data).problems[0]
