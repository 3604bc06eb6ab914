"""Captures of any size: one client that empties a queue of one server, message after message."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.containers import FILE_HEADERS
from decoders.ndr.model import Direction
from tests.builders import msmq, rpc
from tests.builders.conversations import Ends, Talk, frames, resplit

if TYPE_CHECKING:
    from pathlib import Path

    from decoders.net.model import Bytes, Column
    from tests.builders.conversations import Packet

FIRST_SECOND: Final = 1_790_000_000
SEGMENT_BYTES: Final = 1_460
FRAGMENT_BYTES: Final = 5_840
"""What both ends of the bind offer."""
_STEP_US: Final = 20
_CHUNK_BYTES: Final = 16 * 1024 * 1024
_TIME, _RECORD = 0, 16
_SOURCE, _DESTINATION, _SEQ = _RECORD + 26, _RECORD + 30, _RECORD + 38
"""Places in a record with Ethernet, IPv4 and TCP."""


def write_talk(path: Path, number: int, size: int, message_bytes: int = 60_000, second: int = FIRST_SECOND) -> int:
    """One conversation of about `size` bytes, at least one message; `number` gives it hosts of its own. Its calls."""
    rng = np.random.default_rng(number)
    talk = Talk(Ends(50_000))
    head = msmq.bound(talk, rpc.QM2QM).packets[:]
    started = dict(talk.next)
    _one_message(talk, rng.bytes(message_bytes))
    block = resplit(talk.packets[len(head) :], SEGMENT_BYTES)
    moved = {side: talk.next[side] - started[side] for side in (True, False)}
    octets, places, from_client = _records(block)
    count = max(1, size // len(octets))
    with path.open("wb") as file:
        file.write(FILE_HEADERS["pcap"])
        opening, at, asked = _records(head)
        file.write(_placed(opening[None, :].copy(), at, asked, number, np.array([second * 1_000_000])).data)
        first = second * 1_000_000 + len(head) * _STEP_US
        step = max(1, _CHUNK_BYTES // len(octets))
        for begin in range(0, count, step):
            turns = np.arange(begin, min(count, begin + step), dtype=np.int64)
            times = first + turns * len(block) * _STEP_US
            rows = _placed(np.tile(octets, (len(turns), 1)), places, from_client, number, times)
            for place, is_client in zip(places, from_client, strict=True):
                for field, side in ((_SEQ + place, is_client), (_SEQ + 4 + place, not is_client)):
                    base = int.from_bytes(octets[field : field + 4].tobytes(), "big")
                    _write(rows, field, (base + turns * moved[side]) & 0xFFFF_FFFF, ">u4")
            file.write(rows.data)
    return 2 * count


def _one_message(talk: Talk, message: bytes) -> None:
    """RemoteQMStartReceive, its answer in fragments, RemoteQMEndReceive."""
    asked = msmq.stub(rpc.QM2QM, 0, Direction.IN, {"lpRemoteReadDesc": msmq.descriptor()})
    values = {"pphContext": msmq.HANDLE, "lpRemoteReadDesc": msmq.descriptor(message), "return_value": msmq.SUCCESS}
    answer = msmq.stub(rpc.QM2QM, 0, Direction.OUT, values)
    room = FRAGMENT_BYTES - 24
    talk.say(rpc.request(asked, 0, 2))
    sent = b""
    for start in range(0, len(answer), room):
        fragment = bytearray(rpc.response(answer[start : start + room], 2))
        fragment[3] = (start == 0) | (start + room >= len(answer)) << 1
        sent += fragment
    talk.answer(sent)
    done = {"pphContext": msmq.HANDLE, "return_value": msmq.SUCCESS}
    msmq.call(talk, rpc.QM2QM, 1, {"pphContext": msmq.HANDLE, "dwAck": 1}, done, 3)


def _records(packets: list[Packet]) -> tuple[Bytes, list[int], list[bool]]:
    """Records without their times, where each begins, and whether the client sent it."""
    octets, places = b"", []
    for packet in packets:
        (frame,) = frames(Ends(50_000), packet)
        places.append(len(octets))
        octets += struct.pack("<IIII", 0, 0, len(frame.captured), frame.wire_len) + frame.captured
    return np.frombuffer(octets, np.uint8), places, [packet.from_client for packet in packets]


def _placed(rows: Bytes, places: list[int], from_client: list[bool], number: int, first_us: Column) -> Bytes:
    """Each row with hosts and times of its own."""
    host = struct.pack(">I", number)[1:]
    for turn, (place, is_client) in enumerate(zip(places, from_client, strict=True)):
        client, server = (_SOURCE, _DESTINATION) if is_client else (_DESTINATION, _SOURCE)
        for field, net in ((client, 10), (server, 11)):
            rows[:, place + field : place + field + 4] = np.frombuffer(bytes((net,)) + host, np.uint8)
        seconds, micros = np.divmod(first_us + turn * _STEP_US, 1_000_000)
        _write(rows, place + _TIME, seconds, "<u4")
        _write(rows, place + _TIME + 4, micros, "<u4")
    return rows


def _write(rows: Bytes, place: int, values: Column, kind: str) -> None:
    rows[:, place : place + 4] = np.asarray(values).astype(kind).view(np.uint8).reshape(-1, 4)
