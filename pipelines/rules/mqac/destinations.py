"""[MC-MQAC] 3.12: destinations, which are named, opened and closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import DestinationState
from pipelines.rules.model import Broken
from pipelines.rules.mqac.demands import doubt, made_by_client, of_client, of_server
from pipelines.rules.object_members import answered, asked, gets, methods

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_DESTINATION: Final = "MSMQDestination"
_OPEN: Final = methods(_DESTINATION, "Open")
_CLOSE: Final = methods(_DESTINATION, "Close")
_S_FALSE: Final = 1


def _left_alone(*, is_open: bool) -> Callable[[MqacStep], Answer]:
    """S_FALSE says that nothing was to be done, and only that."""

    def check(step: MqacStep) -> Answer:
        state = step.state
        if not isinstance(state, DestinationState) or state.is_open is None or not step.succeeded:
            return None
        if not (made_by_client(state) or state.opened):
            return None
        if (step.code == _S_FALSE) is (state.is_open is is_open):
            return True
        return doubt(step) or Broken({**answered(step), "was open": state.is_open})

    return check


def _named_first(step: MqacStep) -> Answer:
    state = step.state
    if not isinstance(state, DestinationState) or not (made_by_client(state) or state.unseen):
        return None
    if state.named:
        return True
    if state.tried:
        # It did put one, which was refused.
        return None
    if step.succeeded:
        return Reason.OPEN_NOT_SEEN
    return doubt(step) or Broken(answered(step))


def _is_open(step: MqacStep) -> Answer:
    state = step.state
    if not isinstance(state, DestinationState) or state.is_open is None or not step.succeeded or step.result is None:
        return None
    if not (made_by_client(state) or state.opened):
        return None
    told = bool(step.result.number)
    return True if told is state.is_open else doubt(step) or Broken({**asked(step), "told": told, "is": state.is_open})


RULES: Final = (
    of_client(
        "mqac-destination-named-first",
        "A destination was to be opened that nobody had named",
        section="3.12",
        requirement="A client puts ADsPath, PathName or FormatName before Open. Held against it only where the server "
        "refuses as well.",
        members=_OPEN,
        check=_named_first,
        undecidable_when="the server opens it all the same, or the object's history was not captured whole",
    ),
    of_server(
        "mqac-destination-opened",
        "A destination that was open was opened again, or a closed one was left alone",
        section="3.12.4.1.1",
        requirement="Open of a destination that is open is answered S_FALSE, and no other Open that succeeds is.",
        members=_OPEN,
        check=_left_alone(is_open=True),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-destination-closed",
        "A destination that was closed was closed again, or an open one was left alone",
        section="3.12.3, 3.12.4.1.2",
        requirement="Close of a destination that is closed is answered S_FALSE, and no other Close that succeeds is.",
        members=_CLOSE,
        check=_left_alone(is_open=False),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-destination-is-open",
        "An open destination was said to be closed, or a closed one to be open",
        section="3.12.4.1.3, 3.12.4.1.7, 3.12.4.1.9, 3.12.4.1.11",
        requirement="IsOpen is true from Open to Close; a name that is put into an open destination opens it again.",
        members=gets(_DESTINATION, "IsOpen"),
        check=_is_open,
        undecidable_when="the object's history was not captured whole",
    ),
)
