"""Rules applied to the steps of one server: verdicts counted, those worth reading made into findings."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from decoders.dcerpc.call_model import BindingSource
from pipelines.facts.reasons import Reason
from pipelines.rules.findings import Findings, Verdict
from pipelines.rules.model import Broken, Detected, Need, Subject, Undecided
from pipelines.sessions.steps import CallStep, ConnectionOver, ConnectionStep, ReadStep, SessionStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pipelines.facts.model import CallFact
    from pipelines.rules.model import Answer, Rule, Settings, Watcher
    from pipelines.sessions.steps import Judged, Step

Row = dict[str, Any]
Tally: TypeAlias = "Counter[tuple[str, str, str | None]]"
"""(rule, verdict, reason) -> how often."""
_SUBJECTS: Final = {
    CallStep: Subject.CALL,
    ReadStep: Subject.READ,
    SessionStep: Subject.SESSION,
    ConnectionStep: Subject.CONNECTION,
}


class Judge:
    def __init__(self, rules: Sequence[Rule], settings: Settings) -> None:
        self.tally: Tally = Counter()
        self._findings = Findings()
        self._watchers: list[tuple[Rule, Watcher]] = []
        self._everywhere: dict[Subject, list[Rule]] = defaultdict(list)
        self._by_operation: dict[str, list[Rule]] = defaultdict(list)
        for rule in rules:
            if rule.watch is not None:
                self._watchers.append((rule, rule.watch(settings)))
            elif rule.subject is Subject.CALL and rule.operations:
                for operation in rule.operations:
                    self._by_operation[operation].append(rule)
            else:
                self._everywhere[rule.subject].append(rule)

    def see(self, step: Step) -> Iterator[Row]:
        if isinstance(step, ConnectionOver):
            yield from self._findings.connection_over(step.uid)
            return
        for rule in self._everywhere[_SUBJECTS[type(step)]]:
            yield from self._judge(rule, step)
        if isinstance(step, CallStep):
            for rule in self._by_operation.get(step.call.operation or "", ()):
                yield from self._judge(rule, step)
        for rule, watcher in self._watchers:
            yield from self._take(rule, watcher.see(step))
        if isinstance(step, SessionStep):
            yield from self._findings.session_over(step.session.session_uid)

    def finish(self) -> Iterator[Row]:
        for rule, watcher in self._watchers:
            yield from self._take(rule, watcher.finish())
        yield from self._findings.finish()

    def _judge(self, rule: Rule, step: Judged) -> Iterator[Row]:
        answer = _answer(rule, step)
        if answer is None:
            return
        if answer is True:
            self.tally[rule.id, Verdict.PASS, None] += 1
            return
        if isinstance(answer, Reason):
            yield from self._note(rule, Verdict.NOT_DECIDABLE, step, {}, answer)
            return
        values = answer.values if isinstance(answer, Broken) else {}
        yield from self._note(rule, _speaking(rule), step, values)

    def _take(self, rule: Rule, seen: Iterable[Detected | Undecided | bool]) -> Iterator[Row]:
        for one in seen:
            if isinstance(one, Detected):
                yield from self._note(rule, _speaking(rule), one.step, one.values, count=one.count)
            elif isinstance(one, Undecided):
                yield from self._note(rule, Verdict.NOT_DECIDABLE, one.step, {}, one.reason)
            else:
                self.tally[rule.id, Verdict.PASS, None] += 1

    def _note(
        self,
        rule: Rule,
        verdict: Verdict,
        step: Judged,
        values: Any,  # noqa: ANN401 - whatever a rule shows
        reason: Reason | None = None,
        count: int = 1,
    ) -> Iterator[Row]:
        self.tally[rule.id, verdict, reason] += 1
        return self._findings.note(rule, verdict, step, values, reason, count)


def _speaking(rule: Rule) -> Verdict:
    return Verdict.DETECTION if rule.is_detection else Verdict.VIOLATION


def _answer(rule: Rule, step: Judged) -> Answer:
    if rule.check is None:
        return None
    if isinstance(step, CallStep) and (reason := unreadable(step.call, rule.needs)) is not None:
        return reason if rule.operations or step.call.operation else None
    if isinstance(step, ReadStep | SessionStep) and step.call.source != BindingSource.BIND:
        return Reason.BIND_NOT_SEEN
    answer = rule.check(step)
    if answer is None or answer is True or isinstance(answer, Reason) or not rule.exemptions:
        return answer
    version = step.server_version if isinstance(step, CallStep) else None
    if version is None:
        return Reason.SERVER_VERSION_UNKNOWN
    return None if any(one.applies(version) for one in rule.exemptions) else answer


def unreadable(call: CallFact, needs: frozenset[Need]) -> Reason | None:
    """Why a call cannot be judged by what these needs name."""
    if call.source != BindingSource.BIND:
        return Reason.BIND_NOT_SEEN
    if needs == {Need.OPERATION}:
        return None
    if call.encrypted:
        return Reason.SEALED
    if Need.REQUEST in needs and (reason := _no_request(call)) is not None:
        return reason
    return _no_response(call) if Need.RESPONSE in needs else None


def _no_request(call: CallFact) -> Reason | None:
    if not call.asked:
        return Reason.REQUEST_NOT_CAPTURED
    if call.request is None:
        return Reason.NOT_DECODED
    return None if call.request_whole else Reason.BYTES_MISSING


def _no_response(call: CallFact) -> Reason | None:
    if call.answered is None:
        return Reason.RESPONSE_NOT_CAPTURED
    if not call.response_whole:
        return Reason.BYTES_MISSING
    return Reason.NOT_DECODED if call.response is None and call.fault is None else None
