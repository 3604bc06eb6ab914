"""IP fragments of all captures to the packets they make."""

from __future__ import annotations

from collections import Counter
from heapq import merge
from itertools import chain, groupby, takewhile
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from decoders.dcerpc.first_bytes import may_begin_pdu
from decoders.dcerpc.header import HEADER_BYTES
from decoders.dcerpc.well_known import PORTS
from decoders.net.bulk import empty_headers, write_row
from decoders.net.dissect import dissect_transport
from decoders.net.fragments import Datagram, Fragment, FragmentFate, FragmentNote, reassemble
from decoders.net.model import IpFragment, PacketOutcome, SetAside, TcpHeader
from decoders.tcp.model import ACK, RST, SYN
from ingest.conversations import conversation_keys, endpoint_key, from_low_side, host_keys
from ingest.stream_bases import NEVER, stream_bases
from schemas.internal import CONVERSATIONS, MADE_SEGMENTS, SCAN_ISSUES, SYNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from decoders.net.datagrams import Reassembled
    from decoders.net.model import Column, Headers
    from schemas.model import Table

Row = dict[str, Any]
BATCH_ROWS: Final = 2_048
GROUP: Final = ("src", "dst", "key_protocol", "identification")
_COUNTER_OF: Final = {FragmentFate.DUPLICATE: "fragment_duplicate"}
_EXPLAINED: Final = (PacketOutcome.HEADER_CUT, PacketOutcome.MALFORMED, PacketOutcome.TOO_DEEP)


ORDER: Final = ("is_new", "ts_ns", "file", "split", "frame")
"""How the fragments of a group are sorted: those of earlier runs first."""
_BY_TIME: Final = itemgetter(*ORDER[1:])
_FRAME_BITS: Final = 40


class Defragmenter:
    """What fragments make, together with those that earlier runs had left of the same datagrams.

    Frames count from 0 within their split, as everywhere in the scan; those of earlier runs are final.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, str]] = Counter()
        """(file, counter); of earlier captures, what changes."""
        self.void: set[tuple[int, int | None, str]] = set()
        """Issues, (file, frame, code), that earlier runs told and that are not true any more."""

    def run(self, rows: Iterable[Row]) -> Iterator[tuple[Table, pa.RecordBatch]]:
        """`rows` of FRAGMENTS with `is_new`, sorted by GROUP and ORDER. Batches of DEFRAGMENTED's tables."""
        made = _Made(self.counts)
        for _, group in groupby(rows, key=itemgetter(*GROUP)):
            yield from self._group(group, made)
        yield from made.batches()

    def _group(self, rows: Iterator[Row], made: _Made) -> Iterator[tuple[Table, pa.RecordBatch]]:
        fresh: list[Row] = []

        def is_earlier(row: Row) -> bool:
            if row["is_new"]:
                fresh.append(row)
            return not row["is_new"]

        earlier = list(takewhile(is_earlier, rows))
        if not fresh:
            return
        before = _Made(Counter(), remembers=True)
        for result in reassemble(map(_fragment, earlier)):
            before.take(result)
        made.begin(before)
        for result in reassemble(map(_fragment, merge(earlier, chain(fresh, rows), key=_BY_TIME))):
            made.take(result)
            if made.held >= BATCH_ROWS:
                yield from made.batches()
        self.counts.subtract(before.counts)
        self.void |= {(file, frame, code) for file, _, frame, code, _, _ in before.issues - made.issues}


def _fragment(row: Row) -> Fragment:
    header = IpFragment(
        src=row["src"],
        dst=row["dst"],
        protocol=row["protocol"],
        identification=row["identification"],
        fragment_offset=row["fragment_offset"],
        more=row["more"],
        payload_offset=0,
        payload_len=len(row["payload"]),
        payload_wire_len=row["payload_wire_len"],
    )
    place = (row["split"] + 1) << _FRAME_BITS | row["frame"]
    return Fragment(row["ts_ns"], row["file"], place, header, row["payload"])


def _placed(frame: int) -> tuple[int, int]:
    """Split, and frame within it."""
    return (frame >> _FRAME_BITS) - 1, frame & ((1 << _FRAME_BITS) - 1)


_Issue = tuple[int, int, int, str, str, int]
"""File, split, frame, code, detail, offset."""


class _Made:
    """Rows of several tables until there are enough for a batch."""

    def __init__(self, counts: Counter[tuple[int, str]], *, remembers: bool = False) -> None:
        self.held = 0
        self._remembers = remembers
        self.counts = counts
        self.packets: set[tuple[int, int]] = set()
        """Datagrams that were put together."""
        self.issues: set[_Issue] = set()
        self._before: _Made | None = None
        self._rows: dict[str, tuple[Table, list[Row]]] = {}

    def begin(self, before: _Made) -> None:
        """Another group, of which an earlier run passed on what `before` has."""
        self._before, self.packets, self.issues = before, set(), set()
        # A flood of fragments with one number is not to be remembered for the sake of nothing.
        self._remembers = bool(before.packets or before.issues)

    def take(self, result: Reassembled) -> None:
        issue = self.datagram(result) if isinstance(result, Datagram) else self.note(result)
        if issue is not None:
            if self._remembers:
                self.issues.add(issue)
            if self._before is None or issue not in self._before.issues:
                self._add(SCAN_ISSUES, dict(zip(SCAN_ISSUES.names, issue, strict=True)))

    def batches(self) -> Iterator[tuple[Table, pa.RecordBatch]]:
        for table, rows in self._rows.values():
            yield table, pa.RecordBatch.from_pylist(rows, schema=table.arrow)
        self._rows, self.held = {}, 0

    def note(self, note: FragmentNote) -> _Issue | None:
        for file, _frame in note.frames:
            self.counts[file, _COUNTER_OF.get(note.fate, "fragment_unusable")] += 1
        if note.fate is FragmentFate.DUPLICATE:
            return None
        return note.capture, *_placed(note.frame), str(note.fate), note.detail, 0

    def datagram(self, datagram: Datagram) -> _Issue | None:
        """The frame that completed the datagram stands for it; the others are merged into it."""
        for file, frame in datagram.frames:
            if (file, frame) != (datagram.capture, datagram.frame):
                self.counts[file, "fragment_merged"] += 1
        found = dissect_transport(datagram.protocol, datagram.src, datagram.dst, datagram.payload)
        if isinstance(found, TcpHeader):
            self.counts[datagram.capture, PacketOutcome.TCP.counter] += 1
            if self._remembers:
                self.packets.add((datagram.capture, datagram.frame))
            if self._before is None or (datagram.capture, datagram.frame) not in self._before.packets:
                self._segment(datagram, found)
            return None
        if isinstance(found, IpFragment):
            found = SetAside(PacketOutcome.TOO_DEEP, "fragments inside a datagram that was itself in fragments", 0)
        self.counts[datagram.capture, found.outcome.counter] += 1
        if found.outcome not in _EXPLAINED:
            return None
        place = datagram.capture, *_placed(datagram.frame)
        return *place, found.outcome.code, found.detail, found.offset

    def _segment(self, datagram: Datagram, header: TcpHeader) -> None:
        headers, row = empty_headers(1), np.zeros(1, np.int64)
        write_row(headers, 0, 0, header)
        low = bool(from_low_side(headers, row)[0])
        split, number = _placed(datagram.frame)
        place = {"file": datagram.capture, "split": split, "key": int(conversation_keys(headers, row)[0])}
        ends = ((header.src, header.sport), (header.dst, header.dport))
        (low_h, low_p), (high_h, high_p) = ends if low else reversed(ends)
        payload = datagram.payload[header.payload_offset :][: header.payload_len]
        self._add(
            MADE_SEGMENTS,
            place
            | {"ts_ns": datagram.ts_ns, "frame": number, "from_low": low, "payload": payload}
            | {"low_h": low_h, "low_p": low_p, "high_h": high_h, "high_p": high_p}
            | {"seq": header.seq, "ack": header.ack, "flags": header.flags, "window": header.window}
            | {"wire_len": header.payload_wire_len},
        )
        octets = np.frombuffer(datagram.payload, np.uint8)
        frame, side = np.array([number]), np.array([low])
        bases = [int(base[0]) for base in stream_bases(frame, side, headers.seq, headers.ack, headers.flags)]
        self._add(
            CONVERSATIONS,
            place
            | {
                "packets": 1,
                "payload_bytes": len(payload),
                "well_known_port": (bool(payload) or header.flags & (ACK | RST) == ACK)
                and (low_p in PORTS or high_p in PORTS),
                "may_be_rpc": bool(may_begin_pdu(octets, headers.payload_offset, headers.payload_len)[0]),
                "base_low": None if bases[0] == NEVER else bases[0],
                "base_high": None if bases[1] == NEVER else bases[1],
                "low_end": endpoint_key(low_h, low_p),
                "high_end": endpoint_key(high_h, high_p),
                "last_ts_ns": datagram.ts_ns,
                **_unspoken(headers, row, low, len(payload)),
            },
        )
        if header.flags & SYN:
            with_ack = bool(header.flags & ACK)
            self._add(SYNS, place | {"frame": number, "from_low": low, "with_ack": with_ack, "seq": header.seq})

    def _add(self, table: Table, row: Row) -> None:
        self._rows.setdefault(table.name, (table, []))[1].append(row)
        self.held += 1


def _unspoken(headers: Headers, row: Column, from_low: bool, size: int) -> dict[str, int]:
    """As the scan has them."""
    if size >= HEADER_BYTES:
        return {}
    hosts = [int(host[0]) for host in host_keys(headers, row)]
    low_host, high_host = hosts if from_low else reversed(hosts)
    return {"low_host": low_host, "high_host": high_host}
