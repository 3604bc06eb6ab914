"""Variants: names of types, the value inside, and a text that stays short and harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.interfaces import mqmq
from decoders.limits import MAX_READABLE_CHARACTERS
from decoders.msmq.variants import inner_variants, variant_text, variant_value, vt_name, vt_number
from tests.decoders.msmq.values import variant

if TYPE_CHECKING:
    from collections.abc import Iterator

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"


@pytest.mark.parametrize(
    ("vt", "name"),
    [
        (0, "VT_EMPTY"),
        (31, "VT_LPWSTR"),
        (0x101F, "VT_VECTOR|VT_LPWSTR"),
        (0x100C, "VT_VECTOR|VT_VARIANT"),
        (0x1000, "VT_VECTOR"),
        (8, "0x0008"),
        (0x1008, "VT_VECTOR|0x0008"),
        (0xFFFF, "VT_VECTOR|0xEFFF"),
    ],
)
def test_a_type_has_its_name(vt: int, name: str) -> None:
    assert vt_name(vt) == name


@given(st.sampled_from([name for name, _ in mqmq.VARENUM.members]), st.booleans())
def test_names_and_numbers_are_inverse(name: str, vector: bool) -> None:
    vt = vt_number(name) | (0x1000 if vector and name != "VT_EMPTY" else 0)
    assert vt_number(vt_name(vt)) == vt


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("VT_EMPTY", None, ""),
        ("VT_NULL", None, "null"),
        ("VT_I1", -1, "-1"),
        ("VT_UI8", 2**64 - 1, "18446744073709551615"),
        ("VT_BOOL", -1, "true"),
        ("VT_BOOL", 0, "false"),
        ("VT_CLSID", GUID, GUID),
        ("VT_LPWSTR", "LOCAL CONNECTION", "LOCAL CONNECTION"),
        ("VT_LPWSTR", None, "null"),
        ("VT_LPWSTR", "a\nb\x1b[31m\u202e", r"a\nb\x1b[31m\u202e"),
        ("VT_BLOB", b"\x01\xff", "01ff"),
        ("VT_BLOB", b"", ""),
        ("VT_VECTOR|VT_UI1", b"\x00\x01", "0001"),
        ("VT_VECTOR|VT_UI4", [1, 2], "[1, 2]"),
        ("VT_VECTOR|VT_UI4", [], "[]"),
        ("VT_VECTOR|VT_LPWSTR", ["a", None], '["a", null]'),
        ("VT_VECTOR|VT_VARIANT", [variant("VT_UI4", 7), variant("VT_VECTOR|VT_LPWSTR", ["x"])], '[7, ["x"]]'),
    ],
)
def test_a_value_has_its_text(name: str, value: object, text: str) -> None:
    assert variant_text(variant(name, value)) == text


def test_the_value_comes_without_the_structure_around_it() -> None:
    assert variant_value(variant("VT_BLOB", b"ab")) == b"ab"
    assert variant_value(variant("VT_VECTOR|VT_UI4", [1])) == [1]
    assert variant_value(variant("VT_VECTOR|VT_UI4", [])) == []
    assert variant_value(variant("VT_VECTOR|VT_UI1", b"")) == b""
    unreached = variant("VT_VECTOR|VT_UI4", [1])
    unreached["_varUnion"] = {"caul": {"cElems": 3, "pElems": None}}
    assert variant_value(unreached) is None
    assert variant_value({"vt": 8, "_varUnion": {}}) is None
    assert variant_value(None) is None


def test_variants_inside_are_found_only_in_a_vector_of_variants() -> None:
    inner = [variant("VT_UI4", 7)]
    assert inner_variants(variant("VT_VECTOR|VT_VARIANT", inner)) == inner
    assert inner_variants(variant("VT_VECTOR|VT_UI4", [7])) is None


@pytest.mark.parametrize(
    "long",
    [
        variant("VT_LPWSTR", "a" * 100_000),
        variant("VT_LPWSTR", "\0" * 100_000),
        variant("VT_BLOB", b"a" * 100_000),
        variant("VT_VECTOR|VT_UI4", [1] * 1_000_000),
        variant("VT_VECTOR|VT_LPWSTR", ["a" * 300] * 10_000),
    ],
)
def test_a_long_value_is_cut_and_says_so(long: dict[str, object]) -> None:
    text = variant_text(long)
    assert len(text) == MAX_READABLE_CHARACTERS
    assert text.endswith("...")


def test_only_as_many_elements_are_looked_at_as_there_is_room_for() -> None:
    class Guarded(list[object]):
        def __iter__(self) -> Iterator[object]:
            yield from [1] * MAX_READABLE_CHARACTERS
            pytest.fail("looked further")

    assert variant_text(variant("VT_VECTOR|VT_UI4", Guarded([1]))).endswith("...")


def test_deep_nesting_ends() -> None:
    nested = variant("VT_UI4", 1)
    for _ in range(500):
        nested = variant("VT_VECTOR|VT_VARIANT", [nested])
    assert variant_text(nested) == "[[[[[1 more]]]]]"


SHAPES = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.fixed_dictionaries(
            {"vt": st.sampled_from([0, 8, 19, 31, 65, 0x100C, 0x101F]) | st.none(), "_varUnion": st.none()}
        )
        | st.builds(lambda value: variant("VT_VECTOR|VT_VARIANT", [value]), inner)
        | st.builds(lambda value: variant("VT_LPWSTR", value), inner)
    ),
    max_leaves=8,
)


@given(SHAPES, st.integers(0, 40))
def test_any_shape_gives_a_text_within_its_limit(shape: object, limit: int) -> None:
    text = variant_text(shape, limit)
    assert len(text) <= limit
    assert all(character.isprintable() for character in text)
