"""What may become of a tree: fields and lengths that lie, parts missing, doubled, swapped, or another seed's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.layered.grammar import LEAVES
from tests.layered.tree import Leaf, Node, walk

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from tests.layered.captures import Capture, Said
    from tests.layered.tree import Part, Piece, Place

EDGES: Final = (0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 20, 24, 63, 64, 127, 128, 255, 256, 1_024, 4_095, 0x7FFF, 0x8000,
                0xFFFE, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)  # fmt: skip
_SIZES: Final = (1, 2, 4, 8, 12, 16, 20, 40)


def layer_of(part: Part) -> str:
    if isinstance(part, Node):
        return part.layout.layer
    return LEAVES.get(part.kind, "") if isinstance(part, Leaf) else ""


def places_in(parts: list[Part], layer: str) -> list[Place]:
    return [place for place in walk(parts) if layer_of(place.part) == layer]


def places_of(capture: Capture, layer: str, whose: Callable[[Said], bool] = lambda _: True) -> list[Place]:
    """In frames and in what was said."""
    found = [place for record in capture.records for place in walk(record.parts)]
    streams = [said.stream for said in capture.sides if whose(said)]
    found += [place for stream in streams for piece in stream.pieces for place in walk(piece.parts)]
    return [place for place in found if layer_of(place.part) == layer]


def damage(places: Sequence[Place], rng: random.Random, donors: Sequence[Place] = ()) -> bool:
    """One of them. False: there was nothing to damage."""
    alive = [place for place in places if place.at < len(place.siblings)]
    if not alive:
        return False
    place = rng.choice(alive)
    part = place.part
    if rng.random() < 0.25:
        _structure(place, rng, donors)
    elif isinstance(part, Node) and part.layout.fields:
        _field(part, rng)
    elif isinstance(part, Leaf):
        part.data = bytes_damaged(part.data, rng)
    else:
        _structure(place, rng, donors)
    return True


def _field(node: Node, rng: random.Random) -> None:
    name, code = rng.choice(node.layout.fields)
    old = node.values.get(name, 0)
    if isinstance(old, bytes):
        size = len(old)
        node.values[name] = bytes_flipped(old, rng) if rng.random() < 0.7 else rng.choice((bytes(size), b"\xff" * size))
        return
    bits = 8 * {"B": 1, "H": 2, "I": 4, "Q": 8}[code]
    if name in node.layout.computed(node, b""):
        node.left[name] = number(node.left.get(name, old), bits, rng)
    else:
        node.values[name] = number(old, bits, rng)


def number(old: int, bits: int, rng: random.Random) -> int:
    """Beside what it was, at an edge, with one bit changed, or any."""
    choices = old + 1, old - 1, old ^ 1 << rng.randrange(bits), rng.choice(EDGES), rng.getrandbits(bits)
    return rng.choice(choices) % (1 << bits)


def _structure(place: Place, rng: random.Random, donors: Sequence[Place]) -> None:
    siblings, index = place
    kind = getattr(place.part, "kind", "")
    match rng.randrange(4):
        case 0:
            del siblings[index]
        case 1:
            siblings[index:index] = [siblings[index]] * rng.choice((1, 1, 2, 8))
        case 2:
            other = rng.randrange(len(siblings))
            siblings[index], siblings[other] = siblings[other], siblings[index]
        case _:
            there = (one.part for one in donors if one.at < len(one.siblings))
            same = [part for part in there if getattr(part, "kind", "") == kind]
            if same:
                siblings[index] = rng.choice(same)


def pieces_damaged(pieces: list[Piece], rng: random.Random) -> None:
    """PDUs of a side that come in another order, or begin within each other."""
    if not pieces:
        return
    here, there = rng.choice(pieces), rng.choice(pieces)
    match rng.randrange(3):
        case 0:
            here.parts, there.parts = there.parts, here.parts
        case 1:
            here.parts = [*here.parts, *there.parts]
        case _:
            data = b"".join(part.write() for part in here.parts)
            here.parts = [Leaf("raw", data[: rng.randrange(len(data) + 1)])]


def bytes_damaged(data: bytes, rng: random.Random) -> bytes:
    at, size = rng.randrange(len(data) + 1), rng.choice(_SIZES)
    match rng.randrange(6):
        case 0 | 1:
            return bytes_flipped(data, rng)
        case 2:
            return data[:at]
        case 3:
            return (
                data[:at]
                + rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size), data[at : at + size]))
                + data[at:]
            )
        case 4:
            return data[:at] + data[at + size :]
        case _:
            return words_damaged(data, rng)


def bytes_flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5)) if data else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def words_damaged(data: bytes, rng: random.Random) -> bytes:
    """Numbers where numbers mostly stand."""
    changed = bytearray(data)
    size = rng.choice((1, 2, 4, 4, 8))
    if len(changed) < size:
        return data
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(changed) // size) * size
        order = rng.choice(("little", "little", "big"))
        old = int.from_bytes(changed[at : at + size], order)  # type: ignore[arg-type]
        changed[at : at + size] = number(old, 8 * size, rng).to_bytes(size, order)  # type: ignore[arg-type]
    return bytes(changed)
