"""A small world of traffic in which every way to be kept or set aside occurs."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.builders import packets as p
from tests.builders import rpc
from tests.builders.conversations import Ends, Frame, Talk, duplicated, frames, resplit, shuffled, without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.builders.conversations import Packet

PLAIN, SNEAKY, WEB, OTHER_RPC, WELL_KNOWN, FRAGMENTED, SIXTH, LOSSY, REUSED, ALTERED = range(50_000, 50_010)
"""The client's port names the talk."""

KEPT = {PLAIN, SNEAKY, WELL_KNOWN, FRAGMENTED, SIXTH, LOSSY, REUSED, ALTERED}


def _exchange(ends: Ends, interface: str = rpc.QM2QM, calls: int = 3) -> Talk:
    talk = Talk(ends).open().say(rpc.bind(interface)).answer(rpc.bind_ack())
    for call in range(calls):
        talk.say(rpc.request(bytes(200 + call), call_id=call)).answer(rpc.response(bytes(900), call_id=call))
    return talk


def talks() -> Iterator[tuple[Ends, list[Packet]]]:
    rng = random.Random(17)
    yield (ends := Ends(PLAIN, server_port=49_664)), _exchange(ends).close().packets
    sneaky = _exchange(ends := Ends(SNEAKY, server_port=8080)).close()
    tiny = resplit(sneaky.packets, 1)
    yield ends, duplicated(shuffled(tiny, rng, reach=6), rng)
    yield (
        (ends := Ends(WEB, server_port=80)),
        Talk(ends).open().say(b"GET / HTTP/1.1\r\n\r\n").answer(b"no").close().packets,
    )
    yield (ends := Ends(OTHER_RPC, server_port=49_670)), _exchange(ends, rpc.SAMR).close().packets
    joined = Talk(ends := Ends(WELL_KNOWN, server_port=2103)).join()
    yield ends, joined.answer(rpc.response()).say(rpc.request()).answer(rpc.response()).packets
    yield (ends := Ends(FRAGMENTED, server_port=2105, fragment=64)), _exchange(ends).close().packets
    yield (ends := Ends(SIXTH, client="2001:db8::1", server="2001:db8::2")), _exchange(ends).close().packets
    yield (ends := Ends(LOSSY, server_port=2101)), without(_exchange(ends, calls=30).close().packets, 20)
    again = _exchange(ends := Ends(REUSED)).close()
    again.restart(900_000, 7_000_000).open().say(rpc.bind(rpc.QM2QM)).answer(rpc.bind_ack()).reset()
    yield ends, again.packets
    altered = _exchange(ends := Ends(ALTERED, server_port=49_671), rpc.SAMR)
    late = rpc.bind(rpc.QM2QM, kind=rpc.ALTER_CONTEXT)
    yield ends, altered.say(late[:7]).say(late[7:]).close().packets


def world() -> list[Frame]:
    """All talks interleaved, with other traffic between."""
    waiting = [[frame for packet in packets for frame in frames(ends, packet)] for ends, packets in talks()]
    noise = [p.ethernet(p.ipv4(p.udp(b"name?", dport=53), protocol=17)), p.ethernet(b"\0" * 28, kind=0x0806)]
    rng = random.Random(4)
    result: list[Frame] = []
    while waiting:
        queue = rng.choice(waiting)
        result.append(queue.pop(0))
        waiting = [queue for queue in waiting if queue]
        if rng.random() < 0.1:
            result.append(Frame(noise[0], len(noise[0])))
    return [*result, replace(result[0], captured=noise[1], wire_len=len(noise[1]))]
