"""Faults found and not yet mended: they fail no run. An entry that no longer fails is stale and fails the tests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tests.fuzz import captures

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


KNOWN: tuple[Known, ...] = (
    Known(
        "captures",
        "a loss pairs a request and an answer that do not belong together",
        "reused",
        "One call id for all calls; a request's packet acknowledges bytes of the server's before the first one "
        "captured. Its direction then begins there as if nothing were missing, and its first answer is taken for that "
        "of the request.",
        # A request, and the answer to the next one.
        partial(captures.run_rest, "reused", 11, 14),
    ),
)


def news(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if not any(known.covers(finding) for known in KNOWN)]
