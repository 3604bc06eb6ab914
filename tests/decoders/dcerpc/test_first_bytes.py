"""The bulk test of first bytes: no prefix of a header is ever missed, and hardly anything else is let through."""

from __future__ import annotations

from itertools import product
from typing import Literal

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from decoders.dcerpc.first_bytes import may_begin_pdu
from decoders.dcerpc.header import PacketType, parse_header
from tests.decoders.dcerpc import pdus as d

DREPS = [bytes((first, second, 0, 0)) for first in (0, 1, 0x10, 0x11) for second in range(4)]
BYTES = st.integers(0, 255)
HEADERS = st.builds(
    lambda minor, kind, flags, drep, rest: bytes((5, minor, kind, flags)) + drep + rest,
    st.integers(0, 1),
    st.sampled_from(sorted(PacketType)),
    BYTES,
    st.sampled_from(DREPS),
    st.binary(min_size=8, max_size=8) | st.tuples(*[st.sampled_from((0, 1, 15, 16, 17, 255))] * 8).map(bytes),
)


def found(payloads: list[bytes]) -> list[bool]:
    """The payloads one after the other in a buffer, each followed by bytes that are not its own."""
    lengths = np.array([len(payload) for payload in payloads], np.int32)
    starts = np.array([sum(map(len, payloads[:n])) for n in range(len(payloads))], np.int64)
    result: list[bool] = may_begin_pdu(np.frombuffer(b"".join(payloads), np.uint8), starts, lengths).tolist()
    return result


def has_completion(prefix: bytes) -> bool:
    """Some header begins with these bytes: tried out, with lengths from the smallest to the largest."""
    if not prefix:
        return False
    for minor, drep in product((0, 1), DREPS):
        for order in ("little", "big"):
            for frag, auth in ((16, 0), (65_535, 0), (65_535, 65_519), (0x1FF, 0), (0xFF10, 0), (0x10FF, 0)):
                tail = frag.to_bytes(2, "little" if order == "little" else "big")
                tail += auth.to_bytes(2, "little" if order == "little" else "big") + bytes(4)
                for kind in (0,) if len(prefix) > 2 else PacketType:
                    whole = bytes((5, minor, kind, 0)) + drep + tail
                    if parse_header(prefix + whole[len(prefix) :]) is not None:
                        return True
    return False


def test_every_prefix_of_every_shape_of_header_is_found() -> None:
    """Whatever bytes follow in the buffer."""
    for drep, frag, auth in product(DREPS, (16, 72, 0xFF, 0x100, 0x1000, 0xFFFF), (0, 8, 0x100, 0xFF00)):
        order: Literal["little", "big"] = "little" if drep[0] & 0x10 else "big"
        whole = b"\x05\0\x0b\x03" + drep + frag.to_bytes(2, order) + auth.to_bytes(2, order) + bytes(4)
        valid = auth <= frag - 16
        assert (parse_header(whole) is not None) == valid
        for size, after in product(range(1, 17), (b"\0" * 16, b"\xff" * 16)):
            judged = found([whole[:size], after])[0]
            assert judged if valid or size < 11 else not judged or size == 11, (whole[:size], after)


@given(HEADERS, st.integers(1, 20))
def test_no_prefix_of_a_header_is_missed(header: bytes, size: int) -> None:
    if parse_header(header) is not None:
        assert found([(header + b"stub")[:size]]) == [True]


@given(HEADERS | st.binary(min_size=1, max_size=20), st.integers(1, 20))
@example(bytes.fromhex("0500000310000000 0f00"), 10)
@example(bytes.fromhex("0500000300000000 0010 0001"), 12)
def test_what_is_found_can_be_completed_to_a_header(data: bytes, size: int) -> None:
    prefix = data[:size]
    # With one byte of auth_length there, its other byte is not waited for.
    if len(prefix) != 11:
        assert found([prefix]) == [has_completion(prefix)]
    elif has_completion(prefix):
        assert found([prefix]) == [True]


@given(st.lists(HEADERS | st.binary(max_size=20) | st.just(b"\x05"), max_size=20))
def test_each_row_is_judged_by_its_own_bytes(payloads: list[bytes]) -> None:
    assert found(payloads) == [found([payload]) == [True] for payload in payloads]


def test_segments_of_a_bind_sent_byte_by_byte_are_found_at_its_first_byte() -> None:
    whole = d.bind((d.QM2QM, (d.NDR,)))
    assert found([bytes((octet,)) for octet in whole])[0]


def test_no_rows_and_no_bytes_are_no_problem() -> None:
    assert found([]) == []
    assert found([b"", b""]) == [False, False]


def test_other_protocols_are_not_let_through() -> None:
    others = [
        b"GET / HTTP/1.1\r\n",
        b"\x16\x03\x01\x02\0\1\0",
        b"\xfeSMB@\0\0\0",
        b"\x05\x02\x00\x02",
        b"\x05\x01\x00\x01\x7f\x00",
    ]
    assert found(others) == [False] * len(others)
