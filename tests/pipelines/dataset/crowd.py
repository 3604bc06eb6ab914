"""Many conversations at once, so that wherever a capture is cut, each is cut at another place."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Final

from tests.builders import containers, msmq, rpc
from tests.builders.conversations import Ends, Talk
from tests.pipelines.moved import chained, frames_of, moved
from tests.pipelines.rules.unruly_talks import talk
from tests.scripts.player import play

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.builders.conversations import Frame

START_US: Final = 1_790_000_000_000_000
SPREAD_US: Final = 30 * 3600 * 1_000_000
"""Over which conversations begin: two midnights at most."""
SOURCE, DESTINATION = 26, 30
"""Addresses in an Ethernet frame with IPv4."""
Timed = tuple[int, bytes, int]
FAMILY: Final = (
    r"""
    connect a from 10.0.0.20 to 10.0.0.10 interface qmcomm
    connect b from 10.0.0.20 to 10.0.0.10 interface qmcomm2
    connect r from 10.0.0.20 interface qmcomm
    r: R_QMOpenRemoteQueue queue="OS:hq\private$\orders"
    connect q from 10.0.0.10
    q: RemoteQMOpenQueue
    a: rpc_QMOpenQueueInternal queue="OS:hq\private$\orders" hRemoteQueue=7
    r: R_QMCloseRemoteQueueContext
    b: ask m rpc_ACReceiveMessageEx
    q: RemoteQMStartReceive2
    q: RemoteQMEndReceive dwAck=1
    q: RemoteQMStartReceive2 -> message=100/5121
    q: RemoteQMEndReceive
    answer m
    a: rpc_ACCloseHandle
    q: RemoteQMPurgeQueue
    q: RemoteQMCloseQueue
    close q
    close b
    close a
    close r
    """,
    r"""
    connect interface RemoteRead
    R_OpenQueue queue="OS:hq\private$\orders"
    R_OpenQueueForMove queue="SUBQUEUE=OS:hq\private$\orders;bad"
    R_CreateCursor
    R_StartReceive ulAction=PEEK_CURRENT hCursor=3
    R_StartReceive ulAction=PEEK_NEXT hCursor=3
    R_CloseCursor
    R_StartReceive ulAction=LOOKUP_PEEK_CURRENT LookupId=0x1401
    R_MoveMessage LookupId=0x1401
    R_QMEnlistRemoteTransaction transaction=T1
    R_StartTransactionalReceive transaction=T1
    R_EndTransactionalReceive
    R_CloseQueue
    close
    """,
    r"""
    connect x interface qmcomm
    connect y interface qmcomm2
    x: R_QMObjectPathToObjectFormat lpwcsPathName="hq\private$\orders"
    x: R_QMGetObjectProperties queue="OS:hq\private$\orders"
    x: rpc_QMOpenQueueInternal queue="OS:hq\private$\orders"
    x: R_QMEnlistInternalTransaction transaction=T1
    y: rpc_ACReceiveMessageEx transaction=T1
    x: R_QMAbortTransaction
    y: rpc_ACSendMessageEx
    x: R_QMDeleteObject queue="OS:hq\private$\orders"
    x: rpc_ACCloseHandle
    close y
    close x
    """,
)
"""Of the whole family: what one conversation says is completed by another."""


def crowd(seed: int, talks: int, *, services: bool = False, unseen: bool = False) -> list[Timed]:
    """(time, captured bytes, wire length), in order of time. One packet in a hundred is missing.

    `services`: with some that only announcements explain, for which every run takes rounds to learn. `unseen`: with
    some whose bytes were not captured, for which every run takes one more.
    """
    rng = random.Random(seed)
    found: list[Timed] = []
    for number in range(talks):
        began = START_US + rng.randrange(SPREAD_US)
        pace = rng.choice((1, 1, 50, 2_000))
        packets = play(rng.choice(FAMILY) if number % 4 == 0 else talk(rng))
        first = packets[0].ts_us
        found += [
            (began + (one.ts_us - first) * pace, _elsewhere(one.frame, number), one.frame.wire_len) for one in packets
        ]
    for frames in _services() if services else ():
        began, step = START_US + rng.randrange(SPREAD_US), rng.choice((500, 90_000_000))
        found += [(began + place * step, one.captured, one.wire_len) for place, one in enumerate(frames)]
    for number in range(4):
        began = START_US + rng.randrange(SPREAD_US)
        found += [(began + place * 20_000_000, data, len(data)) for place, data in enumerate(_in_fragments(number))]
    found += _hollow(random.Random(f"hollow {seed}"), talks) if unseen else []
    return sorted(one for one in found if rng.random() > 0.01)


def _hollow(rng: random.Random, talks: int) -> list[Timed]:
    """Connections of the same hosts at ports that nobody announces, whose first bytes were not captured.

    Of some nothing else was, of others bytes of another protocol; and some carried none.
    """
    found: list[Timed] = []
    for number in range(talks):
        kind = rng.choice(("unseen", "unseen", "web later", "idle", "joined"))
        one = Talk(Ends(51_000 + number, 49_900, "10.0.0.5", "10.0.0.9")).open()
        if kind != "idle":
            one.say(bytes(116)).answer(bytes(60)).acknowledge(from_client=True)
        if kind == "web later":
            one.say(b"GET / HTTP/1.1\r\n\r\n")
        one.close()
        packets = [packet for packet in one.packets if packet.payload in (b"", b"GET / HTTP/1.1\r\n\r\n")]
        began, step = START_US + rng.randrange(SPREAD_US), rng.choice((500, 90_000_000, 3_600_000_000))
        for place, frame in enumerate(frames_of(packets[2:] if kind == "joined" else packets, one.ends)):
            found.append((began + place * step, _elsewhere(frame, number), frame.wire_len))
    return found


def _in_fragments(number: int) -> list[bytes]:
    """A conversation whose packets with payload come as two IP fragments each, a while apart."""
    talk = msmq.bound(Talk(Ends(50_100 + number, server_port=2105)), rpc.QM2QM)
    for call in range(2, 6):
        msmq.receive(talk, b"message %d" % call, call)
    found: list[bytes] = []
    for place, frame in enumerate(frames_of(talk.packets, talk.ends)):
        link, header, rest = frame.captured[:14], bytearray(frame.captured[14:34]), frame.captured[34:]
        if len(rest) < 100:
            found.append(frame.captured)
            continue
        header[4:6] = (1_000 * number + place).to_bytes(2, "big")
        for start, end, more in ((0, 64, 0x2000), (64, len(rest), 0)):
            header[2:4] = (20 + end - start).to_bytes(2, "big")
            header[6:8] = (start // 8 | more).to_bytes(2, "big")
            found.append(link + header + rest[start:end])
    return found


def _services() -> list[list[Frame]]:
    mapper = msmq.bound(Talk(Ends(50_020, server_port=135)), rpc.EPM)
    msmq.map_endpoint(mapper, rpc.QM2QM, 49_664, "0.0.0.0", 2)
    msmq.map_endpoint(mapper, rpc.QM2QM, 49_750, "0.0.0.0", 4)
    late = msmq.bound(Talk(Ends(50_003, server_port=49_800)), rpc.SAMR)
    late.say(rpc.request(call_id=2)).answer(rpc.response(call_id=2))
    late.say(rpc.bind(rpc.SAMR, rpc.QM2QM, kind=rpc.ALTER_CONTEXT)).answer(rpc.bind_ack(2, kind=15))
    web = Talk(Ends(50_004, server_port=80)).open().say(b"GET / HTTP/1.1\r\n\r\n").answer(b"no")
    return [
        frames_of(moved(50_001, 49_664), Ends(50_001, server_port=49_664)),
        frames_of(mapper.packets, mapper.ends),
        frames_of(late.packets, late.ends),
        frames_of(web.packets, web.ends),
        chained(49_750),
    ]


def _elsewhere(frame: Frame, number: int) -> bytes:
    octets = bytearray(frame.captured)
    for place in (SOURCE, DESTINATION):
        octets[place + 1 : place + 3] = bytes((20 + number // 200, number % 200))
    return bytes(octets)


def cut(packets: Sequence[Timed], places: Sequence[int], folder: Path) -> list[Path]:
    """A file for each part."""
    bounds = [0, *places, len(packets)]
    paths = []
    for number, (begin, end) in enumerate(itertools.pairwise(bounds)):
        path = folder / f"part{number}.pcap"
        path.write_bytes(containers.pcap([containers.Packet(data, ts, wire) for ts, data, wire in packets[begin:end]]))
        paths.append(path)
    return paths
