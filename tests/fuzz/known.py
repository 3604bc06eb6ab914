"""Faults found and not yet mended: they fail no run. An entry that no longer fails is stale and fails the tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fuzz.findings import Finding, Tally


@dataclass(frozen=True, slots=True)
class Known:
    kind: str
    what: str
    """As the finding says it."""
    where: str
    """Stands in the finding's facts; narrow enough that the same words about another case are news."""
    reason: str
    example: Callable[[], Tally]
    """The smallest case that fails so."""

    def covers(self, finding: Finding) -> bool:
        facts = " ".join(map(str, finding.facts.values()))
        return (finding.kind, finding.what) == (self.kind, self.what) and self.where in facts


KNOWN: tuple[Known, ...] = ()


def news(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if not any(known.covers(finding) for known in KNOWN)]
