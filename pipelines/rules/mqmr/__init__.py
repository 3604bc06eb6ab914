"""The rules of [MS-MQMR], Queue Manager Management."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.mqmr import consistency, objects, properties

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *objects.RULES,
    *properties.RULES,
    *consistency.RULES,
)
