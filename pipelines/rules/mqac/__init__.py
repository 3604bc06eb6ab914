"""Rules of the MSMQ ActiveX client protocol: [MC-MQAC]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.rules.mqac import (
    answers,
    application,
    arguments,
    called_back,
    destinations,
    events,
    exclusive,
    gone,
    handed_out,
    managed_queues,
    management,
    messages,
    queries,
    queue_infos,
    queues,
    sends,
    transactions,
    waits,
    wanted,
)

if TYPE_CHECKING:
    from pipelines.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    *arguments.RULES,
    *answers.RULES,
    *application.RULES,
    *management.RULES,
    *managed_queues.RULES,
    *transactions.RULES,
    *queue_infos.RULES,
    *queues.RULES,
    *waits.RULES,
    *wanted.RULES,
    *gone.RULES,
    *exclusive.RULES,
    *handed_out.RULES,
    *destinations.RULES,
    *queries.RULES,
    *events.RULES,
    *called_back.RULES,
    *messages.RULES,
    *sends.RULES,
)
