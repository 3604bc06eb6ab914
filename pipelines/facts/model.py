"""Facts as the state machine takes them, and as they are stored, by name (`stored_form.py`).

A field that has its default is not stored. A field may be added to a fact at any time, with a default, which facts of
older versions take. What a field means and what its default is stays for ever; to change that takes another FORM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from decoders.dcerpc.call_model import CANCEL_FAULTS, CallOutcome
from decoders.registry import REGISTRY, lineage
from pipelines.facts.com import Com  # noqa: TC001 - msgspec looks at types
from pipelines.facts.reasons import Reason  # noqa: TC001 - msgspec looks at types

if TYPE_CHECKING:
    from collections.abc import Collection

    from schemas.shared_columns import ConnectionId

Values = dict[str, Any]
Method: TypeAlias = tuple[str, str]
"""An operation by interface and name: COM's interfaces have many names in common."""
READING: Final = frozenset(one.name for one in REGISTRY.values() if one.reads)
"""Interfaces by which queues are opened and read."""
_GIVEN_UP: Final = frozenset((CallOutcome.CANCELLED, CallOutcome.ORPHANED))
_READING_UUIDS: Final = frozenset(uuid for uuid, one in REGISTRY.items() if one.reads)


class Moment(NamedTuple):
    """Sorts as packets do. Clocks may stand still for many packets: then files and frames tell what came first."""

    ts_ns: int
    file: int
    frame: int


BEGINNING: Final = Moment(-(1 << 63), -1, 0)
"""Before and after any time that a capture can tell."""
END: Final = Moment((1 << 64) - 1, 1 << 30, 0)
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

    @property
    def id(self) -> ConnectionId:
        return {"orig_h": self.orig_h, "orig_p": self.orig_p, "resp_h": self.resp_h, "resp_p": self.resp_p}


FORM: Final = 3


class _Stored(
    Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True, tag_field="form", tag=FORM
):
    """No cycle goes through a fact, so that the garbage collector need not look at them."""


class CallFact(_Stored, frozen=True, kw_only=True):
    """One call. `request` and `response` hold the IDL's names; empty members are left out."""

    began: Moment
    uid: str
    ends: Ends
    call_uid: str
    place: int
    """Offset of its first PDU in the stream: two requests may share a packet."""
    endpoint: str | None = None
    opnum: int | None = None
    operation: str | None = None
    source: str | None = "bind"
    """How the interface is known; anything but `bind` is inferred."""
    syntax: str | None = "ndr"
    group: int | None = None
    auth_type: int | None = None
    auth_level: int | None = None
    authenticated: bool | None = None
    """Its security context is somebody's, sealed or not. False: the anonymous user's or a guest's. None: it has none,
    or what says whose it is was not captured."""
    username: str | None = None
    domain: str | None = None
    encrypted: bool = False
    outcome: CallOutcome = CallOutcome.ANSWERED
    status: int | None = 0
    fault: int | None = None
    request: Values | None = None
    """None where it was not captured or not decoded."""
    response: Values | None = None
    request_whole: bool = True
    response_whole: bool = True
    """Captured and decoded to its end, and there is nothing behind that."""
    asked: bool = True
    """The request was captured, whatever could be read of it."""
    answered: Moment | None = None
    """When the answer, a response or a fault, began."""
    request_frames: tuple[int, ...] = ()
    response_frames: tuple[int, ...] = ()
    capture_id: str
    message: Values | None = None
    """Of the message in it: `bytes`, `sha256`, `id`, `label`, `body_size`, `srmp`, `destination`."""
    workstation: str | None = None
    in_words: Values | None = field(default=None, name="told")
    """For people: `values`, pairs of a name and text; `open_to`, anybody whom a security descriptor lets in."""
    com: Com | None = None
    """Of DCOM's calls: which objects it is about. They are judged apart from the others."""
    cancel_sent: bool = False
    """The client gave it up, by co_cancel or orphaned, whatever answer came then."""
    unexplained: bool = False
    """Bytes of a stub follow the last parameter: its values may mean something else."""

    @property
    def until(self) -> Moment:
        return self.began if self.answered is None else max(self.began, self.answered)

    @property
    def method(self) -> Method:
        """Empty names, which no operation has, where nobody knows."""
        return self.endpoint or "", self.operation or ""

    def is_one_of(self, methods: Collection[Method]) -> bool:
        """COM's interfaces have the operations of those that they are derived from."""
        name = self.operation or ""
        return any((interface, name) in methods for interface in lineage(self.endpoint or ""))

    @property
    def given_up(self) -> bool:
        """By the client, who cancelled or abandoned it; a fault may say so where the cancel itself was not captured."""
        return self.outcome in _GIVEN_UP or self.fault in CANCEL_FAULTS

    @property
    def unknown(self) -> bool:
        """Nobody knows what the server did: no answer was captured, or the client gave it up before there was one."""
        return self.given_up or (self.status is None and self.fault is None)

    @property
    def client(self) -> str:
        return self.ends.orig_h

    @property
    def server(self) -> str:
        return self.ends.resp_h


def slim(call: CallFact | None) -> CallFact | None:
    """Without its values: what has passed is remembered by the thousand."""
    if call is None or (call.request is None and call.response is None):
        return call
    return replace(call, request=None, response=None)


MAX_BINDS: Final = 64
"""Of a connection. Two or three are usual; a flood of them says nothing more."""


class BindFact(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """One bind or alter_context, with its answer where that was captured."""

    kind: Literal["bind", "alter_context"] = "bind"
    ts_ns: int
    interfaces: tuple[str, ...]
    """Their UUIDs; one in another major version than we know has that version behind it. Empty where it was cut."""
    auth_type: int | None = None
    auth_level: int | None = None
    asked_group: int | None = None
    group: int | None = None
    """As its own answer says. Only a bind's tells the connection's: an alter_context_resp may carry any number."""
    answer: str | None = "accepted"
    """`accepted`, `refused`; None: not captured, or cut before it says which."""
    reason: str | None = None
    frame: int
    capture_id: str

    @property
    def denied_group(self) -> bool:
        """[MS-RPCE] 3.3.1.5.7: it asks for an association that the server does not let it join, and gets another."""
        return self.kind == "bind" and bool(self.asked_group and self.group) and self.group != self.asked_group


Party: TypeAlias = Literal["client", "server"]


class Ending(NamedTuple):
    """A FIN or RST that stands where the bytes of its side end."""

    side: Party
    how: Literal["fin", "reset"]
    at: Moment


class ConnectionFact(_Stored, frozen=True):
    began: Moment
    uid: str
    ends: Ends
    until: Moment
    """When it was over, or its last packet."""
    closed: bool = True
    """A FIN or RST was seen, of whichever side and whether or not it fits."""
    ended_by: Party | None = None
    """Who ended it before knowing that the other had. None: it was not seen to end, the two crossed, or packets around
    its end are missing."""
    endings: tuple[Ending, ...] = ()
    """The first FIN and the first RST of each side, in the order of capture."""
    midstream: bool = False
    binds: tuple[BindFact, ...] = ()

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
    def groups(self) -> set[int]:
        """The number of its association or, where that was not seen, those that it asked for."""
        asked = {bind.asked_group for bind in self.binds if bind.kind == "bind" and bind.asked_group}
        return asked if self.group is None else {self.group}

    @property
    def asks_new_group(self) -> bool:
        """[C706] 12.6.3.6: a client that asks for group 0 gets a new one."""
        asked = [bind.asked_group for bind in self.binds if bind.kind == "bind"]
        return not self.midstream and bool(asked) and set(asked) == {0}

    @property
    def gets_new_group(self) -> bool:
        """Whatever it asked for. A client that asked for an old one may still have handles of that."""
        return self.asks_new_group or any(bind.denied_group for bind in self.binds)

    @property
    def may_read(self) -> bool:
        """Whether calls of a reading interface may have been made on it. A bind that was cut may offer any."""
        return (
            self.midstream
            or not self.binds
            or any(not bind.interfaces or not _READING_UUIDS.isdisjoint(bind.interfaces) for bind in self.binds)
        )


class BlindFact(_Stored, frozen=True):
    """A stretch of time in which the two hosts may have said things that are not in the tables."""

    began: Moment
    uid: str
    client: str
    server: str
    until: Moment
    reason: Reason
    said_by: Party | None = None
    """Who alone may have said them; None: either."""
    octets: int | None = None
    """How many bytes are missing, where that is known."""


Fact: TypeAlias = CallFact | ConnectionFact | BlindFact
