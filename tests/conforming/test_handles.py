"""A client of the model calls nothing with a handle that it knows to be closed: [MS-MQRR] 3.1.4, 3.2.4.13."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.casts import MQRR
from tests.conforming.conversation import converse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conforming.transport import Call

_NAMES: Final = ("phContext", "pphContext", "phContextFrom")


def test_closed_handles_of_remote_read_are_used_no_more() -> None:
    talks = [converse(seed, MQRR).calls for seed in range(400_000, 400_040)]
    assert sum(call.operation == "R_CloseQueue" for calls in talks for call in calls) > 0
    assert [(call.operation, call.label) for calls in talks for call in _stale(calls)] == []


def _stale(calls: list[Call]) -> Iterator[Call]:
    for close in calls:
        if close.operation != "R_CloseQueue" or close.reply is None or close.reply.get("status") != 0:
            continue
        for call in calls:
            named = [call.values[name] for name in _NAMES if name in call.values]
            same = call.connection.association is close.connection.association
            if same and close.values["pphContext"] in named and call.asked_us > (close.answered_us or 0):
                yield call
