"""Conversation keys: one for both directions, another for every other pair of endpoints."""

from __future__ import annotations

import ipaddress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from decoders.net.bulk import empty_headers, write_row
from decoders.net.model import TcpHeader
from ingest.conversations import conversation_keys, from_low_side

ADDRESSES = {
    4: st.sampled_from([b"\x0a\0\0\1", b"\x0a\0\0\2", b"\xff\xff\xff\xff", bytes(4)])
    | st.binary(min_size=4, max_size=4),
    6: st.sampled_from([bytes(15) + b"\1", bytes(10) + b"\xff\xff\x0a\0\0\1", b"\xff" * 16])
    | st.binary(min_size=16, max_size=16),
}
PORTS = st.integers(0, 65_535)
TUPLES = st.sampled_from([4, 6]).flatmap(lambda v: st.tuples(ADDRESSES[v], PORTS, ADDRESSES[v], PORTS))
Tuple = tuple[bytes, int, bytes, int]


def keyed(tuples: list[Tuple]) -> tuple[list[int], list[bool]]:
    headers, rows = empty_headers(len(tuples)), np.arange(len(tuples))
    for row, (src, sport, dst, dport) in enumerate(tuples):
        write_row(headers, row, 0, TcpHeader(src, dst, sport, dport, 0, 0, 0, 0, 0, 0, 0))
    return conversation_keys(headers, rows).tolist(), from_low_side(headers, rows).tolist()


def turned(one: Tuple) -> Tuple:
    return one[2], one[3], one[0], one[1]


def ends(one: Tuple) -> tuple[int, frozenset[tuple[bytes, int]]]:
    return len(one[0]), frozenset((one[:2], one[2:]))


@given(st.lists(TUPLES, min_size=1, max_size=30))
def test_both_directions_share_a_key_and_nobody_else_does(tuples: list[Tuple]) -> None:
    keys, _ = keyed(tuples)
    assert keyed([turned(one) for one in tuples])[0] == keys
    assert len(set(keys)) == len({ends(one) for one in tuples})


def test_neighbours_have_keys_of_their_own() -> None:
    """Small differences in each field, as a scan of a network makes them."""
    base = int(ipaddress.ip_address("10.0.0.0"))
    tuples = [
        ((base + a).to_bytes(4, "big"), 1_000 + p, (base + b).to_bytes(4, "big"), 2_000 + q)
        for a in range(12)
        for b in range(100, 112)
        for p in range(12)
        for q in range(12)
    ]
    assert len(set(keyed(tuples)[0])) == len(tuples)


def test_ports_swapped_between_the_ends_are_another_conversation() -> None:
    one = (b"\x0a\0\0\1", 135, b"\x0a\0\0\2", 2103)
    other = (b"\x0a\0\0\1", 2103, b"\x0a\0\0\2", 135)
    assert keyed([one])[0] != keyed([other])[0]


def test_an_address_of_version_4_is_not_its_mapped_one() -> None:
    mapped = bytes(10) + b"\xff\xff"
    four = (b"\x0a\0\0\1", 1, b"\x0a\0\0\2", 2)
    six = (mapped + four[0], 1, mapped + four[2], 2)
    assert keyed([four])[0] != keyed([six])[0]


@given(TUPLES)
def test_the_low_side_is_the_smaller_address_and_port(one: Tuple) -> None:
    (low,) = keyed([one])[1]
    assert low == (one[:2] <= one[2:])


def test_all_keys_fit_a_signed_long() -> None:
    keys, _ = keyed([(bytes([10, 0, 0, n]), n, b"\x0a\0\0\xff", 9) for n in range(100)])
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert min(keys) < 0 < max(keys)
