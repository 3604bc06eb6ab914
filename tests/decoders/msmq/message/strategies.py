"""Random messages: every header there or not, with any values."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.builders.messages import (
    Address,
    MessageParts,
    Queue,
    Security,
    Several,
    Srmp,
    Trailers,
    Transaction,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

BYTE, U16, U32, U64 = (st.integers(0, (1 << size) - 1) for size in (8, 16, 32, 64))
GUIDS = st.uuids().map(str)
# Lone surrogates have tests of their own; a null character ends a text.
TEXTS = st.text(st.characters(codec="utf-16-le", exclude_characters="\0"), max_size=12)
BLOBS = st.binary(max_size=40)
SUBQUEUES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=31)


def queues(kinds: str) -> SearchStrategy[Queue]:
    made = {
        "0": st.just(Queue(0)),
        "1": st.just(Queue(1)),
        "2": st.builds(Queue, st.just(2), number=U32),
        "3": st.builds(Queue, st.just(3), number=U32),
        "4": st.builds(Queue, st.just(4), number=U32),
        "5": st.builds(Queue, st.just(5), guid=GUIDS),
        "6": st.builds(Queue, st.just(6), guid=GUIDS, number=U32),
        "7": st.builds(Queue, st.just(7), direct=TEXTS),
    }
    return st.one_of([made[kind] for kind in kinds])


def sid(authority: int, *parts: int) -> bytes:
    numbers = b"".join(part.to_bytes(4, "little") for part in parts)
    return bytes([1, len(parts)]) + authority.to_bytes(6, "big") + numbers


SIDS = st.lists(U32, max_size=15).map(lambda parts: sid(5, *parts))
SECURITIES = st.builds(
    Security,
    flags=st.sampled_from([0x01, 0x81, 0xA1, 0xE1]),
    sender=SIDS,
    key=BLOBS,
    signature=BLOBS,
    certificate=BLOBS,
    provider=st.none() | st.tuples(U32, TEXTS),
) | st.builds(
    Security, flags=st.just(0x82), sender=st.uuids().map(lambda value: uuid.UUID(str(value)).bytes_le), signature=BLOBS
)
NAMES = st.lists(
    st.tuples(st.sampled_from([1, 6]), GUIDS) | st.tuples(st.just(2), GUIDS, U32) | st.tuples(st.just(3), TEXTS),
    max_size=5,
).map(tuple)
SRMPS = BLOBS.flatmap(
    lambda data: st.integers(0, len(data)).flatmap(
        lambda at: st.builds(
            Srmp, envelope=TEXTS, compound=st.just(data), body_at=st.just(at), body_size=st.integers(0, len(data) - at)
        )
    )
)
ADDRESSES = st.one_of(
    st.builds(Address, st.just(4), st.just(1), st.just(0), st.binary(min_size=4, max_size=4)),
    st.builds(Address, st.just(16), st.just(6), U32, st.binary(min_size=16, max_size=16)),
    st.just(Address(0, 0, 0, b"")),
)
TRAILERS = st.builds(
    Trailers,
    subqueue=SUBQUEUES,
    target=SUBQUEUES,
    aborts=U32,
    moves=U32,
    acknowledgement_class=U16,
    dead_letter=st.none() | TEXTS,
    address=ADDRESSES,
)

MESSAGES = st.builds(
    MessageParts,
    source=GUIDS,
    manager=GUIDS,
    priority=st.integers(0, 7),
    tracing=st.booleans(),
    time_to_reach_queue=U32,
    time_to_be_received=U32,
    sent_time=U32,
    number=U32,
    hops=st.integers(0, 31),
    delivery=st.integers(0, 1),
    journaling=st.integers(0, 3),
    destination=queues("0357"),
    admin=queues("023567"),
    response=queues("01234567"),
    connector=st.none() | GUIDS,
    transaction=st.none()
    | st.builds(Transaction, U64, U32, U32, flags=U32.map(lambda value: value & 0xFFFFFE), connector=st.none() | GUIDS),
    security=st.none() | SECURITIES,
    acknowledge=st.integers(0, 15),
    label=TEXTS,
    message_class=U16,
    correlation=st.binary(min_size=20, max_size=20) | st.just(bytes(20)),
    body_type=U32,
    tag=U32,
    privacy=st.sampled_from([0, 1, 3, 5]),
    hash_algorithm=U32,
    encryption=U32,
    extension=BLOBS,
    body=BLOBS,
    debug=st.none() | st.just("") | GUIDS,
    srmp=st.none() | SRMPS,
    soap=st.none() | st.tuples(TEXTS, TEXTS),
    several=st.none() | st.builds(Several, NAMES, NAMES, NAMES, BLOBS),
    session=st.none() | st.tuples(U16, U16, U32, U16, U16, U16),
    trailers=st.none() | TRAILERS,
)
