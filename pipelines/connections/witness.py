"""What a connection says about itself: how it began, bound and ended, and what of it was not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.call_model import PduFate
from decoders.net.addresses import to_text
from decoders.registry import REGISTRY, registered
from decoders.tcp.model import Conflict, Data, Gap, Side
from pipelines.facts.model import (
    BEGINNING,
    END,
    MAX_BINDS,
    BindFact,
    BlindFact,
    ConnectionFact,
    Ending,
    Ends,
    Moment,
    end_of,
)
from pipelines.facts.reasons import Reason
from schemas.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.dcerpc.framing import Skipped
    from decoders.dcerpc.proposals import ProposalAnswer, ProposalKey
    from decoders.tcp.connection import Connection
    from decoders.tcp.model import StreamEvent
    from ingest.choice import Endpoint
    from pipelines.calls.connection import Place
    from pipelines.facts.model import Fact, Party
    from schemas.model import AnyRow

MAX_STRETCHES: Final = 256
"""Blind stretches of a connection told apart; what comes after is one with the last."""
_PROPOSALS: Final = frozenset(("bind", "alter_context"))
_SAID: Final = {True: "accepted", False: "refused", None: None}
_ENDINGS: Final = frozenset("FfRr")


class Witness:
    """Of one connection, from its first event on."""

    __slots__ = ("_answers", "_began", "_binds", "_last", "_latest", "_stretches")

    def __init__(self, connection: Connection) -> None:
        self._began = Moment(connection.first_ts_ns, connection.first_capture, connection.first_frame)
        self._last: dict[Side, Moment] = {}
        """Of the bytes that came out last, per sender."""
        self._latest = self._began
        """Of bytes that were captured late: what comes out behind them was captured before."""
        self._stretches: list[tuple[Moment, Moment, Reason, Side | None, int | None]] = []
        """From when to when, why, whose bytes were not seen where they are one side's, and how many where known."""
        self._binds: dict[ProposalKey, AnyRow] = {}
        self._answers: dict[ProposalKey, ProposalAnswer] = {}

    def note(self, event: StreamEvent) -> None:
        now = Moment(event.ts_ns, event.capture, event.frame)
        if isinstance(event, Data):
            self._last[event.sender] = now
        elif isinstance(event, Gap):
            self._blind(self._last.get(event.sender, self._began), now, Reason.BYTES_MISSING, event.sender, event.size)
        elif isinstance(event, Conflict):
            self._blind(self._began, now, Reason.BYTES_CONTRADICT)

    def note_in_order(self, sender: Side, ts_ns: int, capture: int, frame: int) -> None:
        """The last of many bytes of which none is missing."""
        self._last[sender] = Moment(ts_ns, capture, frame)

    def late(self, data: Data) -> None:
        """The other side had the bytes before: they were sent again, or captured out of their order."""
        now = Moment(data.ts_ns, data.capture, data.frame)
        self._latest = max(self._latest, now)
        self._blind(self._last.get(data.sender, self._began), now, Reason.TIMES_CROSS, data.sender, 0)

    def skipped(self, skipped: Skipped) -> None:
        moment = Moment(skipped.ts_ns, skipped.capture, skipped.frame)
        self._blind(moment, moment, Reason.BYTES_MISSING, skipped.sender)

    def forgotten(self) -> None:
        """Its state is given up: what follows is not put together with it."""
        self._blind(max(self._last.values(), default=self._began), END, Reason.LIMIT)

    def pdu(self, row: AnyRow) -> None:
        """A row of `pdus`."""
        if row["fate"] == PduFate.MALFORMED:
            ts_ns = NO_TIME if row["ts_ns"] is None else row["ts_ns"]
            self._blind(Moment(ts_ns, 0, 0), end_of(ts_ns), Reason.BYTES_MISSING)
        elif row["pkt_type"] in _PROPOSALS and len(self._binds) < MAX_BINDS:
            self._binds[row["is_orig"], row["stream_offset"]] = row

    def answered(self, answer: ProposalAnswer) -> None:
        if answer.proposal in self._binds:
            self._answers[answer.proposal] = answer

    def _blind(
        self, began: Moment, until: Moment, reason: Reason, sender: Side | None = None, octets: int | None = None
    ) -> None:
        # What follows bytes that were captured late was captured before them.
        began, until = min(began, until), max(began, until)
        if len(self._stretches) < MAX_STRETCHES:
            self._stretches.append((began, until, reason, sender, octets))
            return
        first, end, told, *_ = self._stretches[-1]
        self._stretches[-1] = min(first, began), max(end, until), told, None, None

    @property
    def missed(self) -> bool:
        return bool(self._stretches)

    def kept(self, connection: Connection, place: Place, untidy: frozenset[int]) -> Iterator[Fact]:
        """Facts of a connection that is kept. `untidy`: captures whose clock went back."""
        ends = Ends(**place.id)
        binds = tuple(_bind(bind, self._answers.get(key)) for key, bind in self._binds.items())
        closed = not _ENDINGS.isdisjoint(connection.history(place.orig))
        last = max(self._last.values(), default=self._began)
        if not connection.resets_fit:
            self._blind(last, end_of(connection.last_ts_ns), Reason.BYTES_MISSING)
        endings = tuple(
            Ending(_party(one.sender, place), one.how.value, Moment(one.ts_ns, one.capture, one.frame))
            for one in connection.endings
        )
        midstream = connection.starts_midstream and not self._begins_with_bind()
        fact = ConnectionFact(
            began=self._began,
            uid=place.uid,
            ends=ends,
            until=end_of(_over_ns(endings, max(last, self._latest), connection.last_ts_ns)),
            closed=closed,
            ended_by=None if connection.ended_by is None else _party(connection.ended_by, place),
            endings=endings,
            midstream=midstream,
            binds=binds,
        )
        yield fact
        if not untidy.isdisjoint(connection.packets_by_capture):
            yield BlindFact(BEGINNING, place.uid, ends.orig_h, ends.resp_h, END, Reason.TIMES_CROSS)
        if midstream:
            yield BlindFact(BEGINNING, place.uid, ends.orig_h, ends.resp_h, self._began, Reason.STARTED_MIDSTREAM)
        if not closed and fact.may_read:
            # Its last packets may be missing without a trace.
            yield BlindFact(last, place.uid, ends.orig_h, ends.resp_h, END, Reason.CAPTURE_ENDED)
        for began, end, reason, sender, octets in self._stretches:
            said_by = None if sender is None else _party(sender, place)
            yield BlindFact(began, place.uid, ends.orig_h, ends.resp_h, end, reason, said_by, octets)

    def _begins_with_bind(self) -> bool:
        """[C706] 12.6.4.3: nothing is said before the bind, whether or not the SYN was captured."""
        first = self._binds.get((True, 0))
        return first is not None and first["pkt_type"] == "bind"

    def silent(self, connection: Connection, uid: str, low: Endpoint, high: Endpoint) -> Iterator[Fact]:
        """Of one of which no payload was captured: it carried some, or may have."""
        hosts = to_text(low[0]), to_text(high[0])
        asking = {Side.LOW: {hosts}, Side.HIGH: {hosts[::-1]}, None: {hosts, hosts[::-1]}}
        for client, server in asking[connection.syn_originator]:
            for began, until in self._unheard(connection):
                yield BlindFact(began, uid, client, server, until, Reason.BYTES_MISSING)

    def _unheard(self, connection: Connection) -> list[tuple[Moment, Moment]]:
        joined = connection.starts_midstream
        closed = not _ENDINGS.isdisjoint(connection.history(Side.LOW))
        first, last = end_of(connection.first_ts_ns), end_of(connection.last_ts_ns)
        if self.missed or not connection.resets_fit or any(connection.unseen_bytes(side) for side in Side):
            return [(BEGINNING if joined else self._began, last if closed else END)]
        # From its first packet to its last its numbers stood still: nothing passed between.
        before, after = (BEGINNING, first), (last, END)
        return [*([before] if joined else ()), *(() if closed else [after])]

    def aside(self, connection: Connection, uid: str, low: Endpoint, high: Endpoint) -> Iterator[Fact]:
        """Of one that speaks DCE/RPC and that no bind explains in full: it may have been ours, whoever serves."""
        began = BEGINNING if connection.starts_midstream else self._began
        until = end_of(connection.last_ts_ns)
        hosts = to_text(low[0]), to_text(high[0])
        for client, server in {hosts, hosts[::-1]}:
            yield BlindFact(began, uid, client, server, until, Reason.BIND_NOT_SEEN)


def _over_ns(endings: tuple[Ending, ...], last: Moment, last_ts_ns: int) -> int:
    """When it was over. Copies of its packets come later, and tell nothing of which connection ended last."""
    over = any(one.how == "reset" for one in endings) or len({one.side for one in endings}) == len(Side)
    return max(last, *(one.at for one in endings)).ts_ns if over else last_ts_ns


def _party(side: Side, place: Place) -> Party:
    return "client" if side is place.orig else "server"


def _interface(uuid: str, version: str) -> str:
    """The UUID alone stands for what the registry means by it."""
    return uuid if uuid not in REGISTRY or registered(uuid, version) else f"{uuid} {version}"


def _bind(row: AnyRow, answer: ProposalAnswer | None) -> BindFact:
    return BindFact(
        # What is one object with the default is not stored.
        kind="bind" if row["pkt_type"] == "bind" else "alter_context",
        ts_ns=NO_TIME if row["ts_ns"] is None else row["ts_ns"],
        interfaces=tuple(
            _interface(one["interface_uuid"], one["interface_version"]) for one in row.get("proposed") or ()
        ),
        auth_type=row["auth_type"],
        auth_level=row["auth_level"],
        asked_group=row["assoc_group_id"],
        group=answer.assoc_group_id if answer else None,
        answer=_SAID[answer.accepted] if answer else None,
        reason=answer.reason if answer else None,
        frame=row["frames"][0] if row["frames"] else 0,
        capture_id=row["capture_id"] or "",
    )
