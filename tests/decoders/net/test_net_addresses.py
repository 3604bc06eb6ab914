"""Addresses between bytes, columns and text."""

from __future__ import annotations

import ipaddress

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.net.addresses import MAPPED, to_bytes, to_pair, to_text, to_texts

ADDRESSES = st.binary(min_size=4, max_size=4) | st.binary(min_size=16, max_size=16)
VERSIONS = {4: 4, 16: 6}


@settings(deadline=None)
@given(ADDRESSES)
def test_columns_keep_the_bytes(address: bytes) -> None:
    high, low = to_pair(address)
    assert to_bytes(high, low, VERSIONS[len(address)]) == address
    assert ipaddress.ip_address(to_text(high, low, VERSIONS[len(address)])).packed == address


def test_ipv4_and_its_mapped_form_stay_apart() -> None:
    high, low = to_pair(bytes([10, 0, 0, 1]))
    assert (high, low) == (0, MAPPED | 0x0A000001)
    assert to_text(high, low, 4) == "10.0.0.1"
    assert to_text(high, low, 6) == "::ffff:10.0.0.1"


def test_text_is_the_short_form() -> None:
    assert to_text(*to_pair(ipaddress.ip_address("2001:db8::1").packed), 6) == "2001:db8::1"
    assert to_text(0, 0, 6) == "::"


@settings(deadline=None)
@given(st.lists(st.sampled_from([bytes(4), bytes([10, 0, 0, 1]), bytes(16), b"\x20\x01" + bytes(14)]) | ADDRESSES))
def test_formats_each_address_once(addresses: list[bytes]) -> None:
    pairs = [to_pair(address) for address in addresses]
    high, low = (np.array([pair[half] for pair in pairs], np.uint64) for half in (0, 1))
    versions = np.array([VERSIONS[len(address)] for address in addresses], np.uint8)
    codes, texts = to_texts(high, low, versions)
    assert [texts[code] for code in codes] == [str(to_text(*to_pair(a), VERSIONS[len(a)])) for a in addresses]
    assert len(texts) == len(set(addresses))
    assert codes.dtype == np.int32
