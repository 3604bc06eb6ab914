"""Cases of one layer alone, below DCE/RPC: what the file, the frames or the segments of a connection say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.tcp.conversation import Closed, Conversation
from decoders.tcp.model import Conflict, Data, Gap, Segment, Side
from tests.builders import packets as p
from tests.decoders.net.shapes import LINK_TYPES
from tests.decoders.net.test_dissect_many import assert_equal
from tests.fuzz.capture_checks import check_scan
from tests.fuzz.findings import Broken
from tests.layered import files
from tests.layered.captures import capture_of
from tests.layered.damage import bytes_damaged, damage, places_in, places_of
from tests.layered.grammar import CONTAINER, FRAME, RECORD, SEGMENT
from tests.layered.seeds import frames_of, seeds
from tests.layered.tree import Leaf, Node

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

    from decoders.tcp.connection import Connection
    from tests.layered.captures import Capture, Recorded
    from tests.layered.captures import Segment as Header

_FRAMES = 24


def a_seed(rng: random.Random) -> tuple[Recorded, ...]:
    return frames_of(rng.randrange(len(seeds())))


def container(rng: random.Random, folder: Path) -> str:
    """Blocks and records; the frames in them are whole."""
    records = [record_of(one) for one in a_seed(rng)[:_FRAMES]]
    kind = rng.choice(files.FORMATS)
    parts = files.as_file(kind, records, rng)
    for _ in range(rng.choice((1, 1, 2, 4))):
        damage(places_in(parts, CONTAINER), rng)
    data = files.written(parts)
    if rng.random() < 0.1:
        data = bytes_damaged(data, rng)
    if rng.random() < 0.15:
        kind, data = f"{kind} in gzip", files.compressed(data, rng)
    path = folder / "case.pcap"
    path.write_bytes(data)
    check_scan(path)
    return kind


def record_of(one: Recorded) -> Node:
    seconds, rest = divmod(one.ts_ns, 1_000_000_000)
    values: dict[str, int | bytes] = {
        "seconds": seconds, "fraction": rest // 1_000, "cut": one.wire - len(one.data), "captured": 0, "wire": 0,
    }  # fmt: skip
    return Node("record", RECORD, values, [Leaf("frame", one.data)])


def frames(rng: random.Random, _folder: Path) -> str:
    """Link layer, tags, IP, tunnels: what is read in bulk is what the reference reads."""
    whole = capture_of(a_seed(rng)[:_FRAMES])
    whole.settle()
    places = [*places_of(whole, FRAME), *places_of(whole, SEGMENT)]
    for _ in range(rng.choice((1, 2, 4))):
        damage(places, rng)
    found = [b"".join(part.write() for part in record.parts) for record in whole.records]
    around = rng.choice(("plain", "plain", "plain", "vxlan", "gre", "erspan", "other link"))
    if around == "vxlan":
        found = [p.ethernet(p.ipv4(p.udp(p.vxlan(one), dport=4789), 17)) for one in found]
    elif around == "gre":
        found = [p.ethernet(p.ipv4(p.gre(one[14:]), 47)) for one in found]
    elif around == "erspan":
        found = [p.ethernet(p.ipv4(p.gre(p.erspan2(one), 0x88BE), 47)) for one in found]
    if around != "plain" and rng.random() < 0.5:
        found = [bytes_damaged(one, rng) for one in found]
    link = rng.choice(LINK_TYPES) if around == "other link" else 1
    cut = rng.choice((None, None, 60, 40, 20))
    wire = [len(one) for one in found]
    assert_equal([one[:cut] for one in found], link, wire)
    return around


def segments(rng: random.Random, _folder: Path) -> str:
    """Of one pair of ends: what TCP delivers, what it misses, and what becomes of each byte."""
    whole = capture_of(a_seed(rng))
    whole.settle()
    if not whole.segments:
        return "no segments"
    chosen = _told(_of_one_pair(whole, rng), rng)
    conversation = Conversation()
    heard: dict[int, tuple[Connection, list[Data | Gap | Conflict]]] = {}
    closed = 0
    for number, one in enumerate(chosen, 1):
        for connection, event in conversation.feed(one._replace(frame=number)):
            closed += _note(heard, connection, event)
    for connection, event in conversation.finish():
        closed += _note(heard, connection, event)
    if closed != len(heard):
        raise Broken("a connection was not closed, or twice", (closed, len(heard)))
    for connection, events in heard.values():
        _accounted(connection, events)
    told = sum(sum(sum(fates.values()) for fates in connection.fates.values()) for connection, _ in heard.values())
    if told != sum(len(one.payload) for one in chosen):
        raise Broken("bytes of segments have no fate, or two", told)
    kinds = {type(event) for _, events in heard.values() for event in events}
    return "conflict" if Conflict in kinds else "gap" if Gap in kinds else "in order"


def _of_one_pair(whole: Capture, rng: random.Random) -> list[tuple[Header, Side]]:
    one = rng.choice(whole.segments)
    own = {id(one.said), id(one.peer)}
    return [(each, Side(id(each.said) != id(one.said))) for each in whole.segments if id(each.said) in own]


def _told(headers: list[tuple[Header, Side]], rng: random.Random) -> list[Segment]:
    found = []
    for number, (header, sender) in enumerate(headers):
        seq, ack, flags, window = map(header.node.number, ("seq", "ack", "flags", "window"))
        payload = b"".join(part.write() for part in header.node.parts[1:])
        found.append(Segment(sender, number, 0, number, seq, ack, flags, window, payload, len(payload)))
    for _ in range(rng.choice((1, 2, 4, 8))):
        if found:
            _disturb(found, rng)
    return found


def _disturb(found: list[Segment], rng: random.Random) -> None:
    place = rng.randrange(len(found))
    one = found[place]
    match rng.randrange(9):
        case 0:
            del found[place]
        case 1:
            found.insert(rng.randrange(len(found) + 1), one)
        case 2:
            found.insert(min(place + rng.choice((1, 2, 5, 40)), len(found)), found.pop(place))
        case 3:
            by = rng.choice((1, -1, 10, -10, 1 << 12, 1 << 16, 1 << 24, 1 << 31, -(1 << 31)))
            found[place] = one._replace(seq=(one.seq + by) % (1 << 32))
        case 4:
            found[place] = one._replace(ack=(one.ack + rng.choice((1, -1, 100, 1 << 20, 1 << 31))) % (1 << 32))
        case 5:
            found[place] = one._replace(flags=rng.randrange(256))
        case 6:
            keep = rng.randrange(len(one.payload) + 1)
            found[place] = one._replace(payload=one.payload[:keep])
        case 7:
            found[place] = one._replace(payload=(changed := bytes_damaged(one.payload, rng)), wire_len=len(changed))
        case _:
            at = rng.randrange(len(one.payload) + 1)
            first = one._replace(payload=one.payload[:at], wire_len=at)
            rest = one._replace(
                seq=(one.seq + at) % (1 << 32), payload=one.payload[at:], wire_len=max(one.wire_len - at, 0)
            )
            found[place : place + 1] = rng.choice(([first, rest], [rest, first]))


def _note(
    heard: dict[int, tuple[Connection, list[Data | Gap | Conflict]]], connection: Connection, event: object
) -> int:
    _, events = heard.setdefault(id(connection), (connection, []))
    if isinstance(event, Closed):
        return 1
    events.append(event)  # type: ignore[arg-type]
    return 0


def _accounted(connection: Connection, events: list[Data | Gap | Conflict]) -> None:
    """Bytes come in order, each once, and holes are told where they are."""
    for side in Side:
        at = 0
        for start, size in _parts(events, side):
            if start != at:
                raise Broken("bytes of a stream do not follow each other", (start, at))
            at += size
        if connection.delivered_bytes(side) + connection.missed_bytes(side) != at:
            raise Broken("delivered and missed bytes are not the stream", (connection.delivered_bytes(side), at))


def _parts(events: list[Data | Gap | Conflict], side: Side) -> Iterator[tuple[int, int]]:
    for event in events:
        if event.sender is side and isinstance(event, Data):
            yield event.offset, len(event.payload)
        elif event.sender is side and isinstance(event, Gap):
            yield event.offset, event.size
