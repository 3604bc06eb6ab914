"""Rules applied to the steps of one server: verdicts counted, those worth reading made into findings."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from decoders.dcerpc.call_model import BindingSource
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.reasons import Reason
from pipelines.rules.findings import Findings, Verdict
from pipelines.rules.model import Broken, Detected, Need, Subject, Undecided
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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pipelines.facts.model import CallFact
    from pipelines.rules.model import Answer, Rule, Settings, Watcher
    from pipelines.sessions.steps import Judged, Step
    from schemas.tables.findings import FindingRow

Tally: TypeAlias = "Counter[tuple[str, str, str | None]]"
"""(rule, verdict, reason) -> how often."""
_ByNeeds: TypeAlias = "list[tuple[frozenset[Need], list[Rule]]]"
_SUBJECTS: Final = {
    CallStep: Subject.CALL,
    ReadStep: Subject.READ,
    SessionStep: Subject.SESSION,
    TransactionStep: Subject.TRANSACTION,
    ConnectionStep: Subject.CONNECTION,
}
_PASS: Final = str(Verdict.PASS)
_DOCUMENTS: Final = {"qm2qm": "MS-MQQP", "RemoteRead": "MS-MQRR", "qmcomm": "MS-MQMP", "qmcomm2": "MS-MQMP"}
"""Whose rules of sessions and reads are for its own ones."""


class Judge:
    def __init__(self, rules: Sequence[Rule], settings: Settings) -> None:
        self.tally: Tally = Counter()
        self._findings = Findings()
        self._watchers = [(rule, rule.watch(settings)) for rule in rules if rule.watch is not None]
        self._watching: dict[str | None, list[tuple[Rule, Watcher]]] = {}
        """Who looks at a call of this operation, or (None) at any other step."""
        checks = _checks(tuple(rules))
        self._by_subject = checks.by_subject
        self._of_any_call, self._of_operation = checks.of_any_call, checks.of_operation

    def see(self, step: Step) -> Iterator[FindingRow]:
        if isinstance(step, ConnectionOver):
            yield from self._findings.connection_over(step.uid)
            return
        if isinstance(step, Act | UnitStep):
            return
        if isinstance(step, CallStep):
            yield from self._judge_call(step)
        else:
            for rule in self._by_subject[_SUBJECTS[type(step)]]:
                yield from self._speak(rule, step, _answer(rule, step))
        for rule, watcher in self._watchers_of(step.call.operation if isinstance(step, CallStep) else None):
            for one in watcher.see(step):
                yield from self._take(rule, one)
        if isinstance(step, SessionStep):
            yield from self._findings.session_over(step.session.session_uid)

    def finish(self) -> Iterator[FindingRow]:
        for rule, watcher in self._watchers:
            for one in watcher.finish():
                yield from self._take(rule, one)
        yield from self._findings.finish()

    def _watchers_of(self, operation: str | None) -> list[tuple[Rule, Watcher]]:
        found = self._watching.get(operation)
        if found is None:
            sees = ((one, one[1].operations) for one in self._watchers)
            found = [one for one, operations in sees if operations is None or operation in operations]
            self._watching[operation] = found
        return found

    def _judge_call(self, step: CallStep) -> Iterator[FindingRow]:
        """Most calls keep most rules, so that way is the short one."""
        operation = step.call.operation
        for needs, rules in self._of_operation.get(operation or "", self._of_any_call):
            if is_moot(step.call, needs):
                continue
            reason = unreadable(step.call, needs)
            for rule in rules:
                if reason is not None:
                    # Of a call without name it is not known what was asked: there is nothing to say.
                    answer: Answer = reason if operation else None
                else:
                    answer = rule.check(step) if rule.check else None
                if answer is True:
                    self.tally[rule.id, _PASS, None] += 1
                elif answer is not None:
                    if Need.RESPONSE in needs and step.answered_late:
                        answer = answer if isinstance(answer, Reason) else Reason.TIMES_CROSS
                    yield from self._speak(rule, step, _excused(rule, step, answer))

    def _speak(self, rule: Rule, step: Judged, answer: Answer) -> Iterator[FindingRow]:
        if answer is None:
            return iter(())
        if answer is True:
            self.tally[rule.id, _PASS, None] += 1
            return iter(())
        if isinstance(answer, Reason):
            return self._note(rule, Verdict.NOT_DECIDABLE, step, {}, answer)
        return self._note(rule, _speaking(rule), step, answer.values if isinstance(answer, Broken) else {})

    def _take(self, rule: Rule, seen: Detected | Undecided | bool) -> Iterator[FindingRow]:
        if isinstance(seen, Detected):
            return self._note(rule, _speaking(rule), seen.step, seen.values, count=seen.count)
        return self._speak(rule, seen.step, seen.reason) if isinstance(seen, Undecided) else self._passed(rule)

    def _passed(self, rule: Rule) -> Iterator[FindingRow]:
        self.tally[rule.id, _PASS, None] += 1
        return iter(())

    def _note(
        self,
        rule: Rule,
        verdict: Verdict,
        step: Judged,
        values: Mapping[str, Any],
        reason: Reason | None = None,
        count: int = 1,
    ) -> Iterator[FindingRow]:
        self.tally[rule.id, str(verdict), None if reason is None else str(reason)] += count
        return self._findings.note(rule, verdict, step, values, reason, count)


class _Checks(NamedTuple):
    by_subject: Mapping[Subject, Sequence[Rule]]
    of_any_call: _ByNeeds
    of_operation: Mapping[str, _ByNeeds]


@cache
def _checks(rules: tuple[Rule, ...]) -> _Checks:
    """The same for every server: to arrange the rules takes longer than to judge a short conversation."""
    checks = [rule for rule in rules if rule.check is not None]
    by_subject = {subject: tuple(rule for rule in checks if rule.subject is subject) for subject in _SUBJECTS.values()}
    of_calls = by_subject[Subject.CALL]
    names = {name for rule in of_calls for name in rule.operations}
    return _Checks(
        by_subject,
        _by_needs(rule for rule in of_calls if not rule.operations),
        {
            name: _by_needs(rule for rule in of_calls if not rule.operations or name in rule.operations)
            for name in names
        },
    )


def _by_needs(rules: Iterable[Rule]) -> _ByNeeds:
    """Whether a call can be read is asked once for all rules that need the same of it."""
    found: dict[frozenset[Need], list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.needs, []).append(rule)
    return list(found.items())


def _speaking(rule: Rule) -> Verdict:
    return Verdict.DETECTION if rule.is_detection else Verdict.VIOLATION


def _answer(rule: Rule, step: ReadStep | SessionStep | TransactionStep | ConnectionStep) -> Answer:
    if not isinstance(step, ConnectionStep):
        if rule.document in _DOCUMENTS.values() and rule.document != _DOCUMENTS.get(step.call.endpoint or ""):
            return None
        if step.call.source != BindingSource.BIND:
            return Reason.BIND_NOT_SEEN
    return rule.check(step) if rule.check else None


def _excused(rule: Rule, step: CallStep, answer: Answer) -> Answer:
    """By the server's version, where products differ."""
    if isinstance(answer, Reason) or not rule.exemptions:
        return answer
    if step.server_version is None:
        return Reason.SERVER_VERSION_UNKNOWN
    return None if any(one.applies(step.server_version) for one in rule.exemptions) else answer


def unreadable(call: CallFact, needs: frozenset[Need]) -> Reason | None:
    """Why a call cannot be judged by what these needs name."""
    if call.source != BindingSource.BIND:
        return Reason.BIND_NOT_SEEN
    if needs == {Need.OPERATION}:
        return None
    if Need.REQUEST in needs and (reason := request_hidden(call)) is not None:
        return reason
    return response_hidden(call) if Need.RESPONSE in needs else None


def is_moot(call: CallFact, needs: frozenset[Need]) -> bool:
    """Whether nothing is to be said of the answer: the client gave the call up, so that none was due."""
    return Need.RESPONSE in needs and call.given_up
