"""What a side said, taken apart into PDUs; what is none stays bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from tests.layered import grammar as g
from tests.layered.tokens import token_parts
from tests.layered.tree import Leaf, Node, Piece, Stream, read

if TYPE_CHECKING:
    from tests.layered.tree import Part

HEADER: Final = 16
REQUEST, RESPONSE, FAULT, BIND, ACK, ALTER, ALTERED = 0, 2, 3, 11, 12, 14, 15
OBJECT_FLAG: Final = 0x80
_SECURITY: Final = 8


def stream_of(data: bytes) -> Stream:
    pieces, at = [], 0
    while at < len(data):
        size = _size_at(data, at)
        part: Part = pdu(data[at : at + size]) if size else Leaf("raw", data[at:])
        pieces.append(Piece(at, [part]))
        at += size or len(data)
    return Stream(pieces, len(data))


def _size_at(data: bytes, at: int) -> int:
    """0: no PDU begins there, or not all of it is there."""
    if len(data) - at < HEADER or data[at] != 5:
        return 0
    order = "<" if data[at + 4] & 0x10 else ">"
    size, token = struct.unpack_from(order + "HH", data, at + 8)
    return size if HEADER <= size <= len(data) - at and token + _SECURITY <= size else 0


def pdu(data: bytes) -> Node:
    order = "<" if data[4] & 0x10 else ">"
    node, at = read("pdu", g.COMMON, data, 0, order)
    token, end, security = node.number("auth_length"), len(data), None
    if token:
        start = len(data) - token - _SECURITY
        security, _ = read("security", g.SECURITY, data, start, order)
        security.parts = token_parts(data[start + _SECURITY :])
        end = max(start - security.number("pad"), HEADER)
    try:
        node.parts = _body(node, data, at, end, order)
    except struct.error:
        node.parts = [Leaf("body", data[at:end])]
    if security is not None:
        node.parts += [Leaf("pad", data[end : len(data) - token - _SECURITY]), security]
    if node.write() != data:
        # A length that says something else is kept as it was said.
        node.left = {name: node.number(name) for name in ("frag_length", "auth_length")}
    return node


def _body(node: Node, data: bytes, at: int, end: int, order: str) -> list[Part]:
    kind = node.values["type"]
    if kind == REQUEST:
        head, at = read("request", g.REQUEST, data, at, order)
        if node.number("flags") & OBJECT_FLAG:
            head.parts, at = [Leaf("object", data[at : at + 16])], at + 16
        return [_told(head, Leaf("stub", data[at:end]))]
    if kind in (RESPONSE, FAULT):
        head, at = read("response", g.RESPONSE if kind == RESPONSE else g.FAULT, data, at, order)
        return [_told(head, Leaf("stub", data[at:end]))]
    if kind in (BIND, ALTER):
        return [_bind(data, at, end, order)]
    if kind in (ACK, ALTERED):
        return _ack(data, at, end, order)
    return [Leaf("body", data[at:end])]


def _told(head: Node, stub: Leaf) -> Node:
    """The hint of a fragment is of the whole: it is kept."""
    head.parts = [*head.parts, stub]
    if (hint := head.number("alloc_hint")) != len(stub.data):
        head.left["alloc_hint"] = hint
    return head


def _bind(data: bytes, at: int, end: int, order: str) -> Node:
    node, at = read("bind", g.BIND, data, at, order)
    for _ in range(node.number("contexts")):
        context, at = read("context", g.CONTEXT, data, at, order)
        for _ in range(context.number("transfers")):
            syntax, at = read("syntax", g.SYNTAX, data, at, order)
            context.parts.append(syntax)
        node.parts.append(context)
    node.parts.append(Leaf("body", data[at:end]))
    return node


def _ack(data: bytes, at: int, end: int, order: str) -> list[Part]:
    node, at = read("ack", g.ACK, data, at, order)
    size = node.number("address_length")
    node.parts, at = [Leaf("address", data[at : at + size])], at + size
    pad = -at % 4
    results, behind = read("results", g.RESULTS, data, at + pad, order)
    for _ in range(results.number("results")):
        result, behind = read("result", g.RESULT, data, behind, order)
        results.parts.append(result)
    return [node, Leaf("pad", data[at : at + pad]), results, Leaf("body", data[behind:end])]
