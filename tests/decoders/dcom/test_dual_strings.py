"""Bindings of resolvers and exporters."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcom.dual_strings import (
    DualStrings,
    SecurityBinding,
    StringBinding,
    build_dual_strings,
    dual_strings,
    from_ndr,
    packed,
    read_dual_strings,
    to_ndr,
)
from decoders.dcom.types import DUALSTRINGARRAY, TYPES
from decoders.limits import MAX_DUAL_STRING_BINDINGS
from decoders.ndr.encoder import encode_type
from decoders.ndr.model import Syntax
from decoders.ndr.types import decode_type
from tests.decoders.dcom.values import DUAL_STRINGS, ORDERS, SECURITY_BINDINGS, STRING_BINDINGS, U16
from tests.timing import quickest

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

BY_HAND = bytes.fromhex(
    "1000 0a00"  # 16 units, the security bindings from the 10th
    "0700 6100 5b00 3500 3000 3000 3000 5d00 0000 0000"  # ncacn_ip_tcp a[5000]
    "0a00 ffff 6200 6300 0000 0000"  # NTLM, bc
)


def test_by_hand() -> None:
    found, end = read_dual_strings(b"xx" + BY_HAND + b"yy", 2)
    assert end == 2 + len(BY_HAND)
    assert found.string_bindings == (StringBinding(7, "a[5000]"),)
    assert found.security_bindings == (SecurityBinding(10, "bc"),)
    assert found.problems == ()
    assert packed(found) == BY_HAND


def test_the_smallest() -> None:
    """[MS-DCOM] 2.2.19.1."""
    smallest = build_dual_strings((), ())
    assert (smallest.units, smallest.security_offset, smallest.problems) == ((0, 0, 0, 0), 2, ())


@pytest.mark.parametrize(
    ("address", "host", "endpoint", "port"),
    [
        ("server", "server", None, None),
        ("10.0.0.1[5000]", "10.0.0.1", "5000", 5000),
        ("fe80::1[135]", "fe80::1", "135", 135),
        ("[fe80::1]", "[fe80::1]", None, None),
        ("[fe80::1][135]", "[fe80::1]", "135", 135),
        ("server[\\pipe\\epmapper]", "server", "\\pipe\\epmapper", None),
        ("server[65536]", "server", "65536", None),
        ("server[\u0661]", "server", "\u0661", None),
        ("server[9999999999]", "server", "9999999999", None),
        ("server[]", "server", "", None),
        ("server[5000", "server[5000", None, None),
        ("", "", None, None),
    ],
)
def test_a_host_and_its_endpoint(address: str, host: str, endpoint: str | None, port: int | None) -> None:
    binding = StringBinding(7, address)
    assert (binding.host, binding.endpoint, binding.port) == (host, endpoint, port)


@given(st.lists(STRING_BINDINGS, max_size=4), st.lists(SECURITY_BINDINGS, max_size=4), ORDERS, st.sampled_from(Syntax))
def test_both_forms_come_back(
    strings: list[StringBinding], securities: list[SecurityBinding], order: ByteOrder, syntax: Syntax
) -> None:
    made = build_dual_strings(strings, securities)
    assert (made.string_bindings, made.security_bindings) == (tuple(strings), tuple(securities))
    assert made.problems == ()
    assert read_dual_strings(packed(made), 0) == (made, len(packed(made)))
    ndr = encode_type(DUALSTRINGARRAY, to_ndr(made), TYPES, syntax, order)
    assert from_ndr(decode_type(TYPES, DUALSTRINGARRAY, ndr, order, syntax).value) == made


@pytest.mark.parametrize(
    ("units", "offset", "problem"),
    [
        ((7, 65, 0, 0, 0, 0), 9, "security bindings from unit 9 of 6"),
        ((7, 65, 66, 0, 0, 0), 3, "string binding 0 has no end"),
        ((7, 65, 0, 0, 0), 3, "the string bindings do not end with 0"),
        ((0, 10, 0xFFFF, 65), 1, "security binding 0 has no end"),
        ((0, 10, 0xFFFF, 65, 0), 1, "the security bindings do not end with 0"),
    ],
)
def test_what_is_wrong_is_told(units: tuple[int, ...], offset: int, problem: str) -> None:
    assert problem in dual_strings(units, offset).problems


def test_a_service_of_zero_ends_them_though_its_reserved_unit_is_zero_too() -> None:
    found = dual_strings((0, 10, 0, 65, 0, 0), 1)
    assert found.security_bindings == (SecurityBinding(10, "A"),)


@given(DUAL_STRINGS, st.data())
def test_cut_anywhere(whole: DualStrings, data: st.DataObject) -> None:
    raw = packed(whole)
    cut = data.draw(st.integers(0, len(raw) - 1))
    found, end = read_dual_strings(raw[:cut], 0)
    assert end <= cut
    assert found.problems
    assert found.string_bindings == whole.string_bindings[: len(found.string_bindings)]


@given(st.lists(U16, max_size=60), U16)
def test_any_units(units: list[int], offset: int) -> None:
    found = dual_strings(units, offset)
    assert read_dual_strings(packed(found), 0)[0] == found
    for text in (*(one.address for one in found.string_bindings), *(one.principal for one in found.security_bindings)):
        text.encode()


def test_thousands_of_bindings_are_told_and_not_read() -> None:
    units = (7, 0) * 32_767 + (0,)
    (found, _), seconds = quickest(
        lambda: read_dual_strings(struct.pack(f"<HH{len(units)}H", 65_535, 65_535, *units), 0)
    )
    assert len(found.string_bindings) == MAX_DUAL_STRING_BINDINGS
    assert f"more than {MAX_DUAL_STRING_BINDINGS} string bindings" in found.problems
    assert seconds < 0.05
