"""Addresses between bytes, columns and text."""

from __future__ import annotations

import ipaddress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from decoders.net.addresses import MAPPED, distinct, to_pair, to_text

ADDRESSES = st.binary(min_size=4, max_size=4) | st.binary(min_size=16, max_size=16)
VERSIONS = {4: 4, 16: 6}


@given(ADDRESSES)
def test_text_keeps_the_address(address: bytes) -> None:
    assert ipaddress.ip_address(to_text(address)).packed == address


def test_ipv4_and_its_mapped_form_stay_apart() -> None:
    high, low = to_pair(bytes([10, 0, 0, 1]))
    assert (high, low) == (0, MAPPED | 0x0A000001)
    halves = np.array([high, high], np.uint64), np.array([low, low], np.uint64)
    _, found = distinct(*halves, np.array([4, 6], np.uint8))
    assert [to_text(address) for address in found] == ["10.0.0.1", "::ffff:10.0.0.1"]


def test_text_is_the_short_form() -> None:
    assert to_text(ipaddress.ip_address("2001:db8::1").packed) == "2001:db8::1"
    assert to_text(bytes(16)) == "::"


@given(st.lists(st.sampled_from([bytes(4), bytes([10, 0, 0, 1]), bytes(16), b"\x20\x01" + bytes(14)]) | ADDRESSES))
def test_columns_keep_the_bytes_and_each_address_once(addresses: list[bytes]) -> None:
    pairs = [to_pair(address) for address in addresses]
    high, low = (np.array([pair[half] for pair in pairs], np.uint64) for half in (0, 1))
    versions = np.array([VERSIONS[len(address)] for address in addresses], np.uint8)
    codes, found = distinct(high, low, versions)
    assert [found[code] for code in codes] == addresses
    assert len(found) == len(set(addresses))
    assert codes.dtype == np.int32
