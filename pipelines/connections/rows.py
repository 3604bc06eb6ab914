"""A connection while it is followed, and its row when it is over."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.dcerpc.framing import ConnectionFramer
from decoders.dcerpc.recogniser import Recogniser
from decoders.tcp.model import Fate
from decoders.tcp.received_up_to import ReceivedUpTo
from ingest.choice import ChosenBy
from pipelines.connections.witness import Witness
from schemas.times import micros, nanos

if TYPE_CHECKING:
    from decoders.dcerpc.framing import Skipped
    from decoders.tcp.connection import Connection
    from decoders.tcp.model import Side
    from ingest.choice import DecidedBy
    from pipelines.calls.connection import Captures, ConnectionCalls, Place
    from schemas.internal_rows import AsideRow, CountRow, StreamFlowRow
    from schemas.tables.issues import IssueRow

Counts: TypeAlias = "Counter[tuple[int, str, str]]"
"""(capture, stage, counter) -> value"""
_NO_FATES: Final = dict.fromkeys(Fate, 0)


@dataclass(slots=True)
class TrackedConnection:
    """What is known of one connection while it lasts."""

    connection: Connection
    uid: str
    framer: ConnectionFramer = field(default_factory=ConnectionFramer)
    heard: tuple[ReceivedUpTo, ReceivedUpTo] = field(default_factory=lambda: (ReceivedUpTo(), ReceivedUpTo()))
    """By sender."""
    recogniser: Recogniser = field(default_factory=Recogniser)
    chosen_by: ChosenBy | None = None
    too_late: bool = False
    """A reason to keep it came after its first PDU: what came before was not kept, so it must be looked at again."""
    client: tuple[Side, DecidedBy] | None = None
    """Decided with the first PDU and kept, since every row says who the client is."""
    calls: ConnectionCalls | None = None
    issues: list[IssueRow] = field(default_factory=list)
    skipped: tuple[Skipped, ...] = ()
    """Before its first PDU."""
    counts: Counts = field(default_factory=Counter)
    witness: Witness = field(init=False)

    def __post_init__(self) -> None:
        self.witness = Witness(self.connection)

    @property
    def unresolved(self) -> bool:
        """What is announced elsewhere may tell its interface, or a better reason to keep it."""
        return self.chosen_by is ChosenBy.CONFLICT or (self.calls is not None and self.calls.unresolved)


def aside_row(tracked: TrackedConnection, key: int, counts: Counts) -> AsideRow:
    return {
        "uid": tracked.uid,
        "key": key,
        "first_ts_ns": tracked.connection.first_ts_ns,
        "last_ts_ns": tracked.connection.last_ts_ns,
        "chosen_by": str(tracked.chosen_by) if tracked.chosen_by else None,
        "counts": _count_rows(counts),
    }


def flow_row(
    tracked: TrackedConnection, key: int, place: Place, decided_by: DecidedBy, captures: Captures
) -> StreamFlowRow:
    connection, recogniser = tracked.connection, tracked.recogniser
    orig, resp = place.orig, place.orig.peer
    fates = Counter(_NO_FATES)
    for of_capture in connection.fates.values():
        fates.update(of_capture)
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
        "capture_id": captures.capture_id(connection.first_capture),
        "first_frame": connection.first_frame,
        "capture_ids": [captures.capture_id(capture) for capture in sorted(connection.packets_by_capture)],
        "key": key,
        "file": connection.first_capture,
        "unresolved": tracked.unresolved,
        "counts": _count_rows(tracked.counts),
    }


def _count_rows(counts: Counts) -> list[CountRow]:
    return [
        {"file": file, "stage": stage, "counter": counter, "value": value}
        for (file, stage, counter), value in sorted(counts.items())
        if value
    ]
