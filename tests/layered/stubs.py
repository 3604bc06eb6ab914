"""Stubs of seeds by themselves: what was said, with other values in it, or its numbers changed."""

from __future__ import annotations

import struct
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from decoders.ndr.model import Direction, Syntax
from decoders.registry import REGISTRY
from tests.fuzz.stub_checks import checks_of
from tests.fuzz.stub_seeds import WIRES
from tests.layered import grammar as g
from tests.layered.captures import capture_of
from tests.layered.damage import bytes_damaged, places_in, words_damaged
from tests.layered.seeds import frames_of, seeds
from tests.layered.tree import Leaf, Node
from tests.layered.values import changed

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.fuzz.stub_seeds import Wire
    from tests.layered.captures import Said

_ONLY = 3
_PRIVACY = 6
_NDR64 = "71710533-beba-4937-8319-b5dbef9ccc36"


class Stub(NamedTuple):
    wire: Wire
    data: bytes


@cache
def _wires() -> dict[tuple[str, int, Direction, Syntax, str], Wire]:
    return {
        (one.interface.uuid, one.operation.opnum, one.direction, one.syntax, one.byte_order): one
        for one in WIRES
        if not (one.interface.uuid in REGISTRY and REGISTRY[one.interface.uuid].is_com)
    }


@cache
def _stubs() -> tuple[Stub, ...]:
    """Of calls in one fragment that anybody can read, each once."""
    found: dict[tuple[str, bytes], Stub] = {}
    for number in range(len(seeds())):
        whole = capture_of(frames_of(number))
        paired = {(id(one.said), id(one.peer)): one for one in whole.segments if one.peer is not None}
        for one in paired.values():
            found.update({(stub.wire.name, stub.data): stub for stub in _stubs_of(one.said, one.peer)})
    return tuple(found.values())


def _stubs_of(client: Said, server: Said | None) -> list[Stub]:
    contexts: dict[int, tuple[str, Syntax]] = {}
    opnums: dict[int, tuple[int, int]] = {}
    found = []
    for node in _nodes(client):
        for place in places_in(node.parts, g.PDU):
            if isinstance(place.part, Node) and place.part.kind == "context":
                _learn(contexts, place.part)
        body = _body(node, "request")
        if body is not None:
            context, opnum = body.number("context"), body.number("opnum")
            opnums[node.number("call_id")] = context, opnum
            found += _stub(node, body, contexts.get(context), opnum, Direction.IN)
    for node in _nodes(server):
        body, asked = _body(node, "response"), opnums.get(node.number("call_id"))
        if body is not None and asked is not None and node.values["type"] == 2:
            found += _stub(node, body, contexts.get(asked[0]), asked[1], Direction.OUT)
    return found


def _nodes(said: Said | None) -> list[Node]:
    pieces = said.stream.pieces if said is not None else []
    return [part for piece in pieces for part in piece.parts if isinstance(part, Node) and part.kind == "pdu"]


def _body(node: Node, kind: str) -> Node | None:
    """Of one in a single fragment that is not sealed."""
    sealed = any(
        isinstance(part, Node) and part.kind == "security" and part.number("level") == _PRIVACY for part in node.parts
    )
    if sealed or node.number("flags") & _ONLY != _ONLY:
        return None
    return next((part for part in node.parts if isinstance(part, Node) and part.kind == kind), None)


def _learn(contexts: dict[int, tuple[str, Syntax]], context: Node) -> None:
    ndr64 = any(_uuid(part.octets("uuid")) == _NDR64 for part in context.parts if isinstance(part, Node))
    contexts[context.number("id")] = _uuid(context.octets("interface")), Syntax.NDR64 if ndr64 else Syntax.NDR


def _uuid(data: bytes) -> str:
    one, two, three = struct.unpack_from("<IHH", data)
    return f"{one:08x}-{two:04x}-{three:04x}-{data[8:10].hex()}-{data[10:].hex()}"


def _stub(node: Node, body: Node, context: tuple[str, Syntax] | None, opnum: int, way: Direction) -> list[Stub]:
    if context is None:
        return []
    order = "<" if node.octets("drep")[0] & 0x10 else ">"
    wire = _wires().get((context[0], opnum, way, context[1], order))
    leaf = next((part for part in body.parts if isinstance(part, Leaf) and part.kind == "stub"), None)
    return [] if wire is None or leaf is None else [Stub(wire, leaf.data)]


def stubs(rng: random.Random, _folder: Path) -> str:
    """What was said, with other values in it; or its numbers changed."""
    one = rng.choice(_stubs())
    checks = checks_of(one.wire.name)
    data, how = one.data, "bytes"
    if rng.random() < 0.7:
        try:
            values: dict[str, Any] = checks.decode(one.data).values
            data, how = one.wire.encode(changed(values, rng), 0), "values"
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, struct.error, OverflowError, MemoryError):
            # Values that no stub can have.
            how = "no stub has these values"
    if how != "values" or rng.random() < 0.3:
        data = words_damaged(data, rng) if rng.random() < 0.5 else bytes_damaged(data, rng)
    decoded, _ = checks.one(data)
    if rng.random() < 0.02:
        checks.memory(data)
        checks.together([decoded])
    return f"{how}, {'complete' if decoded.complete else 'stopped'}"
