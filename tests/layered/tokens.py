"""Authentication tokens taken apart: elements of DER within each other, and the fields of NTLM's messages."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from tests.layered import grammar as g
from tests.layered.tree import Layout, Leaf, Node, read

if TYPE_CHECKING:
    from tests.layered.tree import Part

NTLM: Final = b"NTLMSSP\0"
CONSTRUCTED: Final = 0x20
_FIELDS: Final = {1: (16, 24), 2: (12, 40), 3: (12, 20, 28, 36, 44, 52)}
"""Of each NTLM message, where a length and an offset stand: [MS-NLMP] 2.2.1."""
_DEEPEST: Final = 12


def token_parts(data: bytes) -> list[Part]:
    if data.startswith(NTLM):
        return [_ntlm(data)]
    try:
        return _elements(data, 0)
    except (IndexError, struct.error):
        return [Leaf("token", data)]


def _ntlm(data: bytes) -> Part:
    if len(data) < 12:
        return Leaf("token", data)
    node, at = read("ntlm", g.NTLM, data, 0)
    for place in _FIELDS.get(node.number("type"), ()):
        if place + 8 > len(data):
            break
        if place > at:
            node.parts.append(Leaf("token", data[at:place]))
        described, at = read("described", g.DESCRIBED, data, place)
        node.parts.append(described)
    node.parts.append(Leaf("token", data[at:]))
    return node


def _length(size: int) -> bytes:
    if size < 0x80:
        return bytes([size])
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(octets)]) + octets


class Element(Node):
    """Of DER: its length takes as many bytes as it needs."""

    __slots__ = ()

    def write(self) -> bytes:
        body = b"".join(part.write() for part in self.parts)
        size = self.left.get("length", len(body))
        return bytes([self.number("tag") & 0xFF]) + _length(size % (1 << 32)) + body


DER: Final = Layout(g.TOKEN, (("tag", "B"),), lambda _node, body: {"length": len(body)})


def _elements(data: bytes, depth: int) -> list[Part]:
    found: list[Part] = []
    at = 0
    while at < len(data):
        tag, size, start = data[at], data[at + 1], at + 2
        if size & 0x80:
            octets = size & 0x7F
            if not 0 < octets <= 4:
                raise IndexError
            size, start = int.from_bytes(data[start : start + octets], "big"), start + octets
        if start + size > len(data):
            raise IndexError
        node = Element("element", DER, {"tag": tag}, [])
        node.parts = _content(data[start : start + size], tag, depth)
        found.append(node)
        at = start + size
    return found


def _content(data: bytes, tag: int, depth: int) -> list[Part]:
    if data.startswith(NTLM):
        return [_ntlm(data)]
    if tag & CONSTRUCTED and depth < _DEEPEST:
        try:
            return _elements(data, depth + 1)
        except IndexError:
            pass
    return [Leaf("primitive", data)]
