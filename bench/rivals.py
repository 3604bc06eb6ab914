"""What the product is held against: a plain dpkt loop, and the least anything can do with the bytes."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import dpkt
import numpy as np

from bench.measure import Work
from ingest.files import PlainFile
from ingest.splits import CHUNK_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Inputs

DPKT_SAMPLE: Final = 100_000
"""Per packet its cost does not change with the number of packets, so a part of the file tells enough."""


def dpkt_loop(inputs: Inputs) -> Callable[[], Work]:
    return lambda: read_all(inputs.path, DPKT_SAMPLE)


def read_all(path: str, most: int | None = None) -> Work:
    """The headers of a file's packets."""
    packets = octets = payload_bytes = 0
    with Path(path).open("rb") as file:
        for _ts, data in islice(dpkt.pcap.Reader(file), most):
            packets += 1
            octets += 16 + len(data)
            ip = dpkt.ethernet.Ethernet(data).data
            if not isinstance(ip, dpkt.ip.IP | dpkt.ip6.IP6) or not isinstance(ip.data, dpkt.tcp.TCP):
                continue
            tcp = ip.data
            row = (ip.src, ip.dst, tcp.sport, tcp.dport, tcp.seq, tcp.ack, tcp.flags, len(tcp.data))
            payload_bytes += row[-1]
    return Work(packets, octets)


def sum_of_bytes(inputs: Inputs) -> Callable[[], Work]:
    """Read through the product's own file class, in its chunks; the sum touches every byte once."""

    def run() -> Work:
        source, offset, total = PlainFile(inputs.path), 0, 0
        while chunk := source.read(offset, CHUNK_BYTES):
            offset += len(chunk)
            words = np.frombuffer(chunk, np.uint64, count=len(chunk) // 8)
            total ^= int(words.sum(dtype=np.uint64))
        source.close()
        return Work(inputs.packets, offset)

    return run
