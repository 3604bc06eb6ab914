"""What a client left open when its association ended: its fault only if it ended that itself, in good order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken
from pipelines.sessions.severance import Severance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import CallFact
    from pipelines.rules.model import Answer


def left_open(
    by: Severance | None, doubt: Reason | None, shown: Mapping[str, Any], given_by: CallFact | None = None
) -> Answer:
    """`by`: how the association ended. `doubt`: why it may not have been left open at all."""
    if by is not None and by.is_servers:
        # The client had no chance: [MS-MQQP] 3.1.6 has the server run it down.
        return None
    if doubt is None and given_by is not None and given_by.cancel_sent:
        # [MS-MQQP] 3.2.4.1: a cancel does not wait, and a client that has sent it may never look at the answer.
        doubt = Reason.TIMES_CROSS
    if by is Severance.CLIENT_CLOSED:
        return doubt or Broken(shown)
    return doubt or (Reason.RESET if by is Severance.CLIENT_RESET else Reason.ENDING_UNKNOWN)
