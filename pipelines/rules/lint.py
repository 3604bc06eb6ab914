"""What every rule of the catalogue must have: one small check each, with what to do about it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.interfaces import INTERFACES
from pipelines.rules.coverage import BINDS, DEMANDS, clauses
from pipelines.rules.model import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pipelines.rules.coverage import Clause
    from pipelines.rules.model import Rule

_ID: Final = re.compile(r"(mqqp|mqmr|mqrr|mqmp|mqac|rpce|detect|mqso|dcom|oaut)(-[a-z0-9]+)+")
_SECTION: Final = re.compile(r"\d+(\.\d+)*")
_TECHNIQUE: Final = re.compile(r"T\d{4}(\.\d{3})?")
_NOTE: Final = re.compile(r"<\d+>")
_DEMANDING: Final = re.compile(r"[23](\.\d+)*")
"""Of every document of MSMQ: 1, 4 and 5 introduce, give examples and consider, the rest are appendices."""
_OF_CALLS: Final = frozenset((Subject.CALL, Subject.COM))
_OPERATIONS: Final = {(one.name, operation.name) for one in INTERFACES.values() for operation in one.operations}


@dataclass(frozen=True, slots=True)
class LintCheck:
    advice: str
    passes: Callable[[Rule], bool]


@dataclass(frozen=True, slots=True)
class Ground:
    advice: str
    passes: Callable[[Rule, Sequence[Clause]], bool]
    """Takes the clauses that name the rule."""


def _sections(rule: Rule) -> list[str]:
    return [section.strip() for section in rule.section.split(",")]


def _demands(rule: Rule) -> bool:
    return rule.keyword in DEMANDS


CHECKS: Final = (
    LintCheck("an id is lower case words joined by hyphens, the document first", lambda r: bool(_ID.fullmatch(r.id))),
    LintCheck("cite sections by number, comma separated", lambda r: all(map(_SECTION.fullmatch, _sections(r)))),
    LintCheck(
        "a title says what was found and ends without a full stop", lambda r: bool(r.title) and r.title[-1] != "."
    ),
    LintCheck("the requirement is a sentence in our words", lambda r: r.requirement.endswith((".", ")"))),
    LintCheck(
        "a violation rests on MUST or SHOULD, a detection on no keyword", lambda r: _demands(r) != r.is_detection
    ),
    LintCheck("either a check or a watcher", lambda r: (r.check is None) != (r.watch is None)),
    LintCheck("operations are named as on the wire", lambda r: set(r.operations) <= _OPERATIONS),
    LintCheck(
        "operations are for rules about calls", lambda r: r.subject in (Subject.CALL, Subject.COM) or not r.operations
    ),
    LintCheck("techniques are ATT&CK ids", lambda r: all(map(_TECHNIQUE.fullmatch, r.attack))),
    LintCheck("a detection names the technique it may belong to", lambda r: bool(r.attack) or not r.is_detection),
    LintCheck("notes are written <n>", lambda r: all(_NOTE.fullmatch(one.note) for one in r.exemptions)),
    LintCheck("say what makes it undecidable, or need a request", lambda r: bool(r.undecidable_when or r.needs)),
    LintCheck("thresholds are positive", lambda r: all(value > 0 for value in r.settings.values())),
)

GROUNDS: Final = (
    Ground("a clause of the coverage page names the rule", lambda _, cited: bool(cited)),
    Ground(
        "a clause with MUST or SHOULD names it: MAY and informative text accuse nobody",
        lambda _, cited: any(one.keyword in DEMANDS for one in cited),
    ),
    Ground(
        "sections 2 and 3 demand, the others only inform",
        lambda r, _: all(map(_DEMANDING.fullmatch, _sections(r))),
    ),
    Ground(
        "every clause with MUST or SHOULD that names it binds its party",
        lambda r, cited: all(one.demands_of(r.party) for one in cited if one.keyword in DEMANDS),
    ),
    Ground(
        "its keyword is that of a clause that names it",
        lambda r, cited: r.keyword in {one.keyword for one in cited if one.demands_of(r.party)},
    ),
    Ground(
        "each section it cites has a clause with MUST or SHOULD that names it",
        lambda r, cited: (
            {(r.document, one) for one in _sections(r)}
            <= {(one.document, one.section) for one in cited if one.demands_of(r.party)}
        ),
    ),
)
"""On what a violation rests."""


def problems(rules: Sequence[Rule], listed: Sequence[Clause] | None = None) -> Iterator[str]:
    """A sentence for each thing that is wrong; `listed` are the clauses of the documents."""
    listed = clauses() if listed is None else listed
    cited = defaultdict(list)
    for clause in listed:
        if bool(clause.rules) != (clause.binds in BINDS):
            yield f"{clause.document} {clause.section}, {clause.says}: say whom it binds where rules check it"
        for rule_id in clause.rules:
            cited[rule_id].append(clause)
    ids = Counter(rule.id for rule in rules)
    yield from (f"{rule_id}: {count} rules have this id" for rule_id, count in ids.items() if count > 1)
    thresholds = Counter(name for rule in rules for name in rule.settings)
    for name, count in thresholds.items():
        if count > 1:
            yield f"threshold {name}: declared by {count} rules; a name belongs to one"
    for rule in rules:
        yield from (f"{rule.id}: {check.advice}" for check in CHECKS if not check.passes(rule))
        if not rule.is_detection:
            yield from (f"{rule.id}: {one.advice}" for one in GROUNDS if not one.passes(rule, cited[rule.id]))
