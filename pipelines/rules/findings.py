"""Rows of `findings`, kept readable: what is not decidable once a session and reason, what repeats summed up."""

from __future__ import annotations

import enum
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pipelines.com.steps import ComStep
from pipelines.knowledge.targets import named_queue
from pipelines.sessions.model import SessionKind
from pipelines.sessions.naming import for_whom, named_by_call, queue_of
from pipelines.sessions.steps import (
    CallStep,
    ConnectionOver,
    ConnectionStep,
    ReadStep,
    SessionStep,
    TransactionStep,
    UnitStep,
)
from schemas.times import micros, nanos

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.facts.reasons import Reason
    from pipelines.rules.model import Judged, Rule
    from pipelines.rules.plans import Plan
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import Step
    from schemas.shared_columns import Naming
    from schemas.tables.findings import FindingRow

MAX_ALIKE: Final = 25
"""Violations or detections of one rule in one session or connection that get a row each; the rest share one."""


class Verdict(enum.StrEnum):
    PASS = "pass"  # noqa: S105 - a verdict
    VIOLATION = "violation"
    DETECTION = "detection"
    NOT_DECIDABLE = "not_decidable"


class _Kind(NamedTuple):
    rule_id: str
    verdict: Verdict
    reason: Reason | None


@dataclass(slots=True)
class _Sum:
    """Of findings alike: how many there are, and the row of the first that has none of its own."""

    seen: int = 0
    row: FindingRow | None = None

    def add(self, count: int) -> None:
        if self.row is not None:
            self.row["count"] += count


@dataclass(slots=True)
class _Sums:
    """Of one session or connection."""

    kinds: dict[_Kind, _Sum] = field(default_factory=dict)
    unread: dict[Plan, tuple[list[int], list[_Sum]]] = field(default_factory=dict)
    """Of calls alike that cannot be read: how many came after the first, and the sums that they count for."""


class Findings:
    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], _Sums] = defaultdict(_Sums)
        """By session or connection."""

    def note(
        self,
        rule: Rule,
        verdict: Verdict,
        step: Judged,
        values: Mapping[str, Any],
        reason: Reason | None,
        count: int,
    ) -> FindingRow | None:
        """The row of one that is not summed up."""
        found = self._sum_of(rule, verdict, step, reason)
        found.seen += 1
        if verdict is not Verdict.NOT_DECIDABLE and found.seen <= MAX_ALIKE:
            return finding_row(rule, verdict, step, values, reason, count)
        if found.row is None:
            found.row = finding_row(rule, verdict, step, values, reason, count)
        else:
            found.row["count"] += count
        return None

    def note_unread(self, plan: Plan, step: CallStep | ComStep) -> None:
        """All that the plan leaves undecided; of the calls after the first only how many they are."""
        unread = self._sums[_place(step)].unread
        known = unread.get(plan)
        if known is not None:
            known[0][0] += 1
            return
        sums = []
        for rule, reason in plan.undecided:
            self.note(rule, Verdict.NOT_DECIDABLE, step, {}, reason, 1)
            sums.append(self._sum_of(rule, Verdict.NOT_DECIDABLE, step, reason))
        unread[plan] = [0], sums

    def _sum_of(self, rule: Rule, verdict: Verdict, step: Judged, reason: Reason | None) -> _Sum:
        kinds, kind = self._sums[_place(step)].kinds, _Kind(rule.id, verdict, reason)
        found = kinds.get(kind)
        if found is None:
            found = kinds[kind] = _Sum()
        return found

    def session_over(self, session_uid: str) -> Iterator[FindingRow]:
        return self._told(("session", session_uid))

    def connection_over(self, uid: str) -> Iterator[FindingRow]:
        return self._told(("connection", uid))

    def finish(self) -> Iterator[FindingRow]:
        for place in list(self._sums):
            yield from self._told(place)

    def _told(self, place: tuple[str, str]) -> Iterator[FindingRow]:
        sums = self._sums.pop(place, None)
        if sums is None:
            return
        for (count,), alike in sums.unread.values():
            for one in alike:
                one.add(count)
        for found in sums.kinds.values():
            if found.row is not None:
                yield found.row


def _place(step: Judged) -> tuple[str, str]:
    session = session_of(step)
    if session:
        return "session", session
    return "connection", step.fact.uid if isinstance(step, ConnectionStep) else step.call.uid


def session_of(step: Judged) -> str | None:
    session = opened_queue(step)
    return None if session is None or session.kind is SessionKind.HANDSHAKE else session.session_uid


def opened_queue(step: Step | ComStep) -> Session | None:
    """The queue that it is about; of a move, the one that the message lay in."""
    if isinstance(step, CallStep):  # as most are
        return step.session
    if isinstance(step, ConnectionStep | ConnectionOver | TransactionStep | UnitStep | ComStep):
        return None
    return step.read.session if isinstance(step, ReadStep) else step.session


def _queue(step: Judged, session: Session | None) -> Naming:
    if session is not None or isinstance(step, ReadStep | SessionStep):
        return queue_of(session)
    return named_by_call(named_queue(step) if isinstance(step, CallStep) else None)


def finding_row(
    rule: Rule, verdict: Verdict, step: Judged, values: Mapping[str, Any], reason: Reason | None, count: int
) -> FindingRow:
    call = None if isinstance(step, ConnectionStep) else step.call
    undecided = verdict is Verdict.NOT_DECIDABLE
    of = step.fact if isinstance(step, ConnectionStep) else step.call
    session = opened_queue(step)
    return {
        "rule_id": rule.id,
        "level": None if undecided else str(rule.level),
        "verdict": str(verdict),
        "reason": None if reason is None else str(reason),
        "count": count,
        "party": str(rule.party),
        "title": rule.question if undecided else rule.title,
        "spec": rule.spec,
        "ts": micros(of.began.ts_ns),
        "ts_ns": nanos(of.began.ts_ns),
        "uid": of.uid,
        "call_uid": call.call_uid if call else None,
        "session_uid": session_of(step),
        "id": of.ends.id,
        "username": call.username if call else None,
        "domain": call.domain if call else None,
        **for_whom(session),
        **_queue(step, session),
        "attack": list(rule.attack),
        "evidence": {
            "capture_id": call.capture_id if call else None,
            "request_frames": list(call.request_frames) if call else [],
            "response_frames": list(call.response_frames) if call else [],
            "values": [{"name": name, "value": _shown(value)} for name, value in values.items()],
        },
    }


def _shown(value: object) -> str:
    return "" if value is None else str(value)
