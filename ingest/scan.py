"""The first, wide pass over one split: count all, find conversations that may be of interest, keep no payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from decoders.dcerpc.first_bytes import may_begin_pdu
from decoders.dcerpc.header import HEADER_BYTES
from decoders.dcerpc.well_known import PORTS
from decoders.net.model import PacketOutcome
from decoders.tcp.model import ACK, RST, SYN
from ingest.clock import Clock
from ingest.conversations import conversation_keys, endpoint_keys, from_low_side, host_keys
from ingest.dissection import NO_LINK_TYPE, headers_of, link_types
from ingest.splits import SplitReader
from ingest.stream_bases import NEVER, stream_bases
from schemas.internal import CONVERSATIONS, COUNTS, FRAGMENTS, SCAN_ISSUES, SPLIT_REPORTS, SYNS
from schemas.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.net.model import Column, Headers, IpFragment
    from ingest.containers.model import Records
    from ingest.splits import Split
    from schemas.model import Table

_WELL_KNOWN = np.zeros(65_536, np.bool_)
_WELL_KNOWN[list(PORTS)] = True
_CARRIERS = frozenset((4, 6, 17, 41, 47))
"""Protocols whose fragments may carry TCP: IP in IP, TCP, UDP (VXLAN), GRE."""
MAX_INTERFACES_TOLD = 256
"""Interfaces of a split that nobody reads, each told once: what they are shows in the first few, how many in counters."""
MAX_ROWS_HELD = 500_000
"""Rows of conversations kept before they are passed on: a compressed capture is one split, however large it is."""


def scan_split(split: Split) -> Iterator[tuple[Table, pa.RecordBatch]]:
    """Batches of the tables in schemas.internal.SCAN."""
    reader = SplitReader(split)
    scan = _Scan(split.file, split.index)
    for records in reader:
        headers = headers_of(records)
        scan.count(records, headers)
        scan.conversations(records, headers)
        yield from scan.odd_packets(records, headers)
        scan.frame += len(records)
        if scan.held > MAX_ROWS_HELD:
            yield from scan.flush()
    yield from scan.flush()
    yield scan.counts()
    yield SCAN_ISSUES, scan.table(SCAN_ISSUES, [(None, note.code, note.detail, note.offset) for note in reader.notes])
    report, damage = reader.report, reader.report.damage
    yield (
        SPLIT_REPORTS,
        scan.table(
            SPLIT_REPORTS,
            [
                (
                    report.start.to_json() if report.start else None,
                    report.end.to_json() if report.end else None,
                    report.packets,
                    *((damage.code, damage.detail, damage.offset) if damage else (None, None, None)),
                    scan.first_ts_ns,
                    scan.last_ts_ns,
                    scan.clock.back_ns,
                    sorted(scan.link_types),
                )
            ],
        ),
    )


class _Scan:
    def __init__(self, file: int, split: int) -> None:
        self.file, self.split = file, split
        self.frame = 0
        self.held = 0
        self.first_ts_ns: int | None = None
        self.last_ts_ns: int | None = None
        self.clock = Clock()
        self.link_types: set[int] = set()
        self._outcomes = np.zeros(len(PacketOutcome), np.int64)
        self._conversations: list[dict[str, Column]] = []
        self._syns: list[dict[str, Column]] = []
        self._interfaces_told: set[tuple[int, int]] = set()

    def table(self, table: Table, rows: list[tuple[object, ...]]) -> pa.RecordBatch:
        columns = [[self.file] * len(rows), [self.split] * len(rows), *(zip(*rows, strict=True) if rows else [])]
        arrays = [
            pa.array(list(columns[n]) if n < len(columns) else [], column.type)
            for n, column in enumerate(table.columns)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=table.arrow)

    def count(self, records: Records, headers: Headers) -> None:
        self._outcomes += np.bincount(headers.outcome, minlength=len(PacketOutcome))
        self.link_types.update(np.unique(link_types(records)).tolist())
        self.link_types.discard(NO_LINK_TYPE)
        self.clock.note(records.ts_ns)
        times = records.ts_ns[records.ts_ns != NO_TIME]
        if len(times):
            first, last = int(times.min()), int(times.max())
            self.first_ts_ns = first if self.first_ts_ns is None else min(first, self.first_ts_ns)
            self.last_ts_ns = last if self.last_ts_ns is None else max(last, self.last_ts_ns)

    def conversations(self, records: Records, headers: Headers) -> None:
        tcp = np.flatnonzero(headers.outcome == PacketOutcome.TCP)
        if not len(tcp):
            return
        buffer = np.frombuffer(records.buffer, np.uint8)
        ends, low = endpoint_keys(headers, tcp), from_low_side(headers, tcp)
        keys = conversation_keys(headers, tcp, ends)
        payload = headers.payload_len[tcp].astype(np.int64)
        frames, flags, seq = tcp + self.frame, headers.flags[tcp], headers.seq[tcp]
        # A connection that was accepted may have carried what is not in the capture.
        accepted = (flags & (ACK | RST)) == ACK
        known = (_WELL_KNOWN[headers.sport[tcp]] | _WELL_KNOWN[headers.dport[tcp]]) & ((payload > 0) | accepted)
        base_low, base_high = stream_bases(frames, low, seq, headers.ack[tcp], flags)
        order, starts = _grouped(keys)
        rows = _reduced(
            {
                "key": keys,
                "packets": np.ones(len(tcp), np.int64),
                "payload_bytes": payload,
                "well_known_port": known,
                "may_be_rpc": may_begin_pdu(buffer, headers.payload_offset[tcp], payload),
                "base_low": base_low,
                "base_high": base_high,
                "low_end": np.where(low, *ends).view(np.int64),
                "high_end": np.where(low, *reversed(ends)).view(np.int64),
                "last_ts_ns": records.ts_ns[tcp],
            },
            order,
            starts,
        )
        firsts = order[starts]
        rows |= _unspoken(headers, tcp[firsts], low[firsts], rows["payload_bytes"])
        self._hold(self._conversations, rows)
        syn = np.flatnonzero(flags & SYN)
        if len(syn):
            who = {"key": keys[syn], "frame": frames[syn], "from_low": low[syn]}
            self._hold(self._syns, who | {"with_ack": (flags[syn] & ACK) != 0, "seq": seq[syn].astype(np.int64)})

    def _hold(self, parts: list[dict[str, Column]], columns: dict[str, Column]) -> None:
        parts.append(columns)
        self.held += len(columns["key"])

    def odd_packets(self, records: Records, headers: Headers) -> Iterator[tuple[Table, pa.RecordBatch]]:
        """Fragments and problems: rare, so a Python object each does no harm."""
        fragments = [
            self._fragment_row(records, row, fragment)
            for row, fragment in headers.fragments.items()
            if fragment.protocol in _CARRIERS
        ]
        others = len(headers.fragments) - len(fragments)
        self._outcomes[PacketOutcome.IP_FRAGMENT] -= others
        self._outcomes[PacketOutcome.NOT_TCP] += others
        if fragments:
            yield FRAGMENTS, self.table(FRAGMENTS, fragments)
        issues: list[tuple[object, ...]] = [
            (row + self.frame, aside.outcome.code, aside.detail, aside.offset)
            for row, aside in headers.set_aside.items()
        ]
        issues += self._unread_interfaces(records, headers)
        if issues:
            yield SCAN_ISSUES, self.table(SCAN_ISSUES, issues)

    def _fragment_row(self, records: Records, row: int, fragment: IpFragment) -> tuple[object, ...]:
        start = int(records.data_offset[row]) + fragment.payload_offset
        return (
            row + self.frame,
            int(records.ts_ns[row]),
            fragment.src,
            fragment.dst,
            fragment.protocol,
            fragment.protocol if len(fragment.src) == 4 else 0,
            fragment.identification,
            fragment.fragment_offset,
            fragment.more,
            fragment.payload_wire_len,
            records.buffer[start : start + fragment.payload_len],
        )

    def _unread_interfaces(self, records: Records, headers: Headers) -> list[tuple[object, ...]]:
        rows = np.flatnonzero(headers.outcome == PacketOutcome.UNSUPPORTED_LINK)
        if not len(rows):
            return []
        # A number alone is not enough: each section of a pcapng file counts its interfaces from 0.
        alike = np.stack((records.interface[rows], link_types(records)[rows]))
        found, firsts = np.unique(alike, axis=1, return_index=True)
        issues: list[tuple[object, ...]] = []
        for first, (number, kind) in sorted(zip(firsts.tolist(), found.T.tolist(), strict=True)):
            if (number, kind) in self._interfaces_told:
                continue
            if len(self._interfaces_told) >= MAX_INTERFACES_TOLD:
                break
            self._interfaces_told.add((number, kind))
            row = int(rows[first])
            offset = records.base + int(records.record_offset[row])
            if kind != NO_LINK_TYPE:
                detail = f"interface {number} has link type {kind}, which is not read"
                issues.append((row + self.frame, "unsupported-link-type", detail, offset))
            else:
                detail = f"packets name interface {number}, which no block describes"
                issues.append((row + self.frame, "undeclared-interface", detail, offset))
        return issues

    def counts(self) -> tuple[Table, pa.RecordBatch]:
        counted = [
            (outcome.counter, int(self._outcomes[outcome])) for outcome in PacketOutcome if self._outcomes[outcome]
        ]
        return COUNTS, self.table(COUNTS, [*counted])

    def flush(self) -> Iterator[tuple[Table, pa.RecordBatch]]:
        """Conversations and SYNs up to here; a conversation that goes on gets another row."""
        for table, parts in ((CONVERSATIONS, self._conversations), (SYNS, self._syns)):
            if not parts:
                continue
            columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            if table is CONVERSATIONS:
                columns = _reduced(columns, *_grouped(columns["key"]))
            yield table, self._from_columns(table, columns)
        self._conversations, self._syns, self.held = [], [], 0

    def _from_columns(self, table: Table, columns: dict[str, Column]) -> pa.RecordBatch:
        count = len(columns["key"])
        columns = {"file": np.full(count, self.file), "split": np.full(count, self.split), **columns}
        arrays = [
            pa.array(values, column.type, mask=values == _UNKNOWN[column.name] if column.name in _UNKNOWN else None)
            for column, values in ((column, columns[column.name]) for column in table.columns)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=table.arrow)


_REDUCTIONS = {
    "packets": np.add,
    "payload_bytes": np.add,
    "well_known_port": np.logical_or,
    "may_be_rpc": np.logical_or,
    "base_low": np.minimum,
    "base_high": np.minimum,
    # The same in every row of a conversation.
    "low_end": np.minimum,
    "high_end": np.minimum,
    "last_ts_ns": np.maximum,
    "low_host": np.minimum,
    "high_host": np.minimum,
}
_UNKNOWN = {"base_low": NEVER, "base_high": NEVER, "low_host": NEVER, "high_host": NEVER}
"""What stands for null."""


def _grouped(keys: Column) -> tuple[Column, Column]:
    """An order in which those of a conversation stand together, and where each conversation begins in it."""
    order = np.argsort(keys)
    sorted_keys = keys[order]
    return order, np.flatnonzero(np.concatenate(([True], sorted_keys[1:] != sorted_keys[:-1])))


def _reduced(columns: dict[str, Column], order: Column, starts: Column) -> dict[str, Column]:
    """One row a conversation."""
    rows = {"key": columns["key"][order[starts]]}
    for name, reduction in _REDUCTIONS.items():
        if name in columns:
            rows[name] = reduction.reduceat(columns[name][order], starts)
    return rows


def _unspoken(headers: Headers, tcp: Column, low: Column, payload: Column) -> dict[str, Column]:
    """Hosts of conversations with next to no payload, null for the others: that is for most.

    `tcp` and `low`: a packet of each conversation.
    """
    found = {name: np.full(len(tcp), _UNKNOWN[name], np.int64) for name in ("low_host", "high_host")}
    unspoken = np.flatnonzero(payload < HEADER_BYTES)
    if len(unspoken):
        from_low = low[unspoken]
        source, destination = host_keys(headers, tcp[unspoken])
        found["low_host"][unspoken] = np.where(from_low, source, destination)
        found["high_host"][unspoken] = np.where(from_low, destination, source)
    return found
