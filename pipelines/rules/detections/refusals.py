"""Clients that are refused again and again: each is reported once a period, however often it goes on."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.rules.model import Detected
from pipelines.rules.shown import code_shown
from pipelines.rules.watching import MAX_CLIENTS
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Settings
    from pipelines.sessions.steps import CallStep


@dataclass(slots=True)
class _Refused:
    times: deque[int]
    """Of the last ones, as many as the threshold says."""
    told: int | None = None


class Refusals:
    def __init__(self, settings: Settings, setting: str) -> None:
        """`setting`: how many; with `_seconds` behind it, within how long."""
        self._threshold = settings[setting]
        self._period = settings[f"{setting}_seconds"] * 1_000_000_000
        self._clients: Recent[str, _Refused] = Recent(MAX_CLIENTS)

    def refused(self, step: CallStep | ComStep) -> Iterable[Detected | bool]:
        now, client = step.call.until.ts_ns, step.call.client
        known = self._clients.get(client) or _Refused(deque(maxlen=self._threshold))
        self._clients.put(client, known)
        known.times.append(now)
        if len(known.times) < self._threshold or now - known.times[0] > self._period:
            return (True,)
        if known.told is not None and now - known.told <= self._period:
            return ()
        known.told = now
        seconds = (now - known.times[0]) / 1_000_000_000
        values = {"refused": len(known.times), "within seconds": f"{seconds:.3f}", "last": code_shown(step.code)}
        return (Detected(step, values),)
