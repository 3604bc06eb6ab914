"""Sorted segments of many conversations to flows, PDUs, calls and issues. One pass, bounded memory, no Spark."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.dcerpc.exchanges import may_begin
from decoders.dcerpc.framing import FramedPdu, Skipped
from decoders.dcerpc.header import HEADER_BYTES
from decoders.dcerpc.proposals import ProposalAnswer
from decoders.dcerpc.well_known import PORTS
from decoders.limits import MAX_TALKS_OF_A_KEY, SILENCE_NS
from decoders.net.addresses import to_text
from decoders.tcp.conversation import Closed, Conversation
from decoders.tcp.model import Conflict, Data, Fate, Gap, Side
from ingest.choice import ChosenBy, client_of
from ingest.clock import JITTER_NS
from pipelines.calls.connection import ConnectionCalls, Finality, Place, PlacedCall
from pipelines.calls.unsealers import unsealers
from pipelines.connections.rows import TrackedConnection, aside_row, flow_row
from pipelines.connections.segment_runs import runs
from pipelines.connections.stretches import Pace, began, exchanged
from pipelines.facts.stored_form import to_row
from schemas.internal import FACTS
from schemas.tables.issues import issue_row
from schemas.times import NO_TIME
from schemas.uids import connection_uid

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from decoders.dcerpc.framing import Framed
    from decoders.security.accounts import Secret
    from decoders.tcp.connection import Connection
    from decoders.tcp.model import Segment, StreamEvent
    from ingest.choice import Choice, DecidedBy, Endpoint
    from pipelines.calls.connection import ExchangedCalls, TableItem
    from pipelines.connections.segment_runs import SegmentRow, SegmentRun
    from pipelines.facts.model import Fact
    from schemas.model import AnyRow
    from schemas.tables.issues import IssueRow

Row: TypeAlias = "tuple[str, AnyRow | PlacedCall | ExchangedCalls]"
"""With the name of its table."""
EXCHANGES: Final = "exchanges"
"""Calls and PDUs that come together."""
_NEVER_OPEN: Final = frozenset(("REJ", "RSTOS0"))
"""Zeek's states of connections that were refused."""
_NOT_ANSWERED: Final = "S0"
_SENT_AGAIN_NS: Final = 500_000_000
"""RFC 6298 2.1: a SYN that nobody answers is sent again after a second. Copies of one packet lie closer together."""
_FIRST_SERVED_PORT: Final = 1024
"""Below are the ports of well-known services: DCE/RPC is served there at its own ports and nowhere else."""
MAX_ISSUES_HELD: Final = 1_000
"""Issues kept of a connection until it is chosen; if it has more before that, the first ones tell enough."""


class Assembler:
    """Give it segments sorted by (key, time, capture, frame); take rows as they come.

    Rows are of `flows`, `asides` (connections not kept), `issues`, `pdus`, `principals` and `facts`; under `calls` come
    calls that are not decoded yet, under `exchanges` many with their PDUs. A flow or aside is the last row of its
    connection.
    """

    def __init__(
        self,
        choice: Choice,
        capture_ids: Sequence[str],
        paths: Sequence[str],
        untidy: Collection[int] = (),
        secrets: Sequence[Secret] = (),
        hollow: Collection[int] = (),
        *,
        in_bulk: bool = True,
    ) -> None:
        """`untidy`: captures whose clock went back. `secrets`: those that are known.

        `hollow`: keys of conversations that are here for nothing but what they do not show.
        `in_bulk`: exchanges in turn are read many at once. The rows are the same without.
        """
        self.in_bulk = in_bulk
        self.choice = choice
        self.untidy = frozenset(untidy)
        self.hollow = frozenset(hollow)
        self._capture_ids = capture_ids
        self._paths = paths
        self.unsealer = unsealers(secrets)
        self._open: dict[tuple[Endpoint, Endpoint], _Talk] = {}
        self.unsettled: set[str] = set()
        """Connections that were kept, are over, and may be read otherwise once more endpoints are announced, by uid."""

    def run(self, rows: Iterable[SegmentRow]) -> Iterator[Row]:
        """(table, row) in the order in which the streams tell."""
        key: int | None = None
        for run in runs(rows):
            if run.key != key:
                yield from self._finish()
                key = run.key
            yield from self._talk(run).feed(run.segments)
            if len(self._open) > MAX_TALKS_OF_A_KEY:
                # The one that was silent for longest: if it goes on, it does so as one that began out of sight.
                yield from self._open.pop(next(iter(self._open))).let_go()
        yield from self._finish()

    def _talk(self, run: SegmentRun) -> _Talk:
        """Two conversations can share a key by accident; their endpoints tell them apart. The latest is the last."""
        ends = run.low, run.high
        talk = self._open.pop(ends, None) if len(self._open) > 1 else self._open.get(ends)
        self._open[ends] = talk or _Talk(self, run.key, *ends)
        return self._open[ends]

    def _finish(self) -> Iterator[Row]:
        for talk in self._open.values():
            yield from talk.finish()
        self._open = {}

    def under_way(self) -> Iterator[tuple[str, Finality]]:
        """Connections that are not over, by uid, and how their reading stands."""
        for talk in self._open.values():
            yield from talk.under_way()

    def capture_id(self, capture: int) -> str:
        return self._capture_ids[capture]

    def capture_of(self, capture_id: str) -> int:
        return self._capture_ids.index(capture_id)

    def issue(
        self,
        uid: str,
        code: str,
        detail: str,
        capture: int,
        frame: int,
        offset: int | None,
        call: str | None = None,
    ) -> IssueRow:
        return issue_row(
            code,
            detail,
            capture_id=self._capture_ids[capture],
            path=self._paths[capture],
            uid=uid,
            call_uid=call,
            frame=frame,
            offset=offset,
        )


class _Talk:
    """The connections of one 4-tuple."""

    def __init__(self, assembler: Assembler, key: int, low: Endpoint, high: Endpoint) -> None:
        self._assembler = assembler
        self._key, self._low, self._high = key, low, high
        self._conversation = Conversation()
        self._tracked: dict[int, TrackedConnection] = {}
        self._last_ts_ns = NO_TIME
        self._pace = Pace(never=not assembler.in_bulk)

    def feed(self, segments: Sequence[Segment]) -> Iterator[Row]:
        at = 0
        while at < len(segments):
            taken = self._at_once(segments, at)
            if taken is None:
                yield from self._feed(segments[at])
                at += 1
                continue
            count, rows = taken
            at += count
            yield EXCHANGES, rows

    def _at_once(self, segments: Sequence[Segment], at: int) -> tuple[int, ExchangedCalls] | None:
        """Exchanges in turn, and how many segments they take."""
        if not may_begin(segments[at]) or not self._pace.is_time():
            return None
        connection = self._conversation.steady
        tracked = None if connection is None else self._tracked.get(id(connection))
        calls = None if tracked is None else tracked.calls
        if tracked is None or calls is None or not tracked.framer.in_step:
            return None
        reader = calls.reader(tracked.connection, began(segments[at]))
        if reader is None:
            return None
        stretch = reader.read(segments, at, self._last_ts_ns)
        if not stretch.exchanges:
            self._pace.met_none()
            return None
        self._pace.met_one()
        self._last_ts_ns = stretch.segments[-1].ts_ns
        return len(stretch.segments), exchanged(tracked, calls, stretch)

    def _feed(self, segment: Segment) -> Iterator[Row]:
        if self._last_ts_ns != NO_TIME and segment.ts_ns - self._last_ts_ns > SILENCE_NS:
            yield from self.finish()
            self._conversation = Conversation()
        self._last_ts_ns = segment.ts_ns
        yield from self._take(self._conversation.feed(segment))

    def finish(self) -> Iterator[Row]:
        return self._take(self._conversation.finish())

    def let_go(self) -> Iterator[Row]:
        """Too many share its key."""
        for tracked in self._tracked.values():
            tracked.witness.forgotten()
            if tracked.calls is not None:
                first = tracked.connection
                detail = f"one of more than {MAX_TALKS_OF_A_KEY} conversations of one key; what follows is read apart"
                place = first.first_capture, first.first_frame
                yield "issues", self._assembler.issue(tracked.uid, "key-shared-by-many", detail, *place, None)
        yield from self.finish()

    def under_way(self) -> Iterator[tuple[str, Finality]]:
        for tracked in self._tracked.values():
            if tracked.unresolved:
                yield tracked.uid, Finality.UNSETTLED
            else:
                yield tracked.uid, tracked.calls.standing if tracked.calls else Finality.OPEN

    def _take(self, events: Iterable[tuple[Connection, StreamEvent | Closed]]) -> Iterator[Row]:
        for connection, event in events:
            tracked = self._tracked.get(id(connection))
            if tracked is None:
                tracked = self._tracked[id(connection)] = self._track(connection)
            if isinstance(event, Closed):
                # It is under way until its last row is made.
                yield from self._close(tracked)
                del self._tracked[id(connection)]
                continue
            if isinstance(event, Data) and connection.captured_late_ns(event) > JITTER_NS:
                tracked.witness.late(event)
            tracked.witness.note(event)
            if isinstance(event, Gap | Conflict):
                yield from self._tell(tracked, self._stream_issue(tracked, event))
            if isinstance(event, Data):
                tracked.heard[event.sender].note(event.offset, connection.heard_bytes(event.sender))
            if isinstance(event, Data | Gap):
                from_start = event.offset == 0 and not connection.starts_midstream
                yield from self._frame(tracked, tracked.framer.feed(event, from_start=from_start))

    def _track(self, connection: Connection) -> TrackedConnection:
        uid = connection_uid(self._low, self._high, connection.first_ts_ns, connection.first_seq, connection.first_ack)
        return TrackedConnection(connection, uid, chosen_by=self._assembler.choice.known.get(uid))

    def _frame(self, tracked: TrackedConnection, framed: Iterable[Framed]) -> Iterator[Row]:
        for one in framed:
            self._count_bytes(tracked, one)
            if isinstance(one, Skipped):
                tracked.witness.skipped(one)
                if tracked.calls is not None:
                    yield from self._rows_of(tracked, tracked.calls.skipped(one))
                elif not tracked.too_late:
                    tracked.skipped = (*tracked.skipped, one)[:MAX_ISSUES_HELD]
                continue
            tracked.recogniser.note(one.sender, one)
            if tracked.client is None:
                tracked.client = self._client(tracked)
            if tracked.chosen_by is None:
                tracked.chosen_by = self._reason(tracked)
                tracked.too_late = tracked.chosen_by is not None and tracked.recogniser.pdus > 1
            if tracked.chosen_by is None or tracked.too_late:
                continue
            if tracked.calls is None:
                tracked.calls = ConnectionCalls(self._place(tracked), self._assembler, self._assembler.unsealer())
                yield from (("issues", issue) for issue in tracked.issues)
                for skipped in tracked.skipped:
                    yield from self._rows_of(tracked, tracked.calls.skipped(skipped))
                tracked.issues.clear()
            tracked.counts[one.origin.frames[0][0], "pdus", "in"] += 1
            yield from self._rows_of(tracked, tracked.calls.pdu(one, tracked.heard[one.sender].at(one.offset)))

    def _not_kept(self, tracked: TrackedConnection) -> Iterable[Fact]:
        """What a connection that tells nothing may have hidden."""
        witness, recogniser = tracked.witness, tracked.recogniser
        if recogniser.speaks_rpc:
            if recogniser.interfaces and not witness.missed:
                return ()
            return witness.aside(tracked.connection, tracked.uid, self._low, self._high)
        if self._says_nothing(tracked):
            return witness.silent(tracked.connection, tracked.uid, self._low, self._high)
        return ()

    def _says_nothing(self, tracked: TrackedConnection) -> bool:
        """No payload of it is in the capture, though there was some or may have been."""
        connection = tracked.connection
        captured = sum(connection.payload_bytes_in.values())
        if captured < HEADER_BYTES and any(connection.unseen_bytes(side) >= HEADER_BYTES for side in Side):
            return True
        orig, _ = tracked.client or self._client(tracked)
        if captured or not self._may_be_served(connection, orig.peer):
            return False
        state = connection.conn_state(orig)
        if state in _NEVER_OPEN:
            return False
        if state == _NOT_ANSWERED:
            return connection.last_ts_ns - connection.first_ts_ns < _SENT_AGAIN_NS
        # A server speaks when it is asked.
        return tracked.witness.missed or not connection.sent_nothing(orig)

    def _may_be_served(self, connection: Connection, server: Side) -> bool:
        """At a port of ours, or at any other where a SYN asks for it: the rest may be of one that earlier runs saw."""
        ends = {Side.LOW: self._low, Side.HIGH: self._high}
        choice = self._assembler.choice
        if ends[server][1] >= _FIRST_SERVED_PORT and connection.syn_originator is server.peer:
            return True
        return any(end[1] in PORTS or choice.announced(end, connection.first_ts_ns) for end in ends.values())

    def _reason(self, tracked: TrackedConnection) -> ChosenBy | None:
        return self._assembler.choice.of(tracked.recogniser, self._low, self._high, tracked.connection.first_ts_ns)

    def _rows_of(self, tracked: TrackedConnection, rows: Iterable[TableItem]) -> Iterator[Row]:
        for table, row in rows:
            if isinstance(row, ProposalAnswer):
                tracked.witness.answered(row)
                continue
            if isinstance(row, PlacedCall):
                tracked.counts[row.capture, "calls", "in"] += 1
            elif table == "pdus":
                tracked.witness.pdu(row)
            yield table, row

    def _count_bytes(self, tracked: TrackedConnection, one: Framed) -> None:
        if isinstance(one, Skipped):
            by_capture, counter = one.bytes_by_capture, f"skipped_{one.reason}"
        else:
            by_capture = one.origin.bytes_by_capture
            counter = "pdus" if isinstance(one, FramedPdu) else "pdus_cut"
        for capture, size in by_capture.items():
            tracked.counts[capture, "stream_bytes", counter] += size

    def _tell(self, tracked: TrackedConnection, issue: IssueRow) -> Iterator[tuple[str, IssueRow]]:
        """An issue of a connection that may yet turn out not to be ours is held back."""
        if tracked.calls is not None:
            yield "issues", issue
        elif len(tracked.issues) < MAX_ISSUES_HELD:
            tracked.issues.append(issue)

    def _stream_issue(self, tracked: TrackedConnection, event: Gap | Conflict) -> IssueRow:
        sender = self._name(event.sender)
        if isinstance(event, Gap):
            code, detail = "tcp-gap", f"{event.size} bytes from {sender} are missing ({event.reason})"
        else:
            code, detail = "tcp-overlap-conflict", f"{event.size} bytes from {sender} differ from those seen first"
        return self._assembler.issue(tracked.uid, code, detail, event.capture, event.frame, event.offset)

    def _aside(self, tracked: TrackedConnection) -> str:
        """The counter of its packets, if it is not kept."""
        if tracked.recogniser.speaks_rpc:
            return "set_aside_other_interface"
        # Whether it is looked at depends on what else is known by then; how it is counted must not.
        return "set_aside_no_rpc_seen" if self._key in self._assembler.hollow else "set_aside_not_rpc"

    def _name(self, side: Side) -> str:
        address, port = self._low if side is Side.LOW else self._high
        return f"{to_text(address)}:{port}" if len(address) == 4 else f"[{to_text(address)}]:{port}"

    def _client(self, tracked: TrackedConnection) -> tuple[Side, DecidedBy]:
        connection = tracked.connection
        return client_of(
            connection.syn_originator, tracked.recogniser, self._low[1], self._high[1], connection.first_sender
        )

    def _place(self, tracked: TrackedConnection) -> Place:
        orig, _ = tracked.client or self._client(tracked)
        ends = {Side.LOW: self._low, Side.HIGH: self._high}
        return Place(tracked.uid, orig, ends[orig], ends[orig.peer], tracked.connection.first_ts_ns)

    def _close(self, tracked: TrackedConnection) -> Iterator[Row]:
        connection = tracked.connection
        yield from self._frame(tracked, tracked.framer.finish())
        if tracked.calls is not None:
            yield from self._rows_of(tracked, tracked.calls.finish())
        if tracked.chosen_by is None and tracked.recogniser.speaks_rpc and connection.conflicts:
            tracked.chosen_by, tracked.too_late = ChosenBy.CONFLICT, True
        kept = tracked.chosen_by is not None and not tracked.too_late
        if kept:
            # The reason told is the strongest of all, not the one met first: that depends on what was known before.
            tracked.chosen_by = self._reason(tracked) or tracked.chosen_by
        aside = self._aside(tracked)
        counts = tracked.counts if kept else Counter()
        for capture, packets in connection.packets_by_capture.items():
            counts[capture, "packets", "kept" if kept else aside] += packets
        facts = (
            tracked.witness.kept(connection, self._place(tracked), self._assembler.untidy)
            if kept
            else self._not_kept(tracked)
        )
        yield from ((FACTS.name, to_row(fact)) for fact in facts)
        if kept and tracked.unresolved:
            self._assembler.unsettled.add(tracked.uid)
        if not kept:
            yield "asides", aside_row(tracked, self._key, counts)
            return
        for capture, size in connection.payload_bytes_in.items():
            counts[capture, "payload_bytes", "in"] += size
        for capture, fates in connection.fates.items():
            for fate, size in fates.items():
                counts[capture, "payload_bytes", str(fate)] += size
            counts[capture, "stream_bytes", "in"] += fates[Fate.DELIVERED]
        _, decided_by = tracked.client or self._client(tracked)
        yield "flows", flow_row(tracked, self._key, self._place(tracked), decided_by, self._assembler)
