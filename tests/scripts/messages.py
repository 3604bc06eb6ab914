"""The messages of scripts: which one a read is answered with, and its bytes."""

from __future__ import annotations

import random
import uuid
from typing import TYPE_CHECKING, Final, NamedTuple

from samples.user_message import RC2
from samples.user_message import Message as UserMessage
from tests.builders.messages import Address, Trailers, build_sections, direct
from tests.scripts.constants import ACTIONS
from tests.scripts.queues import ORDERS
from tests.scripts.words import Message, handle

if TYPE_CHECKING:
    from tests.scripts.stubs import Flat

LOOKUP_ID: Final = 0x1401
SENT: Final = 1_767_596_400
"""An hour before the capture begins: 2026-01-05 07:00 UTC."""
ARRIVED_BEFORE: Final = 60
LABEL: Final = "order"
SOURCE: Final = handle("BRANCH7")
"""The queue manager that sent them."""
BODY_BYTES: Final = 100
_SEQUENTIAL: Final = (1 << 56) - 1
_RECEIVES: Final = frozenset(code for name, code in ACTIONS.items() if "RECEIVE" in name)
_NEIGHBOUR: Final = {
    code: {"CURRENT": 0, "NEXT": 1, "PREV": -1}[name.rpartition("_")[2]]
    for name, code in ACTIONS.items()
    if name.startswith("LOOKUP")
}
_CAME_FROM: Final = Address(4, 1, 0, bytes((10, 0, 0, 7)))


class Described(NamedTuple):
    size: int
    """Of the body."""
    seed: int
    destination: str = ORDERS


def receives(action: int) -> bool:
    return action in _RECEIVES


def looks_up(action: int) -> bool:
    return action in _NEIGHBOUR


def sequential_id(nth: int, action: int = 0, lookup_id: int | None = None) -> int:
    """Of the message that the read number `nth` finds, or the one that has the lookup identifier or is next to it."""
    if lookup_id is None or not looks_up(action):
        return LOOKUP_ID + nth
    return (lookup_id + _NEIGHBOUR[action]) & _SEQUENTIAL


def described(given: Flat, seed: int) -> Described | None:
    """By `message`, and where that says nothing by default; None where it says that there is none."""
    wanted: Message | None = given.get("message", Message(BODY_BYTES, None))
    destination = given.get("destination", ORDERS)
    return wanted and Described(wanted.body, seed if wanted.seed is None else wanted.seed, destination)


def body(size: int, seed: int) -> bytes:
    return random.Random(f"message {seed}").randbytes(size)


def message(size: int, seed: int, destination: str = ORDERS) -> bytes:
    """A UserMessage packet; equal where both numbers are."""
    sent = UserMessage(number=seed & 0xFFFF_FFFF, label=LABEL, body=body(size, seed), sent=SENT, lookup_id=seed)
    return sent.packet(uuid.UUID(SOURCE), destination)


def sections(size: int, seed: int, most: int, destination: str = ORDERS) -> list[Flat]:
    """The same as SectionBuffers, for a client that takes no more than `most` bytes of the body."""
    found = build_sections(
        most,
        source=SOURCE,
        manager=_CAME_FROM,
        sent_time=SENT,
        number=seed & 0xFFFF_FFFF,
        destination=direct(destination),
        label=LABEL,
        body_type=0,
        encryption=RC2,
        body=body(size, seed),
        trailers=Trailers(address=_CAME_FROM),
    )
    return [section(one.kind, one.size_alloc, one.data) for one in found]


def section(kind: int, size_alloc: int, data: bytes | str | None) -> Flat:
    """A SectionBuffer; its bytes may be hexadecimal text."""
    octets = bytes.fromhex(data) if isinstance(data, str) else data
    return {
        "SectionBufferType": kind,
        "SectionSizeAlloc": size_alloc,
        "SectionSize": len(octets or b""),
        "pSectionBuffer": octets,
    }
