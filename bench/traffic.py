"""Who sends what to whom: made-up traffic as columns, one entry a packet."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from decoders.net.model import Column

PACKETS_PER_CONVERSATION: Final = 50
_PORTS: Final = (443, 80, 445, 3389, 22, 1433, 389, 5985, 8080, 25)
_SECONDS: Final = 600
_FIRST_SECOND: Final = 1_700_000_000
FIN, SYN, PSH, ACK = 0x01, 0x02, 0x08, 0x10


class Kind(enum.IntEnum):
    """Headers of a packet, all on Ethernet."""

    TCP4 = 0
    TCP4_TIMESTAMPS = 1
    VLAN_TCP4 = 2
    TCP6 = 3
    UDP4 = 4
    ICMP4 = 5
    ARP = 6
    LLC = 7
    """Spanning tree: read one by one, as every capture at a switch has some."""


IS_TCP: Final = np.array([kind <= Kind.TCP6 for kind in Kind])
_OF_CONVERSATIONS: Final = (0.55, 0.30, 0.08, 0.07)
_OF_PACKETS: Final = {Kind.UDP4: 0.03, Kind.ICMP4: 0.01, Kind.ARP: 0.01, Kind.LLC: 0.001}
_LARGEST: Final = np.array([1460, 1448, 1460, 1440, 512, 56, 0, 0])
"""Payload of a full packet, by kind."""


@dataclass(frozen=True, slots=True)
class Traffic:
    kind: Column  # uint8
    conversation: Column  # int64
    from_client: Column  # bool
    client_port: Column  # int64
    server_port: Column  # int64
    server: Column  # int64
    seq: Column  # uint32
    ack: Column  # uint32
    flags: Column  # uint8
    payload_len: Column  # int64
    ts_us: Column  # int64

    def __len__(self) -> int:
        return len(self.kind)

    def part(self, rows: slice) -> Traffic:
        return Traffic(*(getattr(self, name)[rows] for name in self.__slots__))

    @property
    def tcp_conversations(self) -> int:
        return len(np.unique(self.conversation[IS_TCP[self.kind]]))


def make_traffic(packets: int, seed: int, full_share: float = 0.2) -> Traffic:
    rng = np.random.default_rng(seed)
    conversations = max(1, packets // PACKETS_PER_CONVERSATION)
    weights = rng.lognormal(0, 1, conversations)
    conversation = rng.choice(conversations, packets, p=weights / weights.sum())
    starts, lives = rng.uniform(0, _SECONDS, conversations), rng.exponential(20, conversations)
    times = starts[conversation] + lives[conversation] * rng.exponential(1, packets)
    order = np.argsort(times)
    conversation, times = conversation[order], times[order]

    kind = rng.choice(len(_OF_CONVERSATIONS), conversations, p=_OF_CONVERSATIONS)[conversation]
    drawn, limit = rng.random(packets), 0.0
    for other, share in _OF_PACKETS.items():
        kind[(limit <= drawn) & (drawn < limit + share)] = other
        limit += share

    ports = rng.choice(_PORTS, conversations)
    from_client, payload_len = rng.random(packets) < 0.5, _sizes(rng, kind, full_share)
    seq, ack, flags = _tcp(rng, kind, conversation, from_client, payload_len)
    return Traffic(
        kind=kind.astype(np.uint8),
        conversation=conversation,
        from_client=from_client,
        # Sixty-four conversations share a client address, and 7919 is odd: no two of them share a port as well.
        client_port=49_152 + conversation * 7919 % 16_384,
        server_port=ports[conversation],
        server=rng.integers(200, size=conversations)[conversation],
        seq=seq,
        ack=ack,
        flags=flags,
        payload_len=payload_len,
        ts_us=(times * 1e6).astype(np.int64) + _FIRST_SECOND * 1_000_000,
    )


def _sizes(rng: np.random.Generator, kind: Column, full_share: float) -> Column:
    """Pure ACKs, full segments, and what lies between them."""
    drawn = rng.random(len(kind))
    between = 1 + rng.exponential(250, len(kind)).astype(np.int64)
    size = np.where(drawn < full_share, 1500, between)
    size[(drawn > 0.60) & IS_TCP[kind]] = 0
    largest: Column = _LARGEST[kind]
    return np.minimum(size, largest)


def _tcp(
    rng: np.random.Generator,
    kind: Column,
    conversation: Column,
    from_client: Column,
    payload_len: Column,
) -> tuple[Column, Column, Column]:
    """Handshakes, numbers that fit together. Changes the senders and sizes that these prescribe."""
    rows = np.flatnonzero(IS_TCP[kind])
    rows = rows[np.argsort(conversation[rows], kind="stable")]
    of = conversation[rows]
    first = np.concatenate(([True], of[1:] != of[:-1])) if len(of) else np.zeros(0, np.bool_)
    begin = np.maximum.accumulate(np.where(first, np.arange(len(of)), 0))
    rank, client, size = np.arange(len(of)) - begin, from_client[rows], payload_len[rows]
    client[rank <= 2] = rank[rank <= 2] != 1
    size[rank <= 2] = 0

    syn = rank <= 1
    last = np.concatenate((first[1:], [True])) if len(of) else first
    flags = np.where(rank == 0, SYN, ACK) | SYN * (rank == 1) | PSH * (size > 0) | FIN * (last & ~syn)
    initial = rng.integers(1 << 32, size=(2, int(conversation.max()) + 1))[:, of]
    sent = [_sent_before((size + syn) * (client == side), begin) + initial[int(side)] for side in (False, True)]
    seq, ack = np.where(client, sent[True], sent[False]), np.where(client, sent[False], sent[True]) * (rank > 0)

    from_client[rows], payload_len[rows] = client, size
    return (
        _spread(seq, rows, len(kind), np.uint32),
        _spread(ack, rows, len(kind), np.uint32),
        _spread(flags, rows, len(kind), np.uint8),
    )


def _sent_before(size: Column, begin: Column) -> Column:
    """Of rows in groups that start at `begin`: the sum over the group's earlier rows."""
    before: Column = np.cumsum(size) - size
    earlier: Column = before - before[begin]
    return earlier


def _spread(values: Column, rows: Column, count: int, dtype: type[np.unsignedinteger]) -> Column:
    column = np.zeros(count, dtype)
    column[rows] = values & np.iinfo(dtype).max
    return column
