"""A tree of headers and bodies, each with fields of its own. Writing it computes lengths, but those that lie."""

from __future__ import annotations

import struct
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Value = int | bytes
    Computed = Callable[["Node", bytes], Mapping[str, int]]
    """From the body, and what stands in it."""
    Tail = Callable[["Node", bytes, Mapping[str, "Value"]], bytes]


class Part(Protocol):
    """What a body is made of."""

    def write(self) -> bytes: ...


class Layout(NamedTuple):
    """Of one kind of node. Without fields it is a leaf: bytes and nothing else."""

    layer: str
    fields: tuple[tuple[str, str], ...] = ()
    """Name and struct's code, as they stand in front of the body."""
    computed: Computed = lambda _node, _body: {}
    """Lengths, counts and checksums."""
    tail: Tail = lambda _node, _body, _values: b""


@dataclass(slots=True)
class Leaf:
    """Bytes that nobody takes apart."""

    kind: str
    data: bytes

    def write(self) -> bytes:
        return self.data


@dataclass(slots=True)
class Node:
    kind: str
    layout: Layout
    values: dict[str, Value]
    parts: list[Part]
    order: str = "<"
    left: dict[str, int] = field(default_factory=dict)
    """Computed fields that lie on purpose."""

    def number(self, name: str) -> int:
        value = self.values[name]
        assert isinstance(value, int), name
        return value

    def octets(self, name: str) -> bytes:
        value = self.values[name]
        assert isinstance(value, bytes), name
        return value

    def write(self) -> bytes:
        body = b"".join(part.write() for part in self.parts)
        values = {**self.values, **self.layout.computed(self, body), **self.left}
        head = b"".join(_packed(self.order, code, values[name]) for name, code in self.layout.fields)
        return head + body + self.layout.tail(self, body, values)


def _packed(order: str, code: str, value: Value) -> bytes:
    if isinstance(value, bytes):
        return struct.pack(code, value)
    return struct.pack(order + code, value % (1 << 8 * struct.calcsize(order + code)))


def read(kind: str, layout: Layout, data: bytes, at: int, order: str = "<") -> tuple[Node, int]:
    """A node without parts, and where its body begins. Raises struct.error where there is too little."""
    code = order + "".join(code for _, code in layout.fields)
    found = struct.unpack_from(code, data, at)
    values = dict(zip((name for name, _ in layout.fields), found, strict=True))
    return Node(kind, layout, values, [], order), at + struct.calcsize(code)


@dataclass(slots=True)
class Piece:
    """Of a stream: where it was in the seed, and what is there now."""

    start: int
    parts: list[Part]
    """One, unless somebody took it out or doubled it."""


@dataclass(slots=True)
class Stream:
    """What one side said. Segments name places of the seed: they get what stands there now."""

    pieces: list[Piece]
    size: int
    """Of the seed."""
    _now: tuple[list[int], list[int], list[int], bytes] | None = None

    def settle(self) -> None:
        """From now on nothing changes."""
        old, new, sizes, written, at = [], [], [], [], 0
        for piece in self.pieces:
            data = b"".join(part.write() for part in piece.parts)
            old.append(piece.start)
            new.append(at)
            sizes.append(len(data))
            written.append(data)
            at += len(data)
        self._now = old, new, sizes, b"".join(written)

    def place(self, offset: int) -> int:
        """Where that is now. Behind the end and before the beginning nothing moves but with the end."""
        assert self._now is not None
        old, new, sizes, data = self._now
        if offset >= self.size:
            return len(data) + offset - self.size
        if offset <= 0:
            return offset
        at = bisect_left(old, offset)
        if at < len(old) and old[at] == offset:
            return new[at]
        return new[at - 1] + min(offset - old[at - 1], sizes[at - 1]) if at else 0

    def between(self, start: int, end: int) -> bytes:
        assert self._now is not None
        return self._now[3][max(self.place(start), 0) : max(self.place(end), 0)]


@dataclass(slots=True)
class Slice:
    """Payload of a segment: part of what its side said."""

    stream: Stream
    start: int
    end: int

    def write(self) -> bytes:
        return self.stream.between(self.start, self.end)


class Place(NamedTuple):
    """Where something stands: it can be taken out, doubled or replaced there."""

    siblings: list[Part]
    at: int

    @property
    def part(self) -> Part:
        return self.siblings[self.at]


def walk(parts: list[Part]) -> Iterator[Place]:
    """All nodes and leaves below, nodes before their parts."""
    for index, part in enumerate(parts):
        yield Place(parts, index)
        if isinstance(part, Node):
            yield from walk(part.parts)
