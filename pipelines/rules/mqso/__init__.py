"""Rules across protocols, from the overview of the system: [MS-MQSO]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.mqso import changes, links

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (*links.RULES, *changes.RULES)
