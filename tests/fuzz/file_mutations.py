"""Damage to the bytes of a capture file."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Mutation = Callable[[bytes, random.Random], bytes]

EDGES = (0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 262_144, 262_145, 16, 12, 20)


def flips(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def lengths(data: bytes, rng: random.Random) -> bytes:
    """Numbers of two or four bytes anywhere: of records, blocks, IP, TCP, fragments."""
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        code = rng.choice("HI") if len(data) >= 4 else "B"
        at = rng.randrange(len(data) - struct.calcsize(code) + 1)
        at -= at % rng.choice((1, 2, 4))
        code = rng.choice("<>") + code
        (old,) = struct.unpack_from(code, damaged, at)
        new = rng.choice((old + 1, old - 1, old * 2, rng.choice(EDGES)))
        struct.pack_into(code, damaged, at, new % (1 << 8 * struct.calcsize(code)))
    return bytes(damaged)


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def insertion(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(rng.choice((1, 4, 16, 100))) + data[at:]


def deletion(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 4, 16, 100)) :]


def repetition(data: bytes, rng: random.Random) -> bytes:
    """A part of the file again, from anywhere to anywhere."""
    start, at = rng.randrange(len(data)), rng.randrange(len(data))
    return data[:at] + data[start : start + rng.choice((16, 100, 1_000))] + data[at:]


MUTATIONS: tuple[Mutation, ...] = (flips, flips, lengths, lengths, cut, insertion, deletion, repetition)
