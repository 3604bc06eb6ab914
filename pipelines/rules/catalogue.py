"""Every rule: a new one is an entry in one of these files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules import (
    detections,
    mqmr,
    mqmr_properties,
    mqqp_answers,
    mqqp_arguments,
    mqqp_endings,
    mqqp_errors,
    mqqp_requests,
    mqqp_sequence,
    rpce,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *mqqp_requests.RULES,
    *mqqp_arguments.RULES,
    *mqqp_sequence.RULES,
    *mqqp_endings.RULES,
    *mqqp_answers.RULES,
    *mqqp_errors.RULES,
    *mqmr.RULES,
    *mqmr_properties.RULES,
    *rpce.RULES,
    *detections.RULES,
)

BY_ID: Final[Mapping[str, Rule]] = {rule.id: rule for rule in RULES}

SETTINGS: Final[Mapping[str, int]] = {name: value for rule in RULES for name, value in rule.settings.items()}
"""Thresholds and their defaults."""
