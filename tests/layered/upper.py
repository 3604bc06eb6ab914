"""Cases of one layer alone, from DCE/RPC up: PDUs of a connection, a token, a stub's values, a message."""

from __future__ import annotations

import struct
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from decoders.dcerpc.call_model import Call, PduOf
from decoders.dcerpc.calls import CallTracker
from decoders.dcerpc.framing import ConnectionFramer, Skipped
from decoders.msmq.message import PROBLEMS
from decoders.msmq.message.packet import parse_message
from decoders.msmq.message.packet_facts import facts_of
from decoders.msmq.message.reader import Form
from decoders.ndr.model import Direction, Syntax
from decoders.registry import REGISTRY
from decoders.security.tokens import read_token
from decoders.tcp.model import Data, Side
from tests.fuzz.findings import Broken
from tests.fuzz.stub_checks import checks_of
from tests.fuzz.stub_seeds import WIRES
from tests.layered import grammar as g
from tests.layered.captures import capture_of
from tests.layered.damage import bytes_damaged, damage, pieces_damaged, places_in, places_of, words_damaged
from tests.layered.lower import a_seed
from tests.layered.seeds import frames_of, seeds
from tests.layered.tokens import token_parts
from tests.layered.tree import Leaf, Node, read
from tests.layered.values import changed

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from decoders.dcerpc.framing import Framed
    from tests.fuzz.stub_seeds import Wire
    from tests.layered.captures import Said

_LIOR = b"LIOR"
_BASE = 16
_ONLY = 3
_PRIVACY = 6
_NDR64 = "71710533-beba-4937-8319-b5dbef9ccc36"


def pdus(rng: random.Random, _folder: Path) -> str:
    """Both sides of a connection, framed and paired: each byte belongs to one thing, each PDU to one fate."""
    whole = capture_of(a_seed(rng))
    talking = [one for one in whole.segments if one.peer is not None and one.end_of_payload]
    if not talking:
        return "nothing said"
    first = rng.choice(talking)
    sides = {id(first.said): Side.LOW, id(first.peer): Side.HIGH}
    mine = {id(first.said), id(first.peer)}
    places = places_of(whole, g.PDU, lambda said: id(said) in mine)
    for _ in range(rng.choice((1, 1, 2, 4))):
        damage(places, rng, places)
    if rng.random() < 0.4:
        pieces_damaged(first.said.stream.pieces, rng)
    whole.settle()
    framer, tracker = ConnectionFramer(), CallTracker()
    ends = {Side.LOW: 0, Side.HIGH: 0}
    framed: list[Framed] = []
    events: list[object] = []
    for number, one in enumerate((one for one in whole.segments if id(one.said) in mine), 1):
        payload = b"".join(part.write() for part in one.node.parts[1:])
        if not payload:
            continue
        side = sides[id(one.said)]
        found = framer.feed(Data(side, ends[side], payload, number, 0, number), from_start=ends[side] == 0)
        ends[side] += len(payload)
        _take(tracker, found, ends, events)
        framed += found
    found = framer.finish()
    _take(tracker, found, ends, events)
    framed += found
    events += tracker.finish()
    return _whole(framed, events, sum(ends.values()))


def _take(tracker: CallTracker, framed: list[Framed], ends: dict[Side, int], events: list[object]) -> None:
    for one in framed:
        if isinstance(one, Skipped):
            events += tracker.skipped(one)
        else:
            events += tracker.pdu(one.sender is Side.LOW, one, ends[one.sender.peer])


def _whole(framed: list[Framed], events: list[object], size: int) -> str:
    counted = sum(one.size if isinstance(one, Skipped) else sum(one.origin.bytes_by_capture.values()) for one in framed)
    if counted != size:
        raise Broken("bytes belong to no PDU and were not skipped, or to two", (counted, size))
    told = Counter((one.framed.sender, one.framed.offset) for one in events if isinstance(one, PduOf))
    expected = Counter((one.sender, one.offset) for one in framed if not isinstance(one, Skipped))
    if told != expected:
        raise Broken("a PDU has no fate, or two", (told - expected, expected - told))
    calls = [one for one in events if isinstance(one, Call)]
    if len({one.key for one in calls}) != len(calls):
        raise Broken("two calls have one key")
    return "calls" if calls else "no calls"


@cache
def _tokens() -> tuple[bytes, ...]:
    found = {
        b"".join(part.write() for part in place.part.parts)
        for number in range(len(seeds()))
        for said in capture_of(frames_of(number)).sides
        for piece in said.stream.pieces
        for place in places_in(piece.parts, g.TOKEN)
        if isinstance(place.part, Node) and place.part.kind == "security"
    }
    return tuple(sorted(one for one in found if len(one) > _BASE))


def tokens(rng: random.Random, _folder: Path) -> str:
    parts = token_parts(rng.choice(_tokens()))
    donors = places_in(token_parts(rng.choice(_tokens())), g.TOKEN)
    for _ in range(rng.choice((1, 1, 2, 4))):
        damage(places_in(parts, g.TOKEN), rng, donors)
    token = b"".join(part.write() for part in parts)
    found = read_token(token, from_client=rng.random() < 0.5)
    return "read" if found.message is not None else "refused" if found.problem else "unknown"


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
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, struct.error, OverflowError):
            # Values that no stub can have.
            how = "no stub has these values"
    if how != "values" or rng.random() < 0.3:
        data = words_damaged(data, rng) if rng.random() < 0.5 else bytes_damaged(data, rng)
    decoded, _ = checks.one(data)
    if rng.random() < 0.02:
        checks.memory(data)
        checks.together([decoded])
    return f"{how}, {'complete' if decoded.complete else 'stopped'}"


@cache
def _messages() -> tuple[bytes, ...]:
    found: dict[bytes, None] = {}
    for number in range(len(seeds())):
        for said in capture_of(frames_of(number)).sides:
            for piece in said.stream.pieces:
                data = b"".join(part.write() for part in piece.parts)
                at = data.find(_LIOR) - 4
                if at >= 0:
                    (size,) = struct.unpack_from("<I", data, at + 8)
                    found[data[at : at + size]] = None
    return tuple(found)


def messages(rng: random.Random, _folder: Path) -> str:
    data = rng.choice(_messages())
    try:
        node, at = read("base", g.BASE, data, 0)
        user, at = read("user", g.USER, data, at)
        node.parts = [user, *_words(data[at:], rng)]
    except struct.error:
        return "too short"
    size = node.number("size")
    if size != len(data):
        node.left["size"] = size
    for _ in range(rng.choice((1, 1, 2, 4))):
        damage(places_in([node], g.MESSAGE), rng)
    told = parse_message(node.write(), rng.choice((Form.MQQP, Form.MQRR)), missing_body=rng.choice((0, 0, 0, 1, 100)))
    if unknown := {one.code for one in told.problems} - PROBLEMS.keys():
        raise Broken("a problem of a message has a code that nobody declared", unknown)
    facts_of(told)
    return "complete" if told.complete else "damaged"


def _words(data: bytes, rng: random.Random) -> list[Any]:
    """[MS-MQMQ] 2.2.19.1: headers begin at multiples of 4."""
    cuts = sorted({0, *(rng.randrange(len(data) // 4 + 1) * 4 for _ in range(4)), len(data)})
    return [Leaf("content", data[start:end]) for start, end in pairwise(cuts)]
