"""Every rule: a new one is an entry in a file of one of these packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules import dcom, detections, mqac, mqmp, mqmr, mqqp, mqrr, mqso, oaut, rpce

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *mqqp.RULES,
    *mqmr.RULES,
    *mqrr.RULES,
    *mqmp.RULES,
    *mqac.RULES,
    *rpce.RULES,
    *mqso.RULES,
    *dcom.RULES,
    *oaut.RULES,
    *detections.RULES,
)

BY_ID: Final[Mapping[str, Rule]] = {rule.id: rule for rule in RULES}

SETTINGS: Final[Mapping[str, int]] = {name: value for rule in RULES for name, value in rule.settings.items()}
"""Thresholds and their defaults."""
