"""Rules applied to the steps of one server: verdicts counted, those worth reading made into findings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from decoders.dcerpc.call_model import BindingSource
from decoders.registry import REGISTRY
from pipelines.com.steps import ComStep
from pipelines.facts.reasons import Reason
from pipelines.mqac.steps import MqacStep
from pipelines.rules.findings import Findings, Verdict
from pipelines.rules.model import Broken, Detected, Need, Subject, Undecided
from pipelines.rules.plans import arranged
from pipelines.sessions.acts import Act
from pipelines.sessions.steps import (
    CallStep,
    ConnectionOver,
    ConnectionStep,
    ReadStep,
    SessionStep,
    TransactionStep,
    UnitStep,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.rules.model import Answer, Judged, Look, Rule, Settings
    from pipelines.rules.plans import Plan
    from pipelines.sessions.steps import Step
    from schemas.tables.findings import FindingRow

Tally: TypeAlias = "Counter[tuple[str, str, str | None]]"
"""(rule, verdict, reason) -> how often."""
_SUBJECTS: Final = {
    CallStep: Subject.CALL,
    ReadStep: Subject.READ,
    SessionStep: Subject.SESSION,
    TransactionStep: Subject.TRANSACTION,
    ConnectionStep: Subject.CONNECTION,
    ComStep: Subject.COM,
    MqacStep: Subject.MQAC,
}
_PASS: Final = str(Verdict.PASS)
_DOCUMENTS: Final = {one.name: one.document for one in REGISTRY.values() if one.reads}
"""Whose rules of sessions and reads are for its own ones."""
_Rows: TypeAlias = "list[FindingRow]"


class Judge:
    def __init__(self, rules: Sequence[Rule], settings: Settings) -> None:
        self._arranged = arranged(tuple(rules))
        self._findings = Findings()
        self._passed = [0] * len(rules)
        """How often each was kept. Most calls keep most rules: that must cost next to nothing."""
        self._unread: Counter[Plan] = Counter()
        self._spoken: Tally = Counter()
        self._watchers = [(rule, rule.watch(settings)) for rule in rules if rule.watch is not None]
        self._looks: dict[Plan, list[tuple[Rule, Look]]] = {}
        """What watchers look at calls alike with."""
        self._of_others = {
            kind: [one for one in self._watchers if subject in one[1].subjects] for kind, subject in _SUBJECTS.items()
        }

    @property
    def tally(self) -> Tally:
        found = Counter(self._spoken)
        for rule, count in zip(self._arranged.rules, self._passed, strict=True):
            if count:
                found[rule.id, _PASS, None] += count
        for plan, count in self._unread.items():
            for rule, reason in plan.undecided:
                found[rule.id, str(Verdict.NOT_DECIDABLE), str(reason)] += count
        return found

    def see(self, step: Step | ComStep | MqacStep) -> _Rows:
        rows: _Rows = []
        if isinstance(step, CallStep):
            self._judge_call(step, rows)
        elif isinstance(step, ComStep | MqacStep):
            self._judge_com(step, rows)
        elif isinstance(step, ConnectionOver):
            rows += self._findings.connection_over(step.uid)
        elif not isinstance(step, Act | UnitStep):
            for rule in self._arranged.by_subject[_SUBJECTS[type(step)]]:
                self._speak(rule, step, _answer(rule, step), rows)
            for rule, watcher in self._of_others[type(step)]:
                for one in watcher.see(step):
                    self._take(rule, one, rows)
            if isinstance(step, SessionStep):
                rows += self._findings.session_over(step.session.session_uid)
        return rows

    def finish(self) -> _Rows:
        rows: _Rows = []
        for rule, watcher in self._watchers:
            for one in watcher.finish():
                self._take(rule, one, rows)
        return rows + list(self._findings.finish())

    def _judge_com(self, step: ComStep | MqacStep, rows: _Rows) -> None:
        member = step.member if isinstance(step, MqacStep) else None
        self._judge_by(self._arranged.plan(step.call, _SUBJECTS[type(step)], member), step, rows)
        for rule, watcher in self._of_others[type(step)]:
            for one in watcher.see(step):
                self._take(rule, one, rows)

    def _judge_by(self, plan: Plan, step: CallStep | ComStep | MqacStep, rows: _Rows) -> None:
        if plan.undecided:
            # Of sealed calls that is all: they are counted, not judged.
            self._unread[plan] += 1
            self._findings.note_unread(plan, step)
        passed = self._passed
        for check, place, rule in plan.checks:
            answer = check(step)
            if answer is True:
                passed[place] += 1
            elif answer is not None:
                if step.answered_late and Need.RESPONSE in rule.needs and not isinstance(answer, Reason):
                    answer = Reason.TIMES_CROSS
                self._speak(rule, step, _excused(rule, step, answer), rows)

    def _judge_call(self, step: CallStep, rows: _Rows) -> None:
        plan = self._arranged.plan(step.call)
        self._judge_by(plan, step, rows)
        looks = self._looks.get(plan)
        if looks is None:
            found = ((rule, watcher.look_at(step.call)) for rule, watcher in self._watchers)
            looks = self._looks[plan] = [(rule, look) for rule, look in found if look is not None]
        for rule, look in looks:
            for one in look(step):
                self._take(rule, one, rows)

    def _speak(self, rule: Rule, step: Judged, answer: Answer, rows: _Rows) -> None:
        if answer is None:
            return
        if answer is True:
            self._passed[self._arranged.places[rule]] += 1
        elif isinstance(answer, Reason):
            self._note(rule, Verdict.NOT_DECIDABLE, step, {}, rows, answer)
        else:
            self._note(rule, _speaking(rule), step, answer.values if isinstance(answer, Broken) else {}, rows)

    def _take(self, rule: Rule, seen: Detected | Undecided | bool, rows: _Rows) -> None:
        if isinstance(seen, Detected):
            self._note(rule, _speaking(rule), seen.step, seen.values, rows, count=seen.count)
        elif isinstance(seen, Undecided):
            self._speak(rule, seen.step, seen.reason, rows)
        else:
            self._passed[self._arranged.places[rule]] += 1

    def _note(
        self,
        rule: Rule,
        verdict: Verdict,
        step: Judged,
        values: Mapping[str, Any],
        rows: _Rows,
        reason: Reason | None = None,
        count: int = 1,
    ) -> None:
        self._spoken[rule.id, str(verdict), None if reason is None else str(reason)] += count
        row = self._findings.note(rule, verdict, step, values, reason, count)
        if row is not None:
            rows.append(row)


def _speaking(rule: Rule) -> Verdict:
    return Verdict.DETECTION if rule.is_detection else Verdict.VIOLATION


def _answer(rule: Rule, step: ReadStep | SessionStep | TransactionStep | ConnectionStep) -> Answer:
    if not isinstance(step, ConnectionStep):
        if rule.document in _DOCUMENTS.values() and rule.document != _DOCUMENTS.get(step.call.endpoint or ""):
            return None
        if step.call.source != BindingSource.BIND:
            return Reason.BIND_NOT_SEEN
    return rule.check(step) if rule.check else None


def _excused(rule: Rule, step: CallStep | ComStep | MqacStep, answer: Answer) -> Answer:
    """By the server's version, where products differ; of COM, by a connection that was not seen whole."""
    if isinstance(answer, Reason):
        return answer
    if isinstance(step, ComStep | MqacStep):
        return answer if rule.is_detection else step.hole or answer
    if not rule.exemptions:
        return answer
    if step.server_version is None:
        return Reason.SERVER_VERSION_UNKNOWN
    return None if any(one.applies(step.server_version) for one in rule.exemptions) else answer
