"""What stands in interface pointers: references, activations and error information, whole or damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.builders import com_values as c
from tests.fuzz.stub_mutations import EDGES

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_HOSTS = ("SERVER", "10.0.0.2", "")
_DAMAGED_SHARE = 0.4


def reference(rng: random.Random) -> bytes:
    iid = rng.choice((c.UNKNOWN, c.DISPATCH, c.FACTORY, c.TYPE_INFO, c.I_QUEUE_INFO))
    numbers = rng.choice((0, 1, 2, 1 << 63)), rng.choice((0, 1, 2, 1 << 63))
    hosts = tuple(rng.choices(_HOSTS, k=rng.randrange(4)))
    return c.objref(iid, *numbers, c.ipid(rng.randrange(8)), rng.choice((0, 1, 5, 0xFFFFFFFF)), 0, hosts)


def asked(rng: random.Random) -> bytes:
    order = rng.choice(("<", ">"))
    clsid = rng.choice((c.MMC, c.QUEUE_INFO, c.NULL))
    data: bytes = c.wanted(clsid, *rng.choices((c.UNKNOWN, c.DISPATCH), k=2), order=order)["abData"]  # type: ignore[arg-type]
    return data


def answered(rng: random.Random) -> bytes:
    order = rng.choice(("<", ">"))
    where = c.bindings(*(f"{host}[{rng.choice((0, 135, 49_700))}]" for host in _HOSTS))
    given = [(c.UNKNOWN, reference(rng)) for _ in range(rng.randrange(4))]
    data: bytes = c.activated(rng.randrange(4), c.ipid(rng.randrange(8)), where, *given, order=order)["abData"]  # type: ignore[arg-type]
    return data


_MAKERS: tuple[Callable[[random.Random], bytes], ...] = (reference, reference, asked, answered)


def referent(rng: random.Random) -> bytes:
    """One of these; of some, a few bytes are changed or the end is missing."""
    data = rng.choice(_MAKERS)(rng)
    return damaged(data, rng) if rng.random() < _DAMAGED_SHARE else data


def damaged(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.2:
        return data[: rng.randrange(len(data) + 1)]
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        size = rng.choice((1, 2, 4))
        if len(changed) < size:
            continue
        at = rng.randrange(len(changed) - size + 1)
        value = rng.choice((*EDGES, rng.getrandbits(32))) % (1 << 8 * size)
        changed[at : at + size] = value.to_bytes(size, "little")
    return bytes(changed)
