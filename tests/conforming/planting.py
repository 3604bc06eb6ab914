"""One breach in a conversation that otherwise keeps to the documents: who breaks what, once, and where it was done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.conforming.conversation import Conversation
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call, Connection, Reply, Values

    Asking = Callable[["Draft"], "Draft | None"]
    Answering = Callable[[Call, Reply], "Reply | None"]
    Following = Callable[[Call], "tuple[str, Values] | None"]
    Besides = Callable[[Call], "tuple[int, str, Values] | None"]


T = TypeVar("T")


class Draft(NamedTuple):
    """A call as it is about to be sent."""

    connection: Connection
    operation: str
    values: Values

    @property
    def server(self) -> QueueManager:
        return self.connection.endpoint.host  # type: ignore[return-value]

    def having(self, **changed: Value) -> Draft:
        return self._replace(values={**self.values, **changed})


class Place(NamedTuple):
    client: str
    server: str
    sealed: bool


@dataclass(frozen=True, slots=True)
class Breach:
    """Each of these says None where it does not apply."""

    rule_id: str
    cast: str = "mqqp"
    """Who takes part: tests.conforming.casts."""
    errand: str = ""
    """What scripts do, so that there is an occasion: tests.conforming.mqac_errands."""
    lead: Asking | None = None
    """What a client says first, which is right: it makes the occasion for the rest."""
    ask: Asking | None = None
    """What a client says instead."""
    answer: Answering | None = None
    """What a server says instead."""
    follow: Following | None = None
    """What a client says besides, after that call."""
    omit: str = ""
    """What somebody leaves undone."""
    later_us: int = 20_000_000
    """How long after: nobody can think that the two crossed on the wire."""
    meanwhile: Besides | None = None
    """What a client says on the connection of a call that still waits, after so many microseconds and once more."""
    clear: bool = False
    """Nobody seals what is said."""
    in_view_us: int = 0
    """For how long servers were seen before anybody comes."""
    weather: bool = False
    """Connections are reset meanwhile."""
    shows: Callable[[Conversation], bool] = lambda _: True
    """Whether what was done can be seen at all."""
    besides: frozenset[str] = frozenset()
    """Rules that the other party breaks by it: an answer to something wrong."""

    @property
    def ways(self) -> int:
        return sum(map(bool, (self.lead, self.ask, self.answer, self.follow, self.omit)))


@dataclass(slots=True)
class Plant:
    """A breach that is done as soon as it can be, once."""

    breach: Breach | None = None
    places: list[Place] = field(default_factory=list)
    _ways: set[str] = field(default_factory=set)
    _said: Values | None = None
    """By the client, if it was the first to do wrong: the server's part is the answer to that."""

    def asking(self, draft: Draft) -> Draft:
        if self.breach is not None and self._is_to_lead():
            led = self.breach.lead(draft) if self.breach.lead is not None else None
            return draft if led is None else self._done("lead", draft.connection, led)
        if self.breach is None or self.breach.ask is None or self._is_over("ask"):
            return draft
        changed = self.breach.ask(draft)
        if changed is None:
            return draft
        self._said = changed.values
        return self._done("ask", draft.connection, changed)

    def answering(self, call: Call, reply: Reply) -> Reply:
        if self.breach is None or self.breach.answer is None or self._is_over("answer"):
            return reply
        if (self.breach.ask or self.breach.follow) is not None and call.values is not self._said:
            return reply
        changed = self.breach.answer(call, reply)
        return reply if changed is None else self._done("answer", call.connection, changed)

    def following(self, call: Call) -> tuple[str, Values] | None:
        if self.breach is None or self.breach.follow is None or self._is_over("follow") or self._is_to_lead():
            return None
        more = self.breach.follow(call)
        if more is not None:
            self._ways.add("follow")
        return more

    def followed(self, connection: Connection, values: Values) -> None:
        """It could be said."""
        self._said = values
        self._done("follow", connection, values)

    def not_followed(self) -> None:
        """The connection is closed meanwhile: there will be another occasion."""
        self._ways.discard("follow")

    def meanwhile(self, call: Call) -> tuple[int, str, Values] | None:
        return self.breach.meanwhile(call) if self.breach is not None and self.breach.meanwhile is not None else None

    @property
    def errand(self) -> str:
        return "" if self.breach is None else self.breach.errand

    @property
    def later_us(self) -> int:
        return 0 if self.breach is None else self.breach.later_us

    def level(self, wanted: str) -> str:
        """Of protection."""
        return "integrity" if wanted == "privacy" and self.breach is not None and self.breach.clear else wanted

    def leaves_out(self, what: str) -> bool:
        return self.breach is not None and self.breach.omit == what

    def omits(self, what: str, connection: Connection | None) -> bool:
        if not self.leaves_out(what) or self._is_over("omit") or connection is None:
            return False
        if self.breach is not None and (self.breach.ask or self.breach.follow) is not None and self._said is None:
            return False
        return self._done("omit", connection, True)

    def _is_to_lead(self) -> bool:
        return self.breach is not None and self.breach.lead is not None and not self._is_over("lead")

    def _is_over(self, way: str) -> bool:
        return way in self._ways

    def _done(self, way: str, connection: Connection, what: T) -> T:
        self._ways.add(way)
        sealed = connection.security.auth == "privacy"
        self.places.append(Place(connection.client, connection.endpoint.host.address, sealed))
        return what


def changed(*operations: str, values: Mapping[str, Value], where: Callable[[Draft], bool] = lambda _: True) -> Asking:
    """Calls of these operations have other values."""

    def ask(draft: Draft) -> Draft | None:
        fits = draft.operation in operations and where(draft)
        return draft.having(**values) if fits else None

    return ask


def answered(*operations: str, values: Reply, where: Callable[[Call, Reply], bool] = lambda *_: True) -> Answering:
    """Answers to these operations have other values; `fault` and `status` stand alone."""

    def answer(call: Call, reply: Reply) -> Reply | None:
        if call.operation not in operations or not where(call, reply):
            return None
        return values if values.keys() & {"fault"} else {**reply, **values}

    return answer
