"""MSMQDestination: [MC-MQAC] 3.12. One or many queues to send to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.model import slim
from pipelines.mqac.naming import answered, fill, known, named_anew

if TYPE_CHECKING:
    from pipelines.mqac.handling import Handlers
    from pipelines.mqac.objects import DestinationState
    from pipelines.mqac.steps import MqacStep
    from pipelines.mqac.story import Story

_CLASS: Final = "MSMQDestination"
_NAMES: Final = {"PathName": "path", "FormatName": "format", "ADsPath": "other"}


def _put_name(_: Story, step: MqacStep, state: DestinationState) -> None:
    """3.12.4.1.7, .9, .11: an open one is opened again."""
    if step.failed:
        # It may have been closed before it could not be opened.
        state.is_open, state.tried = state.is_open and None, state.tried | {step.member.member}
    else:
        value = next((known(step, name) for name in step.arguments), None)
        state.queue, state.named = named_anew(step, _NAMES[step.member.member], value), True


def _get_name(_: Story, step: MqacStep, state: DestinationState) -> None:
    found = answered(step)
    if step.succeeded and found is not None and found.text:
        state.queue = fill(step, state, state.queue, _NAMES[step.member.member], found)


def _open(_: Story, step: MqacStep, state: DestinationState) -> None:
    if step.succeeded:
        state.opened, state.is_open = slim(step.call), True
    elif not step.failed:
        state.is_open = None


def _close(_: Story, step: MqacStep, state: DestinationState) -> None:
    if not step.failed:
        state.is_open = False if step.succeeded else None


HANDLERS: Final[Handlers] = {
    **{(_CLASS, name, "put"): _put_name for name in _NAMES},
    **{(_CLASS, name, "get"): _get_name for name in _NAMES},
    (_CLASS, "Open", "method"): _open,
    (_CLASS, "Close", "method"): _close,
}
