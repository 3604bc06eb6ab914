"""What a network, a tap or a forger does to packets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from tests.fuzz.recording import Shot

    Shots = Sequence[Shot]
    Mutation = Callable[[Shots, random.Random], list[Shot]]

FLAGS = (0x01, 0x02, 0x04, 0x10, 0x11, 0x12, 0x14, 0x18, 0x00, 0xFF)


def dropped(shots: Shots, rng: random.Random) -> list[Shot]:
    """Here and there, a run of them, or all of one side's for a while."""
    where = rng.randrange(len(shots))
    length = rng.choice((1, 2, 3, 5, 8))
    side = rng.random() < 0.5
    share = rng.choice((0.1, 0.3))
    return rng.choice((
        lambda: [shot for place, shot in enumerate(shots) if not where <= place < where + length],
        lambda: [shot for shot in shots if rng.random() > share],
        lambda: [shot for place, shot in enumerate(shots)
                 if shot.packet.from_client is side or not where <= place < where + 2 * length],
        lambda: list(shots[where:]),
    ))()  # fmt: skip


def snapped(shots: Shots, rng: random.Random) -> list[Shot]:
    """The snap length cut the end of the payload, of all packets or of some."""
    most, share = rng.choice((0, 1, 8, 15, 16, 20, 24, 40, 60)), rng.choice((0.2, 0.5, 1.0))
    return [
        _changed(shot, cut=max(0, len(shot.packet.payload) - most)) if rng.random() < share else shot for shot in shots
    ]


def duplicated(shots: Shots, rng: random.Random) -> list[Shot]:
    return [copy for shot in shots for copy in (shot,) * rng.choice((1, 1, 2, 3))]


def reordered(shots: Shots, rng: random.Random) -> list[Shot]:
    """The times stay: the packets change places."""
    reach = rng.choice((2, 4, 40))
    moved = sorted(range(len(shots)), key=lambda place: place + rng.uniform(0, reach))
    return [replace(shots[source], at_ms=shots[place].at_ms) for place, source in enumerate(moved)]


def late(shots: Shots, rng: random.Random) -> list[Shot]:
    """Written to the file in another order than their times say."""
    result = list(shots)
    rng.shuffle(result)
    return result


def renumbered(shots: Shots, rng: random.Random) -> list[Shot]:
    by = rng.choice((1, -1, 7, -20, 1 << 16, 1 << 30, 1 << 31))
    return _some(shots, rng, lambda shot: _changed(shot, seq=shot.packet.seq + by))


def acknowledged(shots: Shots, rng: random.Random) -> list[Shot]:
    by = rng.choice((1, -1, 100, 1 << 20, 1 << 31))
    return _some(shots, rng, lambda shot: _changed(shot, ack=shot.packet.ack + by))


def flagged(shots: Shots, rng: random.Random) -> list[Shot]:
    return _some(shots, rng, lambda shot: _changed(shot, flags=rng.choice(FLAGS)))


def rewritten(shots: Shots, rng: random.Random) -> list[Shot]:
    """A copy with other bytes, before or after the packet: a forger, or a tap that breaks."""
    place = rng.randrange(len(shots))
    shot = shots[place]
    payload = bytearray(shot.packet.payload)
    for _ in range(rng.choice((1, 4)) if payload else 0):
        payload[rng.randrange(len(payload))] ^= 1 << rng.randrange(8)
    both = [shot, _changed(shot, payload=bytes(payload))]
    rng.shuffle(both)
    return [*shots[:place], *both, *shots[place + 1 :]]


def overlapping(shots: Shots, rng: random.Random) -> list[Shot]:
    """Packets begin with bytes that their side had sent already, or with others in their place."""
    sent: dict[tuple[object, bool], bytes] = {}
    back, forged = rng.choice((1, 5, 30)), rng.random() < 0.3
    result = []
    for shot in shots:
        packet, whose = shot.packet, (shot.ends, shot.packet.from_client)
        tail = sent.get(whose, b"")[-back:] if packet.payload else b""
        sent[whose] = sent.get(whose, b"") + packet.payload
        tail = bytes(len(tail)) if forged else tail
        result.append(_changed(shot, seq=packet.seq - len(tail), payload=tail + packet.payload))
    return result


def _changed(shot: Shot, **fields: int | bytes) -> Shot:
    return replace(shot, packet=replace(shot.packet, **fields))  # type: ignore[arg-type]


def _some(shots: Shots, rng: random.Random, change: Callable[[Shot], Shot]) -> list[Shot]:
    share = rng.choice((0.05, 0.2, 1.0))
    return [change(shot) if rng.random() < share else shot for shot in shots]


LOSSES: tuple[Mutation, ...] = (dropped, snapped)
"""Nothing is added or changed: what is left must not be put together in a new way."""
HARMLESS: tuple[Mutation, ...] = (duplicated, late)
"""Nothing is missing or new either: all that was said must be said again."""
CHANGES: tuple[Mutation, ...] = (
    reordered,
    renumbered,
    acknowledged,
    flagged,
    rewritten,
    overlapping,
)
