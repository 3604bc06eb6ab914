"""IP fragments of all captures to the packets they make."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from decoders.dcerpc.first_bytes import may_begin_pdu
from decoders.dcerpc.well_known import PORTS
from decoders.net.bulk import empty_headers, write_row
from decoders.net.dissect import dissect_transport
from decoders.net.fragments import Datagram, Fragment, FragmentFate, FragmentNote, reassemble
from decoders.net.model import IpFragment, Outcome, SetAside, TcpHeader
from decoders.tcp.model import ACK, RST, SYN
from ingest.conversations import conversation_keys, endpoint_key, from_low_side
from ingest.stream_bases import NEVER, stream_bases
from schemas.internal import CONVERSATIONS, COUNTS, NO_SPLIT, SCAN_ISSUES, SEGMENTS, SYNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schemas.model import Table

Row = dict[str, Any]
BATCH_ROWS: Final = 2_048
GROUP: Final = ("src", "dst", "key_protocol", "identification")
_COUNTER_OF: Final = {FragmentFate.DUPLICATE: "fragment_duplicate"}
_EXPLAINED: Final = (Outcome.HEADER_CUT, Outcome.MALFORMED, Outcome.TOO_DEEP)


def defragment(rows: Iterable[Row]) -> Iterator[tuple[Table, pa.RecordBatch]]:
    """`rows` of schemas.internal.FRAGMENTS, sorted by group, time, file and frame. Batches of DEFRAGMENTED's tables."""
    made = _Made()
    for _, group in groupby(rows, key=lambda row: tuple(row[name] for name in GROUP)):
        for result in reassemble(map(_fragment, group)):
            if isinstance(result, Datagram):
                made.datagram(result)
            else:
                made.note(result)
            if made.held >= BATCH_ROWS:
                yield from made.batches()
    made.finish()
    yield from made.batches()


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
    return Fragment(row["ts_ns"], row["file"], row["frame"], header, row["payload"])


class _Made:
    """Rows of several tables until there are enough for a batch."""

    def __init__(self) -> None:
        self.held = 0
        self._rows: dict[str, tuple[Table, list[Row]]] = {}
        self._counts: Counter[tuple[int, str]] = Counter()

    def batches(self) -> Iterator[tuple[Table, pa.RecordBatch]]:
        for table, rows in self._rows.values():
            yield table, pa.RecordBatch.from_pylist(rows, schema=table.arrow)
        self._rows, self.held = {}, 0

    def finish(self) -> None:
        for (file, counter), value in sorted(self._counts.items()):
            self._add(COUNTS, {"file": file, "split": NO_SPLIT, "counter": counter, "value": value})

    def note(self, note: FragmentNote) -> None:
        for file, _frame in note.frames:
            self._counts[file, _COUNTER_OF.get(note.fate, "fragment_unusable")] += 1
        if note.fate is not FragmentFate.DUPLICATE:
            self._issue(note.capture, note.frame, str(note.fate), note.detail, 0)

    def datagram(self, datagram: Datagram) -> None:
        """The frame that completed the datagram stands for it; the others are merged into it."""
        for file, frame in datagram.frames:
            if (file, frame) != (datagram.capture, datagram.frame):
                self._counts[file, "fragment_merged"] += 1
        found = dissect_transport(datagram.protocol, datagram.src, datagram.dst, datagram.payload)
        if isinstance(found, TcpHeader):
            self._segment(datagram, found)
            return
        if isinstance(found, IpFragment):
            found = SetAside(Outcome.TOO_DEEP, "fragments inside a datagram that was itself in fragments", 0)
        self._counts[datagram.capture, found.outcome.counter] += 1
        if found.outcome in _EXPLAINED:
            self._issue(datagram.capture, datagram.frame, found.outcome.code, found.detail, found.offset)

    def _segment(self, datagram: Datagram, header: TcpHeader) -> None:
        headers, row = empty_headers(1), np.zeros(1, np.int64)
        write_row(headers, 0, 0, header)
        low = bool(from_low_side(headers, row)[0])
        place = {"file": datagram.capture, "key": int(conversation_keys(headers, row)[0])}
        ends = ((header.src, header.sport), (header.dst, header.dport))
        (low_h, low_p), (high_h, high_p) = ends if low else reversed(ends)
        payload = datagram.payload[header.payload_offset :][: header.payload_len]
        self._add(
            SEGMENTS,
            place
            | {"ts_ns": datagram.ts_ns, "frame": datagram.frame, "from_low": low, "payload": payload}
            | {"low_h": low_h, "low_p": low_p, "high_h": high_h, "high_p": high_p}
            | {"seq": header.seq, "ack": header.ack, "flags": header.flags, "window": header.window}
            | {"wire_len": header.payload_wire_len},
        )
        self._counts[datagram.capture, Outcome.TCP.counter] += 1
        place["split"] = NO_SPLIT
        octets = np.frombuffer(datagram.payload, np.uint8)
        frame, side = np.array([datagram.frame]), np.array([low])
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
            },
        )
        if header.flags & SYN:
            with_ack = bool(header.flags & ACK)
            self._add(SYNS, place | {"frame": datagram.frame, "from_low": low, "with_ack": with_ack, "seq": header.seq})

    def _issue(self, file: int, frame: int, code: str, detail: str, offset: int) -> None:
        row = {"file": file, "split": NO_SPLIT, "frame": frame, "code": code, "detail": detail, "offset": offset}
        self._add(SCAN_ISSUES, row)

    def _add(self, table: Table, row: Row) -> None:
        self._rows.setdefault(table.name, (table, []))[1].append(row)
        self.held += 1
