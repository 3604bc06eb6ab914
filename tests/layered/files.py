"""A capture's tree to the bytes of a file: pcap, pcapng with blocks around it, within gzip."""

from __future__ import annotations

import gzip
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tests.layered import grammar as g
from tests.layered.tree import Leaf, Node

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from tests.layered.tree import Part

FORMATS: Final = ("pcap", "pcap", "pcap big", "pcapng", "pcapng big")
_EPB, _IDB, _SHB, _ISB, _NRB, _CUSTOM = 6, 1, 0x0A0D0D0A, 5, 4, 0x0BAD
_MICROSECONDS: Final = 1_000_000


def as_file(kind: str, records: Sequence[Node], rng: random.Random | None = None) -> list[Part]:
    """Parts in a row. With dice a pcapng file has blocks in between that say nothing of packets."""
    order = ">" if kind.endswith("big") else "<"
    for record in records:
        record.order = order
    if kind.startswith("pcapng"):
        return [*_begun(order), *(part for record in records for part in _packets(record, order, rng))]
    values: dict[str, int | bytes] = {
        "magic": 0xA1B2C3D4, "major": 2, "minor": 4, "zone": 0, "accuracy": 0, "snap": 262_144, "link": 1,
    }  # fmt: skip
    return [Node("pcap", g.PCAP, values, [], order), *records]


def _block(kind: int, order: str, *parts: Part) -> Node:
    return Node("block", g.BLOCK, {"type": kind, "total": 0}, list(parts), order)


def _begun(order: str) -> list[Part]:
    section: dict[str, int | bytes] = {"magic": 0x1A2B3C4D, "major": 1, "minor": 0, "size": (1 << 64) - 1}
    interface: dict[str, int | bytes] = {"link": 1, "reserved": 0, "snap": 0}
    resolution = _option(9, b"\x06", order)
    return [
        _block(_SHB, order, Node("section", g.SECTION, section, [], order)),
        _block(_IDB, order, Node("interface", g.INTERFACE, interface, [resolution, _option(0, b"", order)], order)),
    ]


def _option(code: int, value: bytes, order: str) -> Node:
    return Node("option", g.OPTION, {"code": code, "length": 0}, [Leaf("value", value)], order)


def _packets(record: Node, order: str, rng: random.Random | None) -> list[Part]:
    ticks = record.number("seconds") * _MICROSECONDS + record.number("fraction")
    values: dict[str, int | bytes] = {
        "interface": 0, "high": ticks >> 32, "low": ticks & 0xFFFF_FFFF, "captured": 0, "wire": 0,
        "cut": record.values["cut"],
    }  # fmt: skip
    packet = Node("packet", g.PACKET, values, [_Padded(record.parts)], order)
    found: list[Part] = [_block(_EPB, order, packet)]
    if rng is not None and rng.random() < 0.1:
        kind = rng.choice((_ISB, _NRB, _CUSTOM, _IDB, _SHB))
        if kind in (_IDB, _SHB):
            found += _begun(order)[1 if kind == _IDB else 0 :]
        else:
            found.append(_block(kind, order, Leaf("aside", rng.randbytes(rng.choice((0, 4, 12, 40))))))
    return found


class _Padded(Node):
    """The frame of a packet block. Its own length is told without what fills it up."""

    __slots__ = ()

    def __init__(self, parts: list[Part]) -> None:
        super().__init__("padded", g.BLOCK, {}, parts)

    def write(self) -> bytes:
        return b"".join(part.write() for part in self.parts)


def written(parts: Sequence[Part]) -> bytes:
    return b"".join(part.write() for part in parts)


def compressed(data: bytes, rng: random.Random) -> bytes:
    """In one member or several, the last one perhaps cut."""
    cuts = sorted(rng.choices(range(len(data) + 1), k=rng.choice((0, 1, 3))))
    bounds = [0, *cuts, len(data)]
    packed = b"".join(gzip.compress(data[a:b], 1, mtime=0) for a, b in pairwise(bounds))
    return packed[: rng.randrange(len(packed))] if rng.random() < 0.2 else packed
