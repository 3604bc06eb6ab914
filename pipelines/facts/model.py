"""Facts as the state machine takes them, and their way through JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from decoders.dcerpc.call_model import CANCEL_FAULTS, Outcome
from decoders.dcerpc.well_known import MSMQ
from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = dict[str, Any]
Values = dict[str, Any]
READING: Final = frozenset(("qm2qm", "RemoteRead", "qmcomm", "qmcomm2"))
"""Interfaces by which queues are opened and read."""
_GIVEN_UP: Final = frozenset((Outcome.CANCELLED, Outcome.ORPHANED))
_READING_UUIDS: Final = frozenset(uuid for uuid, name in MSMQ.items() if name in READING)


class Moment(NamedTuple):
    """Sorts as packets do. Clocks may stand still for many packets: then files and frames tell what came first."""

    ts_ns: int
    file: int
    frame: int


BEGINNING: Final = Moment(-(1 << 63), -1, 0)
"""Before and after any time that a capture can tell."""
END: Final = Moment(1 << 64, 1 << 30, 0)
_FIRST, _SECOND = -2, -1
"""Within one frame a connection begins before it goes blind, and both before its calls."""
_AFTER_ALL_FRAMES: Final = 1 << 30


def end_of(ts_ns: int) -> Moment:
    """After every packet of that time."""
    return Moment(ts_ns, _AFTER_ALL_FRAMES, 0)


class Ends(NamedTuple):
    """Zeek's id; orig is the client."""

    orig_h: str
    orig_p: int
    resp_h: str
    resp_p: int


@dataclass(frozen=True, slots=True)
class CallFact:
    """One call. `request` and `response` hold the IDL's names; empty members are left out."""

    began: Moment
    uid: str
    ends: Ends
    call_uid: str
    place: int
    """Offset of its first PDU in the stream: two requests may share a packet."""
    endpoint: str | None
    opnum: int | None
    operation: str | None
    source: str | None
    """How the interface is known; anything but `bind` is inferred."""
    syntax: str | None
    group: int | None
    auth_type: int | None
    auth_level: int | None
    authenticated: bool | None
    """Its security context is somebody's, sealed or not. False: the anonymous user's or a guest's. None: it has none,
    or what says whose it is was not captured."""
    username: str | None
    domain: str | None
    encrypted: bool
    outcome: str
    status: int | None
    fault: int | None
    request: Values | None
    """None where it was not captured or not decoded."""
    response: Values | None
    request_whole: bool
    response_whole: bool
    """Captured and decoded to its end, and there is nothing behind that."""
    asked: bool
    """The request was captured, whatever could be read of it."""
    answered: Moment | None
    """When the answer, a response or a fault, began."""
    request_frames: tuple[int, ...]
    response_frames: tuple[int, ...]
    capture_id: str
    message: Values | None = None
    """Of the message in it: `bytes`, `sha256`, `id`, `label`, `body_size`, `srmp`, `destination`."""
    workstation: str | None = None
    told: Values | None = None
    """In people's words: `values`, pairs of a name and text; `open_to`, anybody whom a security descriptor lets in."""
    unexplained: bool = False
    """Bytes of a stub follow the last parameter: its values may mean something else."""

    @property
    def until(self) -> Moment:
        return self.began if self.answered is None else max(self.began, self.answered)

    @property
    def given_up(self) -> bool:
        """By the client, who cancelled or abandoned it; a fault may say so where the cancel itself was not captured."""
        return self.outcome in _GIVEN_UP or self.fault in CANCEL_FAULTS

    @property
    def client(self) -> str:
        return self.ends.orig_h

    @property
    def server(self) -> str:
        return self.ends.resp_h


def not_whole(call: CallFact) -> Reason:
    """Why nothing rests on the values of a call that is not whole."""
    return Reason.STUB_HAS_MORE if call.unexplained else Reason.BYTES_MISSING


def slim(call: CallFact | None) -> CallFact | None:
    """Without its values: what has passed is remembered by the thousand."""
    return None if call is None else replace(call, request=None, response=None)


@dataclass(frozen=True, slots=True)
class BindFact:
    """One bind or alter_context, with its answer where that was captured."""

    kind: Literal["bind", "alter_context"]
    ts_ns: int
    interfaces: tuple[str, ...]
    auth_type: int | None
    auth_level: int | None
    asked_group: int | None
    group: int | None
    """As its own answer says. Only a bind's tells the connection's: an alter_context_resp may carry any number."""
    answer: str | None
    """`accepted`, `refused`; None: not captured."""
    reason: str | None
    frame: int
    capture_id: str


Party: TypeAlias = Literal["client", "server"]


class Ending(NamedTuple):
    """A FIN or RST that stands where the bytes of its side end."""

    side: Party
    how: Literal["fin", "reset"]
    at: Moment


@dataclass(frozen=True, slots=True)
class ConnectionFact:
    began: Moment
    uid: str
    ends: Ends
    until: Moment
    closed: bool
    """A FIN or RST was seen, of whichever side and whether or not it fits."""
    ended_by: Party | None
    """Who ended it before knowing that the other had. None: it was not seen to end, the two crossed, or packets around
    its end are missing."""
    endings: tuple[Ending, ...]
    """The first FIN and the first RST of each side, in the order of capture."""
    midstream: bool
    binds: tuple[BindFact, ...]

    @property
    def ended_at(self) -> Moment | None:
        """When the first side ended it."""
        return self.endings[0].at if self.endings else None

    @property
    def group(self) -> int | None:
        """The number of its association, as the answer to its own bind says; None: not seen."""
        answers = (bind.group for bind in self.binds if bind.kind == "bind" and bind.answer == "accepted")
        return next((group for group in answers if group), None)

    @property
    def asks_new_group(self) -> bool:
        """[C706] 12.6.3.6: a client that asks for group 0 gets a new one."""
        asked = [bind.asked_group for bind in self.binds if bind.kind == "bind"]
        return not self.midstream and bool(asked) and set(asked) == {0}

    @property
    def may_read(self) -> bool:
        """Whether calls of a reading interface may have been made on it."""
        return (
            self.midstream
            or not self.binds
            or any(not _READING_UUIDS.isdisjoint(bind.interfaces) for bind in self.binds)
        )


@dataclass(frozen=True, slots=True)
class BlindFact:
    """A stretch of time in which the two hosts may have said things that are not in the tables."""

    began: Moment
    uid: str
    client: str
    server: str
    until: Moment
    reason: Reason


Fact: TypeAlias = CallFact | ConnectionFact | BlindFact


def to_row(fact: Fact) -> Row:
    kind, client, server, data = _PACK[type(fact)](fact)
    return {
        "server": server,
        "client": client,
        "kind": kind,
        "ts_ns": fact.began.ts_ns,
        "file": fact.began.file,
        "frame": fact.began.frame,
        "place": fact.place if isinstance(fact, CallFact) else _FIRST if isinstance(fact, ConnectionFact) else _SECOND,
        "uid": fact.uid,
        "data": json.dumps(data, separators=(",", ":")),
    }


def from_row(row: Row) -> Fact:
    began = Moment(row["ts_ns"], row["file"], row["frame"])
    opened: Fact = _OPEN[row["kind"]](began, row, json.loads(row["data"]))
    return opened


_CALL_FIELDS: Final = tuple(name for name in CallFact.__slots__ if name not in ("began", "uid"))
_BIND_FIELDS: Final = tuple(BindFact.__slots__)
_UNTIL, _ENDINGS = 1, 2
"""Places in a packed connection."""


def _pack_call(fact: CallFact) -> tuple[str, str, str, list[Any]]:
    return "call", fact.client, fact.server, [getattr(fact, name) for name in _CALL_FIELDS]


def _open_call(began: Moment, row: Row, data: list[Any]) -> CallFact:
    fields = dict(zip(_CALL_FIELDS, data, strict=True))
    fields["ends"] = Ends(*fields["ends"])
    fields["answered"] = Moment(*fields["answered"]) if fields["answered"] else None
    fields["request_frames"] = tuple(fields["request_frames"])
    fields["response_frames"] = tuple(fields["response_frames"])
    return CallFact(began=began, uid=row["uid"], **fields)


def _pack_connection(fact: ConnectionFact) -> tuple[str, str, str, list[Any]]:
    binds = [[getattr(bind, name) for name in _BIND_FIELDS] for bind in fact.binds]
    data = [fact.ends, fact.until, fact.endings, fact.ended_by, fact.closed, fact.midstream, binds]
    return "connection", fact.ends.orig_h, fact.ends.resp_h, data


def _open_connection(began: Moment, row: Row, data: list[Any]) -> ConnectionFact:
    ends, until, told, ended_by, closed, midstream, packed = data
    endings = tuple(Ending(side, how, Moment(*at)) for side, how, at in told)
    binds = []
    for one in packed:
        fields = dict(zip(_BIND_FIELDS, one, strict=True))
        binds.append(BindFact(**fields | {"interfaces": tuple(fields["interfaces"])}))
    place = began, row["uid"], Ends(*ends), Moment(*until)
    return ConnectionFact(*place, closed, ended_by, endings, midstream, tuple(binds))


def _pack_blind(fact: BlindFact) -> tuple[str, str, str, list[Any]]:
    return "blind", fact.client, fact.server, [fact.until, str(fact.reason)]


def _open_blind(began: Moment, row: Row, data: list[Any]) -> BlindFact:
    until, reason = data
    return BlindFact(began, row["uid"], row["client"], row["server"], Moment(*until), Reason(reason))


def renumbered(kind: str, data: list[Any], to: Mapping[int, int]) -> list[Any]:
    """The packed data of a row with other ordinals for its captures."""

    def moment(packed: list[int] | None) -> list[int] | None:
        return packed and [packed[0], to.get(packed[1], packed[1]), packed[2]]

    data = list(data)
    place = {"call": _CALL_FIELDS.index("answered"), "connection": _UNTIL, "blind": 0}[kind]
    data[place] = moment(data[place])
    if kind == "connection":
        data[_ENDINGS] = [[side, how, moment(at)] for side, how, at in data[_ENDINGS]]
    return data


_PACK: Final[dict[type, Any]] = {CallFact: _pack_call, ConnectionFact: _pack_connection, BlindFact: _pack_blind}
_OPEN: Final[dict[str, Any]] = {"call": _open_call, "connection": _open_connection, "blind": _open_blind}
