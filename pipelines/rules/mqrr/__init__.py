"""The rules of [MS-MQRR], Queue Manager Remote Read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.mqrr import (
    answers,
    arguments,
    cursors,
    endings,
    errors,
    handles,
    messages,
    numbers,
    requests,
    sharing,
    transactions,
)

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *numbers.RULES,
    *arguments.RULES,
    *requests.RULES,
    *handles.RULES,
    *endings.RULES,
    *cursors.RULES,
    *transactions.RULES,
    *answers.RULES,
    *messages.RULES,
    *errors.RULES,
    *sharing.RULES,
)
