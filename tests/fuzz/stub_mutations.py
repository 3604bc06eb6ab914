"""What may become of a stub on its way. Each takes the stub, another one of the same operation, and the dice."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from decoders.ndr.model import Syntax

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.fuzz.stub_seeds import Wire

    Mutation = Callable[[bytes, bytes, Wire, random.Random], bytes]

FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}
COUNTS = (0, 1, 2, 3, 4, 7, 16, 17, 64, 255, 256, 500, 501, 1024, 4096, 65_535, 65_536, 1 << 20, (1 << 20) + 1)
EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 63) - 1,
         1 << 63, (1 << 64) - 1)  # fmt: skip
MOST_ADDED = 3_000
"""Keeps most stubs below the 4 KB for which memory is checked."""


def flips(stub: bytes, _other: bytes, _wire: Wire, rng: random.Random) -> bytes:
    damaged = bytearray(stub)
    for _ in range(rng.choice((1, 1, 2, 3, 8)) if stub else 0):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def edges(stub: bytes, _other: bytes, wire: Wire, rng: random.Random) -> bytes:
    return _overwritten(stub, wire, rng, lambda _old: rng.choice(EDGES))


def counts(stub: bytes, _other: bytes, wire: Wire, rng: random.Random) -> bytes:
    return _overwritten(stub, wire, rng, lambda _old: rng.choice(COUNTS))


def neighbours(stub: bytes, _other: bytes, wire: Wire, rng: random.Random) -> bytes:
    return _overwritten(stub, wire, rng, lambda old: old + rng.choice((-1, 1)))


def _overwritten(stub: bytes, wire: Wire, rng: random.Random, change: Callable[[int], int]) -> bytes:
    damaged = bytearray(stub)
    for _ in range(rng.choice((1, 1, 2, 3))):
        size = rng.choice((1, 2, 4, 4, _word(wire)))
        if len(damaged) < size:
            continue
        at = rng.randrange(len(damaged) - size + 1)
        # Fields are aligned; now and then hit the middle of one.
        at -= at % size if rng.random() < 0.9 else 0
        code = wire.byte_order + FORMATS[size]
        (old,) = struct.unpack_from(code, damaged, at)
        struct.pack_into(code, damaged, at, change(old) % (1 << 8 * size))
    return bytes(damaged)


def _word(wire: Wire) -> int:
    return 8 if wire.syntax is Syntax.NDR64 else 4


def cut(stub: bytes, _other: bytes, _wire: Wire, rng: random.Random) -> bytes:
    return stub[: rng.randrange(len(stub) + 1)]


def insertion(stub: bytes, _other: bytes, _wire: Wire, rng: random.Random) -> bytes:
    at = rng.randrange(len(stub) + 1)
    size = rng.choice((1, 2, 4, 8, 12, 20))
    return stub[:at] + rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size), stub[at : at + size])) + stub[at:]


def deletion(stub: bytes, _other: bytes, _wire: Wire, rng: random.Random) -> bytes:
    at = rng.randrange(len(stub) + 1)
    return stub[:at] + stub[at + rng.choice((1, 2, 4, 8, 12, 20)) :]


def splice(stub: bytes, other: bytes, wire: Wire, rng: random.Random) -> bytes:
    grain = rng.choice((1, 4, _word(wire)))
    start = rng.randrange(len(stub) + 1) // grain * grain
    return stub[:start] + other[rng.choice((start, rng.randrange(len(other) + 1) // grain * grain)) :]


def repeated_referents(stub: bytes, _other: bytes, wire: Wire, rng: random.Random) -> bytes:
    """One referent id for pointers that had their own, or a null among them."""
    size = _word(wire)
    code = wire.byte_order + FORMATS[size]
    places = range(0, len(stub) - size + 1, size)
    ids = [at for at in places if 0x20000 <= struct.unpack_from(code, stub, at)[0] < 0x20400]
    if not ids:
        return flips(stub, stub, wire, rng)
    damaged = bytearray(stub)
    model = rng.choice(ids)
    for at in ids:
        if rng.random() < 0.5:
            damaged[at : at + size] = rng.choice((stub[model : model + size], stub[model : model + size], bytes(size)))
    return bytes(damaged)


def swollen(stub: bytes, other: bytes, wire: Wire, rng: random.Random) -> bytes:
    """Room behind the stub for what its counts may now claim."""
    size = rng.randrange(1, MOST_ADDED)
    unit = rng.choice((b"\0", b"\xff", b"\x01\0\0\0", b"\x02\0\x02\0", other[-16:] or b"\0"))
    return counts(stub, other, wire, rng) + (unit * (size // len(unit) + 1))[:size]


def vast(stub: bytes, other: bytes, wire: Wire, rng: random.Random) -> bytes:
    """Counts of thousands that the stub can serve."""
    damaged = edges(stub, other, wire, rng) if rng.random() < 0.3 else counts(stub, other, wire, rng)
    unit = rng.choice((b"\0", b"\x01\0\0\0", other[-64:] or b"\0", stub or b"\0"))
    return damaged + unit * (rng.choice((20_000, 100_000, 400_000)) // len(unit))


def several(stub: bytes, other: bytes, wire: Wire, rng: random.Random) -> bytes:
    for mutation in rng.choices(SINGLE, k=rng.choice((2, 3, 5))):
        stub = mutation(stub, other, wire, rng)
    return stub


SINGLE: tuple[Mutation, ...] = (
    flips,
    edges,
    counts,
    neighbours,
    cut,
    insertion,
    deletion,
    splice,
    repeated_referents,
    swollen,
)
MUTATIONS: tuple[Mutation, ...] = (*SINGLE, several, several)
