"""Findings about a call are told with the event that it is: an act is one event, and carries what was found of it."""

from __future__ import annotations

from typing import Any, Final

from schemas.exports.converters import both, decided, some
from schemas.exports.model import Condition, Field, Lookup
from schemas.vocabulary import LEVELS

Row = dict[str, Any]
_COLUMNS: Final = ("rule_id", "level", "verdict", "title", "count", "attack")


def findings_of(column: str) -> Lookup:
    """Of the call that the column names: violations and detections."""
    name = f"findings_of_{column}"
    return Lookup(column, "findings", "call_uid", _COLUMNS, name, Condition("verdict", decided))


def rules(*findings: list[Row] | None) -> list[str] | None:
    """Rules of the findings about it."""
    return some(both(*(one["rule_id"] for one in _all(*findings))))


def titles(*findings: list[Row] | None) -> list[str] | None:
    """What was found of it, and how often where that is more than once."""
    said = (f"{one['title']} ({one['count']} times)" if one["count"] > 1 else one["title"] for one in _all(*findings))
    return some(both(*said))


def worst(*findings: list[Row] | None) -> str | None:
    """The highest level of the findings about it."""
    return max((one["level"] for one in _all(*findings)), key=LEVELS.index, default=None)


def attacked(*findings: list[Row] | None) -> list[str] | None:
    """Techniques of the findings about it."""
    return some(both(*(technique for one in _all(*findings) for technique in one["attack"] or ())))


def finding_count(*findings: list[Row] | None) -> int | None:
    """How many findings are about it."""
    return sum(one["count"] for one in _all(*findings)) or None


def marks(outcome: str | None, *findings: list[Row] | None) -> list[str]:
    """Its outcome; level, verdicts and techniques of the findings about it."""
    verdicts = (one["verdict"] for one in _all(*findings))
    return both(outcome, worst(*findings), *verdicts, *(attacked(*findings) or ()))


def finding_fields(*columns: str) -> tuple[Field, ...]:
    """`columns`: with the calls that the event is."""
    of = tuple(findings_of(column).called for column in columns)
    return (
        Field("findings", of, finding_count),
        Field("finding", of, titles),
        Field("level", of, worst),
        Field("rule_id", of, rules),
        Field("attack", of, attacked),
    )


def _all(*findings: list[Row] | None) -> list[Row]:
    return [one for several in findings for one in several or ()]
