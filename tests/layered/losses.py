"""What a tap misses: packets, a run of them, a side, a connection, the beginning or the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.layered.tree import walk

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping, Sequence

    from tests.layered.captures import Capture, Recorded

    Ends = tuple[bytes, ...]
    Loss = Callable[[Sequence[Ends | None], random.Random], list[int]]
    """By place, whose each packet is; which are kept."""


def ends_of(capture: Capture) -> list[Ends | None]:
    """Of each record: address and port of its sender, then of its receiver. None: it is no segment of TCP."""
    return [_ends(record) for record in capture.records]


def _ends(record: object) -> Ends | None:
    found: dict[str, object] = {}
    for place in walk(record.parts):  # type: ignore[attr-defined]
        kind = getattr(place.part, "kind", "")
        if kind in ("ipv4", "ipv6", "tcp"):
            found[kind] = place.part
    ip, tcp = found.get("ipv4") or found.get("ipv6"), found.get("tcp")
    if ip is None or tcp is None:
        return None
    hosts, ports = ip.values, tcp.values  # type: ignore[attr-defined]
    return (
        hosts["from"], ports["from"].to_bytes(2, "big"), hosts["to"], ports["to"].to_bytes(2, "big")
    )  # fmt: skip


def packets(ends: Sequence[Ends | None], rng: random.Random) -> list[int]:
    gone = set(rng.choices(range(len(ends)), k=rng.choice((1, 1, 2, 3))))
    return [place for place in range(len(ends)) if place not in gone]


def share(ends: Sequence[Ends | None], rng: random.Random) -> list[int]:
    part = rng.choice((0.05, 0.2, 0.5))
    return [place for place in range(len(ends)) if rng.random() > part]


def run(ends: Sequence[Ends | None], rng: random.Random) -> list[int]:
    start = rng.randrange(len(ends))
    end = start + rng.choice((2, 3, 5, 10))
    return [place for place in range(len(ends)) if not start <= place < end]


def side(ends: Sequence[Ends | None], rng: random.Random) -> list[int]:
    """All that one side of one connection says, or from a moment on."""
    whose, start = rng.choice(ends), rng.choice((0, rng.randrange(len(ends))))
    return [place for place, one in enumerate(ends) if one != whose or place < start]


def connection(ends: Sequence[Ends | None], rng: random.Random) -> list[int]:
    whose = rng.choice(ends)
    back = whose[2:] + whose[:2] if whose else None
    return [place for place, one in enumerate(ends) if one not in (whose, back)]


def tail(ends: Sequence[Ends | None], rng: random.Random) -> list[int]:
    return list(range(rng.randrange(len(ends))))


def head(ends: Sequence[Ends | None], rng: random.Random) -> list[int]:
    return list(range(rng.randrange(len(ends)), len(ends)))


LOSSES: Final[Mapping[str, Loss]] = {
    "packets": packets, "share": share, "run": run, "side": side, "connection": connection, "tail": tail, "head": head,
}  # fmt: skip


def left(frames: Sequence[Recorded], kept: Sequence[int]) -> list[Recorded]:
    return [frames[place] for place in kept]
