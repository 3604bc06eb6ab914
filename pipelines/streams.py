"""Sorted segments of many conversations to flows, PDUs, calls and issues. One pass, bounded memory, no Spark."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from decoders.dcerpc.framing import ConnectionFramer, FramedPdu, Skipped
from decoders.dcerpc.recogniser import Recogniser
from decoders.net.addresses import to_text
from decoders.tcp.conversation import Closed, Conversation
from decoders.tcp.model import Conflict, Data, Fate, Gap, Segment, Side
from ingest.choice import ChosenBy, client_of
from pipelines.decode.connection import ConnectionCalls, Place, PlacedCall
from pipelines.decode.times import micros, nanos
from pipelines.uids import connection_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from decoders.dcerpc.framing import Framed
    from decoders.tcp.connection import Connection
    from decoders.tcp.model import StreamEvent
    from ingest.choice import Choice, DecidedBy, Endpoint

Row = dict[str, Any]
MAX_ISSUES_HELD: Final = 1_000
"""Issues kept of a connection until it is chosen; if it has more before that, the first ones tell enough."""
_NO_FATES: Final = dict.fromkeys(Fate, 0)


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A row of schemas.internal.SEGMENTS."""

    key: int
    low: Endpoint
    high: Endpoint
    segment: Segment


@dataclass(slots=True)
class _Tracked:
    """What is known of one connection while it lasts."""

    connection: Connection
    uid: str
    framer: ConnectionFramer = field(default_factory=ConnectionFramer)
    recogniser: Recogniser = field(default_factory=Recogniser)
    chosen_by: ChosenBy | None = None
    too_late: bool = False
    """A reason to keep it came after its first PDU: what came before was not kept, so it must be looked at again."""
    client: tuple[Side, DecidedBy] | None = None
    """Decided with the first PDU and kept, since every row says who the client is."""
    calls: ConnectionCalls | None = None
    issues: list[Row] = field(default_factory=list)
    skipped: tuple[Skipped, ...] = ()
    """Before its first PDU."""
    counts: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    """(capture, stage, counter) -> value"""


class Assembler:
    """Give it segments sorted by (key, time, capture, frame); take rows as they come.

    Rows are of `flows`, `asides` (connections not kept), `issues` and `pdus`; under `calls` come `PlacedCall`s, not
    decoded yet. A flow or aside is the last row of its connection.
    """

    def __init__(self, choice: Choice, capture_ids: Sequence[str], paths: Sequence[str]) -> None:
        self.choice = choice
        self._capture_ids = capture_ids
        self._paths = paths

    def run(self, rows: Iterable[SegmentRow]) -> Iterator[tuple[str, Row | PlacedCall]]:
        """(table, row) in the order in which the streams tell."""
        key: int | None = None
        open_now: dict[tuple[Endpoint, Endpoint], _Talk] = {}
        for row in rows:
            if row.key != key:
                for talk in open_now.values():
                    yield from talk.finish()
                key, open_now = row.key, {}
            # Two conversations can share a key by accident; their endpoints tell them apart.
            ends = row.low, row.high
            if ends not in open_now:
                open_now[ends] = _Talk(self, row.key, *ends)
            yield from open_now[ends].feed(row.segment)
        for talk in open_now.values():
            yield from talk.finish()

    def capture_id(self, capture: int) -> str:
        return self._capture_ids[capture]

    def issue(
        self, uid: str, code: str, detail: str, capture: int, frame: int, offset: int, call: str | None = None
    ) -> Row:
        return {
            "code": code,
            "detail": detail,
            "capture_id": self._capture_ids[capture],
            "path": self._paths[capture],
            "uid": uid,
            "call_uid": call,
            "frame": frame,
            "offset": offset,
        }


class _Talk:
    """The connections of one 4-tuple."""

    def __init__(self, assembler: Assembler, key: int, low: Endpoint, high: Endpoint) -> None:
        self._assembler = assembler
        self._key, self._low, self._high = key, low, high
        self._conversation = Conversation()
        self._tracked: dict[int, _Tracked] = {}

    def feed(self, segment: Segment) -> Iterator[tuple[str, Row | PlacedCall]]:
        return self._take(self._conversation.feed(segment))

    def finish(self) -> Iterator[tuple[str, Row | PlacedCall]]:
        return self._take(self._conversation.finish())

    def _take(
        self, events: Iterable[tuple[Connection, StreamEvent | Closed]]
    ) -> Iterator[tuple[str, Row | PlacedCall]]:
        for connection, event in events:
            tracked = self._tracked.get(id(connection))
            if tracked is None:
                tracked = self._tracked[id(connection)] = self._track(connection)
            if isinstance(event, Closed):
                del self._tracked[id(connection)]
                yield from self._close(tracked)
                continue
            if isinstance(event, Gap | Conflict):
                yield from self._tell(tracked, self._stream_issue(tracked, event))
            if isinstance(event, Data | Gap):
                from_start = event.offset == 0 and not connection.starts_midstream
                yield from self._frame(tracked, tracked.framer.feed(event, from_start=from_start))

    def _track(self, connection: Connection) -> _Tracked:
        uid = connection_uid(self._low, self._high, connection.first_ts_ns, connection.first_seq, connection.first_ack)
        return _Tracked(connection, uid, chosen_by=self._assembler.choice.known.get(uid))

    def _frame(self, tracked: _Tracked, framed: Iterable[Framed]) -> Iterator[tuple[str, Row | PlacedCall]]:
        for one in framed:
            self._count_bytes(tracked, one)
            if isinstance(one, Skipped):
                if tracked.calls is not None:
                    yield from self._rows_of(tracked, tracked.calls.skipped(one))
                elif not tracked.too_late:
                    tracked.skipped = (*tracked.skipped, one)[:MAX_ISSUES_HELD]
                continue
            tracked.recogniser.note(one.sender, one)
            if tracked.client is None:
                tracked.client = self._client(tracked)
            if tracked.chosen_by is None:
                tracked.chosen_by = self._assembler.choice.of(tracked.recogniser, self._low, self._high)
                tracked.too_late = tracked.chosen_by is not None and tracked.recogniser.pdus > 1
            if tracked.chosen_by is None or tracked.too_late:
                continue
            if tracked.calls is None:
                tracked.calls = ConnectionCalls(self._place(tracked), self._assembler)
                yield from (("issues", issue) for issue in tracked.issues)
                for skipped in tracked.skipped:
                    yield from self._rows_of(tracked, tracked.calls.skipped(skipped))
                tracked.issues.clear()
            tracked.counts[one.origin.frames[0][0], "pdus", "in"] += 1
            yield from self._rows_of(tracked, tracked.calls.pdu(one))

    def _rows_of(
        self, tracked: _Tracked, rows: Iterable[tuple[str, Row | PlacedCall]]
    ) -> Iterator[tuple[str, Row | PlacedCall]]:
        for table, row in rows:
            if isinstance(row, PlacedCall):
                tracked.counts[row.capture, "calls", "in"] += 1
            yield table, row

    def _count_bytes(self, tracked: _Tracked, one: Framed) -> None:
        if isinstance(one, Skipped):
            by_capture, counter = one.bytes_by_capture, f"skipped_{one.reason}"
        else:
            by_capture = one.origin.bytes_by_capture
            counter = "pdus" if isinstance(one, FramedPdu) else "pdus_cut"
        for capture, size in by_capture.items():
            tracked.counts[capture, "stream_bytes", counter] += size

    def _tell(self, tracked: _Tracked, issue: Row) -> Iterator[tuple[str, Row]]:
        """An issue of a connection that may yet turn out not to be ours is held back."""
        if tracked.calls is not None:
            yield "issues", issue
        elif len(tracked.issues) < MAX_ISSUES_HELD:
            tracked.issues.append(issue)

    def _stream_issue(self, tracked: _Tracked, event: Gap | Conflict) -> Row:
        sender = self._name(event.sender)
        if isinstance(event, Gap):
            code, detail = "tcp-gap", f"{event.size} bytes from {sender} are missing ({event.reason})"
        else:
            code, detail = "tcp-overlap-conflict", f"{event.size} bytes from {sender} differ from those seen first"
        return self._assembler.issue(tracked.uid, code, detail, event.capture, event.frame, event.offset)

    def _name(self, side: Side) -> str:
        address, port = self._low if side is Side.LOW else self._high
        return f"{to_text(address)}:{port}" if len(address) == 4 else f"[{to_text(address)}]:{port}"

    def _client(self, tracked: _Tracked) -> tuple[Side, DecidedBy]:
        connection = tracked.connection
        return client_of(
            connection.syn_originator, tracked.recogniser, self._low[1], self._high[1], connection.first_sender
        )

    def _place(self, tracked: _Tracked) -> Place:
        orig, _ = tracked.client or self._client(tracked)
        ends = {Side.LOW: self._low, Side.HIGH: self._high}
        return Place(tracked.uid, orig, ends[orig], ends[orig.peer])

    def _close(self, tracked: _Tracked) -> Iterator[tuple[str, Row | PlacedCall]]:
        connection = tracked.connection
        yield from self._frame(tracked, tracked.framer.finish())
        if tracked.calls is not None:
            yield from self._rows_of(tracked, tracked.calls.finish())
        if tracked.chosen_by is None and tracked.recogniser.speaks_rpc and connection.conflicts:
            tracked.chosen_by, tracked.too_late = ChosenBy.CONFLICT, True
        kept = tracked.chosen_by is not None and not tracked.too_late
        aside = "set_aside_other_interface" if tracked.recogniser.speaks_rpc else "set_aside_not_rpc"
        counts = tracked.counts if kept else Counter()
        for capture, packets in connection.packets_by_capture.items():
            counts[capture, "packets", "kept" if kept else aside] += packets
        if not kept:
            yield "asides", self._aside(tracked, counts)
            return
        for capture, size in connection.payload_bytes_in.items():
            counts[capture, "payload_bytes", "in"] += size
        for capture, fates in connection.fates.items():
            for fate, size in fates.items():
                counts[capture, "payload_bytes", str(fate)] += size
            counts[capture, "stream_bytes", "in"] += fates[Fate.DELIVERED]
        yield "flows", self._flow(tracked)

    def _aside(self, tracked: _Tracked, counts: Counter[tuple[int, str, str]]) -> Row:
        return {
            "uid": tracked.uid,
            "key": self._key,
            "chosen_by": str(tracked.chosen_by) if tracked.chosen_by else None,
            "counts": _count_rows(counts),
        }

    def _flow(self, tracked: _Tracked) -> Row:
        connection, recogniser, place = tracked.connection, tracked.recogniser, self._place(tracked)
        orig, resp = place.orig, place.orig.peer
        _, decided_by = tracked.client or self._client(tracked)
        fates = Counter(_NO_FATES)
        for of_capture in connection.fates.values():
            fates.update(of_capture)
        captures = sorted(connection.packets_by_capture)
        return {
            "uid": tracked.uid,
            "community_id": place.community_id,
            "id": place.id,
            "orig_decided_by": str(decided_by),
            "chosen_by": str(tracked.chosen_by),
            "interfaces": list(recogniser.interfaces),
            "first_ts": micros(connection.first_ts_ns),
            "first_ts_ns": nanos(connection.first_ts_ns),
            "last_ts": micros(connection.last_ts_ns),
            "last_ts_ns": nanos(connection.last_ts_ns),
            "conn_state": connection.conn_state(orig),
            "history": connection.history(orig),
            "orig_pkts": connection.packets[orig],
            "resp_pkts": connection.packets[resp],
            "orig_bytes": connection.stream_bytes(orig),
            "resp_bytes": connection.stream_bytes(resp),
            "missed_bytes": connection.missed_bytes(orig) + connection.missed_bytes(resp),
            "orig_missed_bytes": connection.missed_bytes(orig),
            "resp_missed_bytes": connection.missed_bytes(resp),
            "duplicate_bytes": fates[Fate.DUPLICATE],
            "discarded_bytes": fates[Fate.BEFORE_START] + fates[Fate.LATE] + fates[Fate.OUT_OF_WINDOW],
            "conflicts": connection.conflicts,
            "pdus_recognised": recogniser.pdus,
            "starts_midstream": connection.starts_midstream,
            "capture_id": self._assembler.capture_id(connection.first_capture),
            "first_frame": connection.first_frame,
            "capture_ids": [self._assembler.capture_id(capture) for capture in captures],
            "key": self._key,
            "file": connection.first_capture,
            "unresolved": tracked.calls is not None and tracked.calls.unresolved,
            "counts": _count_rows(tracked.counts),
        }


def _count_rows(counts: Counter[tuple[int, str, str]]) -> list[Row]:
    return [
        {"file": file, "stage": stage, "counter": counter, "value": value}
        for (file, stage, counter), value in sorted(counts.items())
        if value
    ]
