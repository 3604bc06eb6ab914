"""Which rules a call is judged by, and of which it is clear from the start that they cannot be decided.

That depends on the operation and on what of the call can be read: it is found out once for all calls alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from decoders.dcerpc.call_model import BindingSource
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.reasons import Reason
from pipelines.rules.model import Need, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.facts.model import CallFact, Method
    from pipelines.rules.model import Answer, Rule

_Alike: TypeAlias = "tuple[Subject, Method | Meaning, bool, Reason | None, Reason | None, bool]"


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """For calls alike."""

    checks: tuple[tuple[Callable[[Any], Answer], int, Rule], ...]
    """With the place of the rule."""
    undecided: tuple[tuple[Rule, Reason], ...]


@dataclass(frozen=True, slots=True)
class Arranged:
    rules: tuple[Rule, ...]
    places: Mapping[Rule, int]
    by_subject: Mapping[Subject, Sequence[Rule]]
    _plans: dict[_Alike, Plan] = field(default_factory=dict)

    def plan(self, call: CallFact, subject: Subject = Subject.CALL, member: Meaning | None = None) -> Plan:
        """`member`: of one of MSMQ's objects, whose calls differ in operation and are judged alike."""
        bound = call.source == BindingSource.BIND
        key = subject, member or call.method, bound, request_hidden(call), response_hidden(call), call.given_up
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._made(call, subject, member)
        return found

    def _made(self, call: CallFact, subject: Subject, member: Meaning | None) -> Plan:
        checks, undecided = [], []
        for rule in self.by_subject[subject]:
            if member is not None:
                if member not in rule.members:
                    continue
            elif rule.operations and not call.is_one_of(rule.operations):
                continue
            if is_moot(call, rule.needs):
                continue
            reason = unreadable(call, rule.needs)
            if reason is None and rule.check is not None:
                checks.append((rule.check, self.places[rule], rule))
            elif reason is not None and call.operation:
                # Of a call without name it is not known what was asked: there is nothing to say.
                undecided.append((rule, reason))
        return Plan(tuple(checks), tuple(undecided))


@cache
def arranged(rules: tuple[Rule, ...]) -> Arranged:
    """The same for every server: to arrange the rules takes longer than to judge a short conversation."""
    checks = [rule for rule in rules if rule.check is not None]
    by_subject = {subject: tuple(rule for rule in checks if rule.subject is subject) for subject in Subject}
    by_subject[Subject.MQAC] = tuple(rule for rule in checks if rule.members)
    return Arranged(rules, {rule: place for place, rule in enumerate(rules)}, by_subject)


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
