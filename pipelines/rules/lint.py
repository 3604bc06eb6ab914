"""What every rule of the catalogue must have: one small check each, with what to do about it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.interfaces import INTERFACES
from pipelines.rules.coverage import clauses
from pipelines.rules.model import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pipelines.rules.model import Rule

_ID: Final = re.compile(r"(mqqp|mqmr|mqrr|mqmp|rpce|detect|mqso)(-[a-z0-9]+)+")
_SECTION: Final = re.compile(r"\d+(\.\d+)*")
_TECHNIQUE: Final = re.compile(r"T\d{4}(\.\d{3})?")
_NOTE: Final = re.compile(r"<\d+>")
_KEYWORDS: Final = frozenset(("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"))
_OPERATIONS: Final = {operation.name for interface in INTERFACES.values() for operation in interface.operations}
_CITED: Final = {rule for clause in clauses() for rule in clause.rules}
_BY_CLAUSE: Final = re.compile(r"mqqp|mqmr|mqrr|mqmp")
_NOT_CLAUSES: Final = ("5", "2.1")
"""Sections outside what the coverage pages list, or of which only a note is meant."""


@dataclass(frozen=True, slots=True)
class Check:
    advice: str
    passes: Callable[[Rule], bool]


def _sections(rule: Rule) -> list[str]:
    return [section.strip() for section in rule.section.split(",")]


CHECKS: Final = (
    Check("an id is lower case words joined by hyphens, the document first", lambda r: bool(_ID.fullmatch(r.id))),
    Check("cite sections by number, comma separated", lambda r: all(map(_SECTION.fullmatch, _sections(r)))),
    Check("a title says what was found and ends without a full stop", lambda r: bool(r.title) and r.title[-1] != "."),
    Check("the requirement is a sentence in our words", lambda r: r.requirement.endswith((".", ")"))),
    Check("a keyword of the document, or none for a detection", lambda r: (r.keyword in _KEYWORDS) != r.is_detection),
    Check("either a check or a watcher", lambda r: (r.check is None) != (r.watch is None)),
    Check("operations are named as on the wire", lambda r: set(r.operations) <= _OPERATIONS),
    Check("operations are for rules about calls", lambda r: r.subject is Subject.CALL or not r.operations),
    Check("techniques are ATT&CK ids", lambda r: all(map(_TECHNIQUE.fullmatch, r.attack))),
    Check("a detection names the technique it may belong to", lambda r: bool(r.attack) or not r.is_detection),
    Check("notes are written <n>", lambda r: all(_NOTE.fullmatch(one.note) for one in r.exemptions)),
    Check("say what makes it undecidable, or need a request", lambda r: bool(r.undecidable_when or r.needs)),
    Check("thresholds are positive", lambda r: all(value > 0 for value in r.settings.values())),
    Check(
        "a clause of the coverage page names the rule",
        lambda r: r.id in _CITED or not _BY_CLAUSE.match(r.id) or _sections(r)[0] in _NOT_CLAUSES,
    ),
)


def problems(rules: Sequence[Rule]) -> Iterator[str]:
    """A sentence for each thing that is wrong."""
    ids = Counter(rule.id for rule in rules)
    yield from (f"{rule_id}: {count} rules have this id" for rule_id, count in ids.items() if count > 1)
    thresholds = Counter(name for rule in rules for name in rule.settings)
    for name, count in thresholds.items():
        if count > 1:
            yield f"threshold {name}: declared by {count} rules; a name belongs to one"
    for rule in rules:
        yield from (f"{rule.id}: {check.advice}" for check in CHECKS if not check.passes(rule))
