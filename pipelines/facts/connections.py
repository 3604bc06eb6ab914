"""What a connection says about itself: how it began, bound and ended, and what of it was not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.dcerpc.call_model import PduFate
from decoders.net.addresses import to_text
from decoders.tcp.model import Conflict, Data, Gap, Side
from ingest.containers.model import NO_TIME
from pipelines.facts.model import BEGINNING, END, BindFact, BlindFact, ConnectionFact, Ending, Ends, Moment, end_of
from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.dcerpc.framing import Skipped
    from decoders.tcp.connection import Connection
    from decoders.tcp.model import StreamEvent
    from ingest.choice import Endpoint
    from pipelines.decode.connection import Place
    from pipelines.facts.model import Fact, Party

Row = dict[str, Any]
MAX_BINDS: Final = 64
"""Of a connection. Two or three are usual; a flood of them says nothing more."""
MAX_STRETCHES: Final = 256
"""Blind stretches of a connection told apart; what comes after is one with the last."""
_PROPOSALS: Final = frozenset(("bind", "alter_context"))
_ANSWERS: Final = {"bind_ack": "accepted", "alter_context_resp": "accepted", "bind_nak": "refused"}
_ANSWER_TO: Final = {"bind_ack": ("bind",), "alter_context_resp": ("alter_context",), "bind_nak": tuple(_PROPOSALS)}
_ENDINGS: Final = frozenset("FfRr")


class Witness:
    """Of one connection, from its first event on."""

    __slots__ = ("_began", "_binds", "_last", "_stretches")

    def __init__(self, connection: Connection) -> None:
        self._began = Moment(connection.first_ts_ns, connection.first_capture, connection.first_frame)
        self._last: dict[Side, Moment] = {}
        """Of the bytes that came out last, per sender."""
        self._stretches: list[tuple[Moment, Moment, Reason]] = []
        self._binds: list[tuple[Row, list[Row]]] = []
        """Each with its answer, once that came."""

    def note(self, event: StreamEvent) -> None:
        now = Moment(event.ts_ns, event.capture, event.frame)
        if isinstance(event, Data):
            self._last[event.sender] = now
        elif isinstance(event, Gap):
            self._blind(self._last.get(event.sender, self._began), now, Reason.BYTES_MISSING)
        elif isinstance(event, Conflict):
            self._blind(self._began, now, Reason.BYTES_CONTRADICT)

    def skipped(self, skipped: Skipped) -> None:
        moment = Moment(skipped.ts_ns, skipped.capture, skipped.frame)
        self._blind(moment, moment, Reason.BYTES_MISSING)

    def pdu(self, row: Row) -> None:
        """A row of `pdus`."""
        kind = row["pkt_type"]
        if row["fate"] == PduFate.MALFORMED:
            ts_ns = NO_TIME if row["ts_ns"] is None else row["ts_ns"]
            self._blind(Moment(ts_ns, 0, 0), end_of(ts_ns), Reason.BYTES_MISSING)
        elif kind in _PROPOSALS and len(self._binds) < MAX_BINDS:
            self._binds.append((row, []))
        elif kind in _ANSWERS:
            for bind, answers in reversed(self._binds):
                if bind["call_id"] == row["call_id"] and bind["pkt_type"] in _ANSWER_TO[kind] and not answers:
                    answers.append(row)
                    break

    def _blind(self, began: Moment, until: Moment, reason: Reason) -> None:
        if len(self._stretches) < MAX_STRETCHES:
            self._stretches.append((began, max(began, until), reason))
            return
        first, end, told = self._stretches[-1]
        self._stretches[-1] = min(first, began), max(end, until), told

    @property
    def missed(self) -> bool:
        return bool(self._stretches)

    def kept(self, connection: Connection, place: Place, untidy: frozenset[int]) -> Iterator[Fact]:
        """Facts of a connection that is kept. `untidy`: captures whose clock went back."""
        ends = Ends(**place.id)
        binds = tuple(_bind(bind, answers[0] if answers else None) for bind, answers in self._binds)
        until = end_of(connection.last_ts_ns)
        closed = not _ENDINGS.isdisjoint(connection.history(place.orig))
        last = max(self._last.values(), default=self._began)
        if not connection.resets_fit:
            self._blind(last, until, Reason.BYTES_MISSING)
        fact = ConnectionFact(
            began=self._began,
            uid=place.uid,
            ends=ends,
            until=until,
            closed=closed,
            ended_by=None if connection.ended_by is None else _party(connection.ended_by, place),
            endings=tuple(
                Ending(_party(one.sender, place), one.how.value, Moment(one.ts_ns, one.capture, one.frame))
                for one in connection.endings
            ),
            midstream=connection.starts_midstream,
            binds=binds,
        )
        yield fact
        if not untidy.isdisjoint(connection.packets_by_capture):
            yield BlindFact(BEGINNING, place.uid, ends.orig_h, ends.resp_h, END, Reason.TIMES_CROSS)
        if connection.starts_midstream:
            yield BlindFact(BEGINNING, place.uid, ends.orig_h, ends.resp_h, self._began, Reason.STARTED_MIDSTREAM)
        if not closed and fact.may_read:
            # Its last packets may be missing without a trace.
            yield BlindFact(last, place.uid, ends.orig_h, ends.resp_h, END, Reason.CAPTURE_ENDED)
        for began, end, reason in self._stretches:
            yield BlindFact(began, place.uid, ends.orig_h, ends.resp_h, end, reason)

    def silent(self, connection: Connection, uid: str, low: Endpoint, high: Endpoint) -> Iterator[Fact]:
        """Of one to a port of ours that was accepted and of which no payload was captured: it may have carried some."""
        began = BEGINNING if connection.starts_midstream else self._began
        closed = not _ENDINGS.isdisjoint(connection.history(Side.LOW))
        until = end_of(connection.last_ts_ns) if closed else END
        hosts = to_text(low[0]), to_text(high[0])
        for client, server in {hosts, hosts[::-1]}:
            yield BlindFact(began, uid, client, server, until, Reason.BYTES_MISSING)

    def aside(self, connection: Connection, uid: str, low: Endpoint, high: Endpoint) -> Iterator[Fact]:
        """Of one that speaks DCE/RPC and that no bind explains in full: it may have been ours, whoever serves."""
        began = BEGINNING if connection.starts_midstream else self._began
        until = end_of(connection.last_ts_ns)
        hosts = to_text(low[0]), to_text(high[0])
        for client, server in {hosts, hosts[::-1]}:
            yield BlindFact(began, uid, client, server, until, Reason.BIND_NOT_SEEN)


def _party(side: Side, place: Place) -> Party:
    return "client" if side is place.orig else "server"


def _bind(row: Row, answer: Row | None) -> BindFact:
    said = _ANSWERS[answer["pkt_type"]] if answer else None
    reason = answer.get("reject_reason") if answer else None
    if answer and said == "accepted" and not any(one["result"] == "acceptance" for one in answer.get("results") or ()):
        said, reason = "refused", _first_reason(answer)
    return BindFact(
        kind=row["pkt_type"],
        ts_ns=NO_TIME if row["ts_ns"] is None else row["ts_ns"],
        interfaces=tuple(context["interface_uuid"] for context in row.get("proposed") or ()),
        auth_type=row["auth_type"],
        auth_level=row["auth_level"],
        asked_group=row["assoc_group_id"],
        group=answer["assoc_group_id"] if answer else None,
        answer=said,
        reason=reason,
        frame=row["frames"][0] if row["frames"] else 0,
        capture_id=row["capture_id"] or "",
    )


def _first_reason(answer: Row) -> str | None:
    reasons = (one["reason"] for one in answer.get("results") or ())
    return next((reason for reason in reasons if reason), None)
