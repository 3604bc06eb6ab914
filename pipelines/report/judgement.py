"""What the rules said: each rule that had something to judge, and what could not be decided, by reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypedDict

from pipelines.facts.reasons import REASONS
from pipelines.report.findings import most_of_a_rule, rank
from pipelines.rules.catalogue import BY_ID

if TYPE_CHECKING:
    from pipelines.store.tables import Tables

Row = dict[str, Any]
WORTH: Final = ("violation", "detection")


class UndecidedRow(TypedDict):
    reason: str
    said: str
    """The reason in words."""
    count: int
    rules: list[tuple[str, int]]
    """How often each had this reason, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Judgement:
    rules: list[Row]
    """In the order in which people read them: the worst that was found first."""
    undecided: list[UndecidedRow]
    """A row a reason, the most frequent first."""
    levels: Counter[str]
    """Violations and detections."""
    total: Counter[str]
    """By verdict."""

    @property
    def titles(self) -> dict[str, str]:
        return {rule["rule_id"]: rule["title"] for rule in self.rules}

    def most_of_a_rule(self, room: int, *verdicts: str) -> int:
        """Of rows of findings with these verdicts."""
        counts = [sum(rule[verdict] for verdict in verdicts) for rule in self.rules]
        return most_of_a_rule([count for count in counts if count], room)

    @property
    def rules_with_findings(self) -> list[Row]:
        return [rule for rule in self.rules if rule["violation"] or rule["detection"]]

    @property
    def findings(self) -> int:
        """Violations and detections."""
        return sum(self.total[verdict] for verdict in WORTH)


def judgement_of(tables: Tables) -> Judgement:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for row in tables.rows("verdicts", ("rule_id", "verdict", "reason", "count")):
        counts[row["rule_id"]][row["verdict"]] += row["count"] or 0
        if row["verdict"] == "not_decidable":
            reasons[row["reason"] or ""][row["rule_id"]] += row["count"] or 0
    rules = sorted((_rule(rule_id, found) for rule_id, found in counts.items()), key=_order)
    levels: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for rule in rules:
        levels[rule["level"]] += rule["violation"] + rule["detection"]
        for verdict in ("pass", *WORTH, "not_decidable"):
            total[verdict] += rule[verdict]
    said = {str(reason): text for reason, text in REASONS.items()}
    undecided: list[UndecidedRow] = [
        {"reason": reason, "said": said.get(reason, ""), "count": of.total(), "rules": sorted(of.items(), key=_most)}
        for reason, of in sorted(reasons.items(), key=lambda one: (-one[1].total(), one[0]))
    ]
    return Judgement(rules, undecided, levels, total)


def _rule(rule_id: str, found: Counter[str]) -> Row:
    rule = BY_ID.get(rule_id)
    counts = {verdict: found[verdict] for verdict in ("pass", *WORTH, "not_decidable")}
    if rule is None:
        # A run of another version.
        return {"rule_id": rule_id, "title": rule_id, "question": rule_id, "level": "informational", **counts}
    return {
        "rule_id": rule_id,
        "title": rule.title,
        "question": rule.question,
        "level": str(rule.level),
        "spec": rule.spec,
        "requirement": rule.requirement,
        "keyword": rule.keyword,
        "party": str(rule.party),
        "attack": list(rule.attack),
        "needs": rule.undecidable_when,
        "exemptions": [f"{one.note}: {one.says}" for one in rule.exemptions],
        **counts,
    }


def _order(rule: Row) -> tuple[Any, ...]:
    worth = bool(rule["violation"] or rule["detection"])
    return not worth, -rank(rule["level"]), rule["rule_id"]


def _most(one: tuple[str, int]) -> tuple[int, str]:
    return -one[1], one[0]
