"""The rules of [MS-MQQP], Queue Manager to Queue Manager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.mqqp import (
    answers,
    arguments,
    endings,
    errors,
    given,
    messages,
    purges,
    refusals,
    requests,
    sequence,
    server,
    undone,
    versions,
)

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *requests.RULES,
    *arguments.RULES,
    *sequence.RULES,
    *given.RULES,
    *versions.RULES,
    *endings.RULES,
    *answers.RULES,
    *messages.RULES,
    *server.RULES,
    *errors.RULES,
    *refusals.RULES,
    *undone.RULES,
    *purges.RULES,
)
