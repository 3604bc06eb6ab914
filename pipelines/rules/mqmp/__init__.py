"""The rules of [MS-MQMP], Queue Manager Client Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.mqmp import (
    answers,
    closed,
    cursors,
    decided,
    endings,
    errors,
    handles,
    kept,
    lengths,
    messages,
    objects,
    openings,
    properties,
    queries,
    received,
    security,
    server,
    transactions,
    transfers,
    versions,
)

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *openings.RULES,
    *objects.RULES,
    *properties.RULES,
    *queries.RULES,
    *transfers.RULES,
    *messages.RULES,
    *kept.RULES,
    *handles.RULES,
    *cursors.RULES,
    *closed.RULES,
    *transactions.RULES,
    *decided.RULES,
    *endings.RULES,
    *answers.RULES,
    *lengths.RULES,
    *received.RULES,
    *errors.RULES,
    *versions.RULES,
    *server.RULES,
    *security.RULES,
)
