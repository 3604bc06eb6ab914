"""The catalogue as people read it: a rule on the terminal, the reference page."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import REASONS
from pipelines.rules.catalogue import RULES
from pipelines.rules.coverage import clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.rules.model import Rule

_BOUND: Final = {"client": "the client", "server": "the server"}


def rule_text(rule: Rule) -> str:
    """For a terminal."""
    lines = [f"{rule.id}: {rule.title}", ""]
    for name, value in _facts(rule):
        wrapped = textwrap.wrap(value, 96, subsequent_indent=" " * 18, break_on_hyphens=False)
        lines.append(f"  {name:<16}{wrapped[0]}")
        lines += wrapped[1:]
    return "\n".join(lines) + "\n"


def _facts(rule: Rule) -> Iterator[tuple[str, str]]:
    yield "document", f"{rule.document} {rule.section}"
    if rule.is_detection:
        yield "reports", rule.requirement.removeprefix("Reported is ")
    else:
        yield "demands", f"{rule.keyword}: {rule.requirement}"
    if not rule.is_detection:
        yield "to be kept by", str(rule.party)
        yield from (("clause", text) for text in _clauses(rule))
    yield "level", str(rule.level)
    yield "looks at", ", ".join(name for _, name in rule.operations) if rule.operations else f"every {rule.subject}"
    yield "needs", _needs(rule)
    if rule.undecidable_when:
        yield "not decidable", f"when {rule.undecidable_when}"
    for exemption in rule.exemptions:
        yield "except", f"{exemption.note} {exemption.says}"
    if rule.attack:
        yield "ATT&CK", ", ".join(rule.attack)
    for name, default in rule.settings.items():
        yield "threshold", f"{name}, default {default}; change it with --threshold {name}=N"


def _clauses(rule: Rule) -> Iterator[str]:
    """The sentences that it rests on; those that say the same in several sections once."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for clause in clauses():
        if rule.id in clause.rules and clause.demands_of(rule.party):
            sections = alike.setdefault((clause.keyword, clause.binds, clause.says), [])
            sections += [clause.section] if clause.section not in sections else []
    for (keyword, binds, says), sections in alike.items():
        yield f"{keyword}, binds {_BOUND.get(binds, binds)}, {', '.join(sections)}: {says}"


def _needs(rule: Rule) -> str:
    if rule.watch is not None or (rule.operations == () and rule.subject not in ("call", "com")):
        return "all that the capture shows of it"
    return " and ".join(sorted(str(need) for need in rule.needs)) + ", captured whole and readable"


def rules_page() -> str:
    """docs/reference/rules.md."""
    lines = [
        "# Rules",
        "",
        "Made from the catalogue in `pipelines/rules`; refresh with `make docs`. `mqtrail rules show ID` prints one.",
        "[coverage.md](coverage.md) lists every demand of the documents with the rule that checks it.",
        "",
        "Each rule answers pass, violation (or detection) or not decidable with one of these reasons:",
        "",
        "| reason | meaning |",
        "|---|---|",
        *(f"| `{reason}` | {meaning} |" for reason, meaning in REASONS.items()),
        "",
        "| rule | level | by | what was found |",
        "|---|---|---|---|",
        *(f"| [`{rule.id}`](#{rule.id}) | {rule.level} | {rule.party} | {rule.title} |" for rule in RULES),
        "",
    ]
    for rule in RULES:
        lines += [f"## {rule.id}", "", f"{rule.title}.", ""]
        lines += [f"- {name}: {_escaped(value)}" for name, value in _facts(rule)]
        lines.append("")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|")
