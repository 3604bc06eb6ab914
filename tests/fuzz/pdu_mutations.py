"""Damage to PDUs before they go into packets: TCP is in order, what it carries is not."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.fuzz.scenes import Turn

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    Turns = Sequence[Turn]
    Mutation = Callable[[Turns, random.Random], list[Turn]]
    Lie = Callable[[bytearray, str, random.Random], None]

EDGES = (0, 1, 2, 3, 8, 15, 16, 17, 24, 25, 255, 256, 0x7FFF, 0x8000, 0xFFFF)
COMMON_HEADER = 16


def lies(turns: Turns, rng: random.Random) -> list[Turn]:
    """One or two fields of one PDU say something else."""
    result = list(turns)
    place = rng.randrange(len(result))
    data = bytearray(result[place].data)
    # What another mutation left too short for a header has no fields.
    for _ in range(rng.choice((1, 1, 2)) if len(data) >= COMMON_HEADER else 0):
        rng.choice(LIES)(data, "<" if data[4] & 0x10 else ">", rng)
    result[place] = replace(result[place], data=bytes(data))
    return result


def _field(at: int, code: str, *values: int) -> Lie:
    """Near what it was, another PDU's likely value, or an edge."""

    def lie(data: bytearray, order: str, rng: random.Random) -> None:
        size = struct.calcsize(code)
        if at + size > len(data):
            return
        (old,) = struct.unpack_from(order + code, data, at)
        new = rng.choice((old + 1, old - 1, old ^ 1 << rng.randrange(8 * size), rng.choice(values or EDGES)))
        struct.pack_into(order + code, data, at, new % (1 << 8 * size))

    return lie


def _auth_pad(data: bytearray, order: str, rng: random.Random) -> None:
    (auth_length,) = struct.unpack_from(order + "H", data, 10)
    at = len(data) - auth_length - 8 + 2
    if auth_length and at >= COMMON_HEADER:
        data[at] = rng.choice((0, 1, 3, 15, 16, 64, 255))


def _stub(data: bytearray, _order: str, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 2, 8))):
        data[rng.randrange(COMMON_HEADER, len(data)) if len(data) > COMMON_HEADER else 0] ^= 1 << rng.randrange(8)


LIES: tuple[Lie, ...] = (
    _field(0, "B", 4, 5),
    _field(2, "B", *range(20)),
    _field(3, "B", 0, 1, 2, 3, 0x83, 0x23),
    _field(4, "I", 0, 0x10, 0x10000000),
    _field(8, "H"),
    _field(8, "H"),
    _field(10, "H"),
    _field(10, "H"),
    _field(12, "I", 0, 1, 2, 3, 4, 0xFFFFFFFF),
    _field(16, "I", 0, 0xFFFFFFFF, 1 << 31),
    _field(20, "H", 0, 1, 2, 0xFFFF),
    _field(22, "H", *range(12), 0xFFFF),
    _field(24, "B", *range(4), 255),
    _auth_pad,
    _stub,
    _stub,
)


def swapped(turns: Turns, rng: random.Random) -> list[Turn]:
    """Two PDUs change places: fragments out of order, answers before questions."""
    result = list(turns)
    first = rng.randrange(len(result))
    second = rng.choice((min(first + 1, len(result) - 1), rng.randrange(len(result))))
    result[first], result[second] = result[second], result[first]
    return result


def gone(turns: Turns, rng: random.Random) -> list[Turn]:
    """Never sent, which no gap in the stream shows."""
    place = rng.randrange(len(turns))
    return [*turns[:place], *turns[place + rng.choice((1, 1, 2)) :]] or list(turns)


def again(turns: Turns, rng: random.Random) -> list[Turn]:
    place = rng.randrange(len(turns))
    return [*turns[:place], *[turns[place]] * rng.choice((2, 3)), *turns[place + 1 :]]


def other_side(turns: Turns, rng: random.Random) -> list[Turn]:
    place = rng.randrange(len(turns))
    turned = replace(turns[place], from_client=not turns[place].from_client)
    return [*turns[:place], turned, *turns[place + 1 :]]


def shortened(turns: Turns, rng: random.Random) -> list[Turn]:
    """The next PDU begins inside this one."""
    place = rng.randrange(len(turns))
    cut = replace(turns[place], data=turns[place].data[: rng.randint(1, len(turns[place].data))])
    return [*turns[:place], cut, *turns[place + 1 :]]


def noise(turns: Turns, rng: random.Random) -> list[Turn]:
    """Bytes between PDUs that are none, or look like the beginning of one."""
    place = rng.randrange(len(turns) + 1)
    model = rng.choice(turns).data
    size = rng.choice((1, 4, 15, 16, 17, 40, 300))
    data = rng.choice((rng.randbytes(size), bytes(size), model[:size], model[:8] + b"\xff" * size, b"\x05" * size))
    return [*turns[:place], Turn(rng.random() < 0.5, data), *turns[place:]]


def spliced(turns: Turns, rng: random.Random) -> list[Turn]:
    """The header of one PDU before the body of another."""
    head, body = rng.choice(turns), rng.choice(turns)
    at = rng.choice((8, 16, 20, 24))
    place = rng.randrange(len(turns))
    return [*turns[:place], replace(head, data=head.data[:at] + body.data[at:] or b"\0"), *turns[place + 1 :]]


MUTATIONS: tuple[Mutation, ...] = (lies, lies, lies, lies, swapped, gone, again, other_side, shortened, noise, spliced)
