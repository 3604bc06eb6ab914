"""Sorted segments of many conversations to flows, issues and counts. One pass, bounded memory, no Spark."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from decoders.dcerpc.recogniser import Recogniser
from decoders.net.addresses import to_text
from decoders.net.community_id import community_id
from decoders.tcp.conversation import Closed, Conversation
from decoders.tcp.model import Conflict, Data, Fate, Gap, Segment, Side
from ingest.choice import ChosenBy, client_of
from ingest.containers.model import NO_TIME
from pipelines.uids import connection_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from decoders.tcp.connection import Connection
    from decoders.tcp.model import StreamEvent
    from ingest.choice import Choice, Endpoint

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
    recogniser: Recogniser = field(default_factory=Recogniser)
    chosen_by: ChosenBy | None = None
    issues: list[Row] = field(default_factory=list)


class Assembler:
    """Give it segments sorted by (key, time, capture, frame); take `flows` and `issues` rows as they come."""

    def __init__(self, choice: Choice, capture_ids: Sequence[str], paths: Sequence[str]) -> None:
        self.counts: Counter[tuple[int, str, str]] = Counter()
        """(capture, stage, counter) -> value, complete after the last segment."""
        self._choice = choice
        self._capture_ids = capture_ids
        self._paths = paths

    def run(self, rows: Iterable[SegmentRow]) -> Iterator[tuple[str, Row]]:
        """("flows" or "issues", row) in the order in which connections end."""
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

    def chosen_by(self, recogniser: Recogniser, low: Endpoint, high: Endpoint) -> ChosenBy | None:
        return self._choice.of(recogniser, low, high)

    def capture_id(self, capture: int) -> str:
        return self._capture_ids[capture]

    def path(self, capture: int) -> str:
        return self._paths[capture]


class _Talk:
    """The connections of one 4-tuple."""

    def __init__(self, assembler: Assembler, key: int, low: Endpoint, high: Endpoint) -> None:
        self._assembler = assembler
        self._key, self._low, self._high = key, low, high
        self._conversation = Conversation()
        self._tracked: dict[int, _Tracked] = {}

    def feed(self, segment: Segment) -> Iterator[tuple[str, Row]]:
        return self._take(self._conversation.feed(segment))

    def finish(self) -> Iterator[tuple[str, Row]]:
        return self._take(self._conversation.finish())

    def _take(self, events: Iterable[tuple[Connection, StreamEvent | Closed]]) -> Iterator[tuple[str, Row]]:
        for connection, event in events:
            tracked = self._tracked.get(id(connection))
            if tracked is None:
                tracked = self._tracked[id(connection)] = self._track(connection)
            if isinstance(event, Data):
                from_start = event.offset == 0 and not connection.starts_midstream
                tracked.recogniser.data(event.sender, event.payload, from_start=from_start)
                if tracked.chosen_by is None:
                    yield from self._reconsider(tracked)
            elif isinstance(event, Closed):
                del self._tracked[id(connection)]
                yield from self._close(tracked)
            else:
                if isinstance(event, Gap):
                    tracked.recogniser.gap(event.sender, event.size)
                yield from self._issue(tracked, event)

    def _track(self, connection: Connection) -> _Tracked:
        uid = connection_uid(self._low, self._high, connection.first_ts_ns, connection.first_seq, connection.first_ack)
        return _Tracked(connection, uid)

    def _reconsider(self, tracked: _Tracked) -> Iterator[tuple[str, Row]]:
        tracked.chosen_by = self._assembler.chosen_by(tracked.recogniser, self._low, self._high)
        if tracked.chosen_by is not None:
            yield from self._tell(tracked)

    def _tell(self, tracked: _Tracked) -> Iterator[tuple[str, Row]]:
        yield from (("issues", issue) for issue in tracked.issues)
        tracked.issues.clear()

    def _issue(self, tracked: _Tracked, event: Gap | Conflict) -> Iterator[tuple[str, Row]]:
        sender = self._name(event.sender)
        if isinstance(event, Gap):
            code, detail = "tcp-gap", f"{event.size} bytes from {sender} are missing ({event.reason})"
        else:
            code, detail = "tcp-overlap-conflict", f"{event.size} bytes from {sender} differ from those seen first"
        issue = {
            "code": code,
            "detail": detail,
            "capture_id": self._assembler.capture_id(event.capture),
            "path": self._assembler.path(event.capture),
            "uid": tracked.uid,
            "call_uid": None,
            "frame": event.frame,
            "offset": event.offset,
        }
        if tracked.chosen_by is not None:
            yield "issues", issue
        elif len(tracked.issues) < MAX_ISSUES_HELD:
            tracked.issues.append(issue)

    def _name(self, side: Side) -> str:
        address, port = self._low if side is Side.LOW else self._high
        return f"{to_text(address)}:{port}" if len(address) == 4 else f"[{to_text(address)}]:{port}"

    def _close(self, tracked: _Tracked) -> Iterator[tuple[str, Row]]:
        connection, counts = tracked.connection, self._assembler.counts
        tracked.recogniser.finish()
        if tracked.chosen_by is None:
            yield from self._reconsider(tracked)
        if tracked.chosen_by is None and tracked.recogniser.speaks_rpc and connection.conflicts:
            tracked.chosen_by = ChosenBy.CONFLICT
            yield from self._tell(tracked)
        kept = tracked.chosen_by is not None
        aside = "set_aside_other_interface" if tracked.recogniser.speaks_rpc else "set_aside_not_rpc"
        for capture, packets in connection.packets_by_capture.items():
            counts[capture, "packets", "kept" if kept else aside] += packets
        if not kept:
            return
        for capture, size in connection.payload_bytes_in.items():
            counts[capture, "payload_bytes", "in"] += size
        for capture, fates in connection.fates.items():
            for fate, size in fates.items():
                counts[capture, "payload_bytes", str(fate)] += size
        yield "flows", self._flow(tracked, tracked.chosen_by)

    def _flow(self, tracked: _Tracked, chosen_by: ChosenBy | None) -> Row:
        connection, recogniser = tracked.connection, tracked.recogniser
        orig, decided_by = client_of(
            connection.syn_originator, recogniser, self._low[1], self._high[1], connection.first_sender
        )
        resp = orig.peer
        ends = {Side.LOW: self._low, Side.HIGH: self._high}
        (orig_h, orig_p), (resp_h, resp_p) = ends[orig], ends[resp]
        fates = Counter(_NO_FATES)
        for of_capture in connection.fates.values():
            fates.update(of_capture)
        captures = sorted(connection.packets_by_capture)
        return {
            "uid": tracked.uid,
            "community_id": community_id(orig_h, resp_h, orig_p, resp_p),
            "id": {"orig_h": to_text(orig_h), "orig_p": orig_p, "resp_h": to_text(resp_h), "resp_p": resp_p},
            "orig_decided_by": str(decided_by),
            "chosen_by": str(chosen_by),
            "interfaces": list(recogniser.interfaces),
            **_times(connection.first_ts_ns, connection.last_ts_ns),
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
        }


def _times(first_ts_ns: int, last_ts_ns: int) -> Row:
    def both(ts_ns: int) -> tuple[int | None, int | None]:
        return (None, None) if ts_ns == NO_TIME else (ts_ns // 1000, ts_ns)

    (first, first_ns), (last, last_ns) = both(first_ts_ns), both(last_ts_ns)
    return {"first_ts": first, "first_ts_ns": first_ns, "last_ts": last, "last_ts_ns": last_ns}
