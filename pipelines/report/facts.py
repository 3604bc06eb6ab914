"""All that the summary speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.report.census import Census
    from pipelines.report.counting import Key
    from pipelines.report.counts import Counts
    from pipelines.report.damage import Damage
    from pipelines.report.judgement import Judgement

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Facts:
    counts: Counts
    damage: Damage
    judgement: Judgement
    census: Census
    quality: Row | None
    findings: list[Row]
    """Those that are told one by one, the worst first."""
    touches: list[Row]
    """The gravest first."""
    all_touches: int
    deeds: Mapping[Key, list[Row]]
    """Acts that changed something, by the keys of touches."""
    doubtful_sessions: int
    unnamed_queues: int
    principals: int
    accounts: tuple[Row, ...]
