"""Which clients keep objects of a server alive, and until when: [MS-DCOM] 3.1.2.6."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from schemas.times import NO_TIME

if TYPE_CHECKING:
    from pipelines.com.com_object import ComObject
    from pipelines.com.sight import Pairs
    from pipelines.facts.model import CallFact

MAX_CLIENTS: Final = 10_000
PINGED_OUT_NS: Final = (3 * 2 + 14) * 60 * 1_000_000_000
"""Three periods of two minutes without a ping. Note 58: Windows may keep an object 14 minutes longer."""


class Pings:
    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._last: dict[str, tuple[int, str]] = {}
        """When each client last pinged, and in which capture."""
        self._resolved_ns = NO_TIME
        """When the resolver was last seen."""
        self._seen_ns: dict[str, int] = {}
        """By capture: when the server was last seen."""

    def seen(self, fact: CallFact, *, of_resolver: bool) -> None:
        """A capture that has the resolver's calls no longer says nothing of pings, whatever else another one has."""
        now = fact.until.ts_ns
        self._seen_ns[fact.capture_id] = max(now, self._seen_ns.get(fact.capture_id, now))
        if of_resolver:
            self._resolved_ns = max(now, self._resolved_ns)

    def pinged(self, fact: CallFact) -> None:
        if fact.client in self._last or len(self._last) < MAX_CLIENTS:
            ping = fact.until.ts_ns, fact.capture_id
            self._last[fact.client] = max(ping, self._last.get(fact.client, ping))

    def have_stopped(self, one: ComObject) -> bool:
        """All clients that it has had pinged, stopped, and have not called it since."""
        if one.end != "open_at_end" or one.oid is None or one.crowded or not (one.holders and one.pinged):
            return False
        last, seen = one.last_ts_ns, math.inf
        for client in one.holders:
            ping, capture = self._last.get(client, (NO_TIME, ""))
            if ping < one.born.began.ts_ns or self._pairs.of(client).missing_until.ts_ns > ping:
                # It was never seen to ping, or its pings may be what was not captured.
                return False
            last, seen = max(last, ping), min(seen, max(self._resolved_ns, self._seen_ns[capture]))
        return seen - last > PINGED_OUT_NS
