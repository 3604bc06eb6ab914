"""Every rule: a new one is an entry in one of these files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules import (
    detections,
    detections_access,
    detections_endpoints,
    detections_handles,
    detections_management,
    mqmr,
    mqmr_properties,
    mqqp_answers,
    mqqp_arguments,
    mqqp_endings,
    mqqp_errors,
    mqqp_messages,
    mqqp_refusals,
    mqqp_requests,
    mqqp_sequence,
    mqqp_server,
    mqqp_versions,
    rpce,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *mqqp_requests.RULES,
    *mqqp_arguments.RULES,
    *mqqp_sequence.RULES,
    *mqqp_versions.RULES,
    *mqqp_endings.RULES,
    *mqqp_answers.RULES,
    *mqqp_messages.RULES,
    *mqqp_server.RULES,
    *mqqp_errors.RULES,
    *mqqp_refusals.RULES,
    *mqmr.RULES,
    *mqmr_properties.RULES,
    *rpce.RULES,
    *detections.RULES,
    *detections_handles.RULES,
    *detections_access.RULES,
    *detections_management.RULES,
    *detections_endpoints.RULES,
)

BY_ID: Final[Mapping[str, Rule]] = {rule.id: rule for rule in RULES}

SETTINGS: Final[Mapping[str, int]] = {name: value for rule in RULES for name, value in rule.settings.items()}
"""Thresholds and their defaults."""
