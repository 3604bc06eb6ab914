"""How often each rule was kept, broken or not decidable, in the order of the catalogue."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from pipelines.rules.catalogue import BY_ID
from pipelines.rules.findings import Verdict
from pipelines.rules.model import Level

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.rules.engine import Tally
    from schemas.tables.findings import VerdictRow

_PLACES: Final = {rule_id: place for place, rule_id in enumerate(BY_ID)}
_WORTH: Final = frozenset((str(Verdict.VIOLATION), str(Verdict.DETECTION)))


def verdict_rows(tally: Tally) -> list[VerdictRow]:
    def place(key: tuple[str, str, str | None]) -> tuple[int, str, str]:
        return _PLACES[key[0]], key[1], key[2] or ""

    return [
        {"rule_id": rule, "verdict": str(verdict), "reason": None if reason is None else str(reason), "count": count}
        for (rule, verdict, reason), count in sorted(tally.items(), key=lambda item: place(item[0]))
    ]


def summed(rows: Iterable[VerdictRow]) -> Tally:
    """Of the tallies of many servers."""
    tally: Tally = Counter()
    for row in rows:
        tally[row["rule_id"], row["verdict"], row["reason"]] += row["count"]
    return tally


def total(tally: Tally, verdict: Verdict) -> int:
    return sum(count for (_, found, _), count in tally.items() if found == verdict)


def by_level(tally: Tally) -> dict[str, int]:
    """Violations and detections, by level."""
    found = dict.fromkeys(map(str, Level), 0)
    for (rule, verdict, _), count in tally.items():
        if verdict in _WORTH:
            found[str(level_of(rule))] += count
    return found


def level_of(rule_id: str) -> Level:
    """Tables of another version may tell of a rule that this one does not have."""
    rule = BY_ID.get(rule_id)
    return Level.INFORMATIONAL if rule is None else rule.level


def at_or_above(tally: Tally, level: Level) -> dict[str, int]:
    """Rules of that level or higher with violations or detections, and how many."""
    found: dict[str, int] = {}
    for (rule, verdict, _), count in tally.items():
        if verdict in _WORTH and level_of(rule).rank >= level.rank:
            found[rule] = found.get(rule, 0) + count
    return found
