"""References to objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcom.dual_strings import SecurityBinding, StringBinding
from decoders.dcom.objref import Form, ObjRef, encode_objref, parse_objref
from tests.decoders.dcom.test_dual_strings import BY_HAND
from tests.decoders.dcom.values import references
from tests.timing import quickest

IPID = "00001c02-0998-0000-1122-334455667788"
STANDARD = bytes.fromhex(
    "4d454f57 01000000 00040200 0000 0000 c000000000000046"
    "00100000 05000000 0807060504030201 1817161514131211"
    "021c0000 9809 0000 1122334455667788"
)


def test_a_standard_one_by_hand() -> None:
    found = parse_objref(STANDARD + BY_HAND)
    assert found.problems == ()
    assert (found.form, found.iid) == (Form.STANDARD, "00020400-0000-0000-c000-000000000046")
    assert found.std
    assert (found.std.flags, found.std.public_refs, found.std.pinged) == (0x1000, 5, False)
    assert (found.std.oxid, found.std.oid) == (0x0102030405060708, 0x1112131415161718)
    assert found.std.ipid == IPID
    assert found.bindings
    assert found.bindings.string_bindings == (StringBinding(7, "a[5000]"),)
    assert found.bindings.security_bindings == (SecurityBinding(10, "bc"),)


@given(references())
def test_every_form_comes_back(made: ObjRef) -> None:
    data = encode_objref(made)
    found = parse_objref(data)
    assert found == made
    assert encode_objref(found) == data


@given(references(), st.data())
def test_cut_anywhere(made: ObjRef, data: st.DataObject) -> None:
    raw = encode_objref(made)
    found = parse_objref(raw[: data.draw(st.integers(0, len(raw) - 1))])
    assert found.iid in (made.iid, None)
    assert found.std in (made.std, None)
    if made.form is not Form.CUSTOM or found.custom is None:
        assert found.problems
    else:
        assert made.custom
        assert made.custom.data.startswith(found.custom.data)


@given(st.binary(max_size=200), st.sampled_from([0, 1, 2, 3, 4, 8, 0xF]))
def test_any_bytes(data: bytes, flags: int) -> None:
    assert parse_objref(data).problems
    raw = b"MEOW" + flags.to_bytes(4, "little") + data
    found = parse_objref(raw)
    try:
        assert encode_objref(found) == raw or found.problems
    except ValueError:
        assert found.problems


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "the bytes end before its head does"),
        (b"MEEW" + STANDARD[4:] + BY_HAND, "signature 0x5745454d, not 0x574f454d"),
        (STANDARD[:4] + b"\x05" + STANDARD[5:] + BY_HAND, "flags 0x5, which is no form"),
        (STANDARD[:8] + bytes(16) + STANDARD[24:] + BY_HAND, "the iid is null"),
        (STANDARD[:-1], "the bytes end before its STDOBJREF does"),
        (STANDARD, "bindings: the bytes end before them"),
        (STANDARD + BY_HAND[:-2], "bindings: 16 units, of which 15 are there"),
        (STANDARD + BY_HAND + b"\0\1", "2 bytes behind the end"),
        (STANDARD[:4] + b"\2" + STANDARD[5:] + BY_HAND[:8], "the bytes end before its class does"),
        (STANDARD[:4] + b"\4" + STANDARD[5:40], "the bytes end before its class does"),
    ],
)
def test_what_is_wrong_is_told(data: bytes, problem: str) -> None:
    assert problem in parse_objref(data).problems


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"signature1": 1}, "signature 0x00000001, not 0x4e535956"),
        ({"signature2": 2}, "signature 0x00000002, not 0x4e535956"),
        ({"elements": 2}, "2 elements, of which one is read"),
        ({"size": 9}, "element of 9 bytes, rounded to 8"),
        ({"rounded": 16, "size": 16}, "element of 16 bytes, of which 8 are there"),
    ],
)
def test_what_is_wrong_with_an_envoy_is_told(changed: dict[str, Any], problem: str) -> None:
    whole = parse_objref(
        STANDARD[:4] + b"\x08" + STANDARD[5:] + b"VYSN" + BY_HAND
        + bytes.fromhex("01000000") + b"VYSN" + b"\x11" * 16 + bytes.fromhex("07000000 08000000") + b"contents"
    )  # fmt: skip
    assert whole.problems == ()
    assert whole.envoy
    found = parse_objref(encode_objref(replace(whole, envoy=replace(whole.envoy, **changed))))
    assert problem in found.problems
    assert found.std == whole.std


def test_zeros_behind_the_end_are_padding() -> None:
    data = STANDARD + BY_HAND + bytes(6)
    found = parse_objref(data)
    assert found.problems == ()
    assert encode_objref(found) == data


@pytest.mark.parametrize("flags", list(Form))
def test_a_large_one_is_cheap(flags: int) -> None:
    data = STANDARD[:4] + bytes((flags,)) + STANDARD[5:] + b"\xff" * 1_000_000
    _, seconds = quickest(lambda: parse_objref(data), 0.05)
    assert seconds < 0.05
