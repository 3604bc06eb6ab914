"""What the values of a VARIANT mean, and how they are shown."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from decoders.dcom.pointers import interface_pointers
from decoders.ndr.model import ObjrefBytes
from decoders.oaut.building import bstr, byte_array, safearray, variant
from decoders.oaut.names import VT
from decoders.oaut.texts import variant_text, variant_type, variant_value
from decoders.oaut.values import bstr_value, currency_text, date_text, decimal_text
from decoders.oaut.variant import VT_ARRAY, VT_BYREF

OBJREF = ObjrefBytes(b"MEOW" + bytes(72))
DISP_E_PARAMNOTFOUND = 0x80020004


def decimal(number: int, scale: int, sign: int = 0) -> dict[str, int]:
    return {"wReserved": 14, "scale": scale, "sign": sign, "Hi32": number >> 64, "Lo64": number & (1 << 64) - 1}


@pytest.mark.parametrize(
    ("vt", "name"),
    [
        (3, "VT_I4"),
        (0, "VT_EMPTY"),
        (0x2011, "VT_ARRAY|VT_UI1"),
        (0x400C, "VT_BYREF|VT_VARIANT"),
        (0x6008, "VT_BYREF|VT_ARRAY|VT_BSTR"),
        (0x2000, "VT_ARRAY"),
        (0x00FE, "0x00FE"),
        (0x1011, "0x1011"),
        (0x20FE, "VT_ARRAY|0x00FE"),
    ],
)
def test_a_type_has_a_name(vt: int, name: str) -> None:
    assert variant_type(vt) == name


VALUES: list[tuple[str, Any, object, str]] = [
    ("VT_EMPTY", None, None, ""),
    ("VT_NULL", None, None, "null"),
    ("VT_I4", -5, -5, "-5"),
    ("VT_UI8", 2**64 - 1, 2**64 - 1, "18446744073709551615"),
    ("VT_R8", 0.5, 0.5, "0.5"),
    ("VT_BOOL", -1, True, "true"),
    ("VT_BOOL", 0, False, "false"),
    ("VT_ERROR", DISP_E_PARAMNOTFOUND, DISP_E_PARAMNOTFOUND, "0x80020004"),
    ("VT_CY", {"int64": 52500}, "5.2500", "5.2500"),
    ("VT_DATE", 5.25, "1900-01-04T06:00:00", "1900-01-04T06:00:00"),
    ("VT_DECIMAL", decimal(12345, 2, 0x80), "-123.45", "-123.45"),
    ("VT_BSTR", bstr("a\nb"), "a\nb", "a\\nb"),
    ("VT_BSTR", bstr(""), "", ""),
    ("VT_BSTR", bstr(None), None, "null"),
    ("VT_BSTR", None, None, "null"),
    ("VT_BSTR", bstr(b"\x01\x02\x03"), "010203", "010203"),
    ("VT_DISPATCH", OBJREF, OBJREF, "object reference of 76 bytes"),
    ("VT_UNKNOWN", None, None, "null"),
    ("VT_RECORD", {"fFlags": 1, "clSize": 2, "pRecInfo": None, "pRecord": b"ab"}, b"ab", "6162"),
]


@pytest.mark.parametrize(("label", "sent", "value", "text"), VALUES)
def test_a_value_and_its_text(label: str, sent: Any, value: object, text: str) -> None:  # noqa: ANN401 - of any type
    made = variant(VT[label], sent)
    assert variant_value(made) == value
    assert type(variant_value(made)) is type(value)
    assert variant_text(made) == text


BY_REFERENCE = [one for one in VALUES if one[0] not in ("VT_EMPTY", "VT_NULL")]


@pytest.mark.parametrize(("label", "sent", "value", "text"), BY_REFERENCE)
def test_by_reference_it_is_the_same(label: str, sent: Any, value: object, text: str) -> None:  # noqa: ANN401
    made = variant(VT_BYREF | VT[label], sent)
    assert (variant_value(made), variant_text(made)) == (value, text)
    around = variant(VT_BYREF | VT["VT_VARIANT"], variant(VT[label], sent))
    assert (variant_value(around), variant_text(around)) == (value, text)


@pytest.mark.parametrize(
    ("element", "sent", "value", "text"),
    [
        ("VT_UI1", b"abc", b"abc", "616263"),
        ("VT_UI1", b"", b"", ""),
        ("VT_I1", [-1, 2], [-1, 2], "[-1, 2]"),
        ("VT_UI2", [65535], [65535], "[65535]"),
        ("VT_BOOL", [-1, 0], [True, False], "[true, false]"),
        ("VT_UI4", [2**32 - 1], [2**32 - 1], "[4294967295]"),
        ("VT_ERROR", [0x80004005], [0x80004005], "[0x80004005]"),
        ("VT_R4", [0.5], [0.5], "[0.5]"),
        ("VT_CY", [-1], ["-0.0001"], "[-0.0001]"),
        ("VT_DATE", [0.0], ["1899-12-30T00:00:00"], "[1899-12-30T00:00:00]"),
        ("VT_BSTR", [bstr("q"), bstr(None)], ["q", None], '["q", null]'),
        ("VT_UNKNOWN", [OBJREF, None], [OBJREF, None], "[object reference of 76 bytes, null]"),
        ("VT_VARIANT", [variant(3, 7), variant(8, bstr("x"))], [7, "x"], '[7, "x"]'),
        ("VT_VARIANT", [byte_array(b"a"), None], [b"a", None], "[61, ]"),
    ],
)
def test_an_array(element: str, sent: Any, value: object, text: str) -> None:  # noqa: ANN401
    made = variant(VT_ARRAY | VT[element], safearray(element, sent))
    assert (variant_value(made), variant_text(made)) == (value, text)


def test_a_text_that_was_cut_within_a_character_is_told_so_far() -> None:
    whole = bstr("orders")
    assert [bstr_value(whole | {"asData": whole["asData"][:size]}) for size in (5, 4, 1)] == ["or", "or", ""]


def test_an_array_says_itself_what_its_elements_are() -> None:
    """The variant's word counts where the array has none."""
    array = safearray("VT_R4", [0.5])
    assert variant_value(variant(VT_ARRAY | VT["VT_I4"], array)) == [0.5]
    array["fFeatures"] = 0
    assert variant_value(variant(VT_ARRAY | VT["VT_R4"], array)) == [0.5]
    assert variant_value(variant(VT_ARRAY | VT["VT_I4"], array)) == [0x3F000000]
    assert variant_value(variant(VT_ARRAY | VT["VT_R8"], array)) == [0x3F000000]


def test_an_array_without_elements_may_lack_its_pointer() -> None:
    array = safearray("VT_UI1", b"")
    array["uArrayStructs"]["u"]["ByteStr"]["pData"] = None
    assert variant_value(variant(VT_ARRAY | VT["VT_UI1"], array)) == b""
    array["uArrayStructs"]["u"]["ByteStr"]["clSize"] = 1
    assert variant_value(variant(VT_ARRAY | VT["VT_UI1"], array)) is None


@pytest.mark.parametrize("nothing", [None, 5, {}, {"vt": None}, {"vt": 8, "_varUnion": None}, {"vt": 0x2011}])
def test_what_was_not_reached_has_no_value(nothing: object) -> None:
    assert variant_value(nothing) is None
    assert variant_text(nothing) in ("", "null")


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (-1.25, "1899-12-29T06:00:00"),
        (45000.123456, "2023-03-15T02:57:46.598"),
        (2958465.75, "9999-12-31T18:00:00"),
        (2958466.0, "2958466.0"),
        (-693593.0, "0001-01-01T00:00:00"),
        (-693594.0, "-693594.0"),
        (2958465.999999999, "2958465.999999999"),
    ],
)
def test_a_date(days: float, text: str) -> None:
    assert date_text(days) == text


@given(st.floats())
@example(math.nan)
@example(math.inf)
@example(2958465.999999999)
@example(-693593.999999999)
def test_any_number_has_a_text_as_a_date(days: float) -> None:
    text = date_text(days)
    assert "T" not in text or datetime.fromisoformat(text)


@given(st.integers(0, 2**96 - 1), st.integers(0, 255), st.integers(0, 255))
def test_any_decimal_has_a_text(number: int, scale: int, sign: int) -> None:
    text = decimal_text(decimal(number, scale, sign))
    assert text
    assert int(text.replace(".", "")) == (-number if sign & 0x80 else number)
    assert len(text.partition(".")[2]) == scale


@given(st.integers(-(2**63), 2**63 - 1))
def test_any_currency_has_a_text(number: int) -> None:
    text = currency_text({"int64": number})
    assert text
    assert int(text.replace(".", "")) == number


def test_objects_are_found_wherever_they_are() -> None:
    first, second, third = (ObjrefBytes(bytes((number,))) for number in range(3))
    values = {
        "a": variant(VT["VT_DISPATCH"], first),
        "b": [variant(VT_ARRAY | VT["VT_VARIANT"], safearray("VT_VARIANT", [variant(VT["VT_UNKNOWN"], second)]))],
        "c": {"d": third, "e": b"MEOW", "f": None, "g": "MEOW"},
    }
    assert list(interface_pointers(values)) == [first, second, third]
    assert list(interface_pointers(first)) == [first]
    assert list(interface_pointers(b"MEOW")) == []
