"""[MS-MQQP], the client: numbers of queues are those that the server gave, on qmcomm."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import REQUEST, Broken, Level, Party, Rule
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NUMBERS: Final = ("hQueue", "pQueue", "dwpContext")


def _open_numbers(step: CallStep) -> Answer:
    behind = step.behind
    if behind is None:
        # Given to an application elsewhere, as is usual.
        return Reason.OTHERS_NOT_SEEN
    used = tuple(step.request.get(name, 0) for name in _NUMBERS)
    given = (behind.queue_handle or 0, behind.p_queue or 0, behind.context or 0)
    if used == given:
        return True
    # Each server gives one number twice, as hQueue and dwpContext: [MS-MQMP] 3.1.4.2. Such values may be older than
    # that open, and its own are nobody else's as long as it lasts.
    if used[0] == used[2] or given[0] != given[2]:
        return Reason.GIVEN_EARLIER
    if behind.opened is None or behind.is_over or behind.close_asked or behind.opened.until >= step.call.began:
        return Reason.OTHERS_NOT_SEEN
    reason = behind.doubt or step.view.blind_since(behind.opened.until)
    shown = dict(zip(_NUMBERS, map(hexadecimal, used), strict=True))
    return reason or Broken(shown | {"given": ", ".join(map(hexadecimal, given)), "by": behind.opened.call_uid})


_client = partial(Rule, document="MS-MQQP", keyword="MUST", party=Party.CLIENT, level=Level.MEDIUM)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqqp-open-numbers",
        "A queue was opened with other numbers than the server had given",
        section="3.2.4.1",
        requirement="hQueue, pQueue and dwpContext are the three numbers that one R_QMOpenRemoteQueue answered.",
        operations=(v.OPEN,),
        needs=REQUEST,
        check=_open_numbers,
        undecidable_when="nobody was seen to be given them, an earlier open may have given them, that open is over, or "
        "anything between the server and any client was missed since",
    ),
)
