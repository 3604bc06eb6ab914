"""What is remembered, and for how long: of what has passed only the latest, of what was not seen only until when."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pipelines.facts.model import BEGINNING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from pipelines.facts.model import Moment
    from pipelines.facts.reasons import Reason

_Key = TypeVar("_Key", bound="Hashable")
_Value = TypeVar("_Value")


class Recent(Generic[_Key, _Value]):
    """The last so many entries: what has passed is remembered for a while, never without bound."""

    __slots__ = ("_entries", "_most")

    def __init__(self, most: int) -> None:
        self._entries: OrderedDict[_Key, _Value] | None = None
        """Most remember nothing, and there may be tens of thousands."""
        self._most = most

    def put(self, key: _Key, value: _Value) -> None:
        if self._entries is None:
            self._entries = OrderedDict()
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def get(self, key: _Key) -> _Value | None:
        return None if self._entries is None else self._entries.get(key)

    def drop(self, key: _Key) -> None:
        if self._entries is not None:
            self._entries.pop(key, None)

    def clear(self) -> None:
        self._entries = None

    @property
    def full(self) -> bool:
        """Something may have been forgotten."""
        return self._entries is not None and len(self._entries) >= self._most


MAX_PIECES: Final = 64
"""Of missing bytes told apart; the oldest are added to the latest."""
REMEMBERED: Final = 512
"""Closed handles, finished requests, acknowledged messages: of each client or session, each."""


@dataclass(slots=True, eq=False, kw_only=True)
class BlindSpan:
    """Until when something may have happened out of sight."""

    blind_until: Moment = BEGINNING
    blind_reason: Reason | None = None

    def go_blind(self, until: Moment, reason: Reason) -> None:
        if until > self.blind_until:
            self.blind_until, self.blind_reason = until, reason

    def blind_since(self, since: Moment) -> Reason | None:
        return self.blind_reason if self.blind_until >= since else None


@dataclass(slots=True, eq=False)
class MissedBytes:
    """Bytes of clients that were not captured: what they can hide depends on how many they are."""

    _pieces: deque[tuple[Moment, float, Reason]] = field(default_factory=deque)
    """Until when, how many, and why."""

    def note(self, until: Moment, reason: Reason, octets: int | None) -> None:
        """`octets`: None where nobody knows how many."""
        size = math.inf if octets is None else octets
        if len(self._pieces) >= MAX_PIECES:
            earlier, before, _ = self._pieces.popleft()
            until, size = max(until, earlier), size + before
        self._pieces.append((until, size, reason))

    def since(self, moment: Moment) -> Iterator[tuple[float, Reason]]:
        return ((size, reason) for until, size, reason in self._pieces if until >= moment)


@dataclass(slots=True, eq=False, kw_only=True)
class ServerView(BlindSpan):
    """What was seen of a server, whoever its clients are."""

    since: Moment | None = None
    """Its first sign."""
    remote_opens: int = 0
    """A capture that shows none at all says nothing by the absence of one."""
    changes_under_way: int = 0
    """Calls that change queues, or the machine, and are not answered yet."""
