"""MSMQEvent, its connection point and the client's sink: [MC-MQAC] 3.16."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.model import slim
from pipelines.mqac.objects import ConnectionPointState, EventState, SinkState

if TYPE_CHECKING:
    from pipelines.mqac.handling import Handlers
    from pipelines.mqac.objects import ObjectState
    from pipelines.mqac.steps import MqacStep
    from pipelines.mqac.story import Story

MAX_ADVISED: Final = 64
"""Sinks of one event kept in mind."""


def _find(story: Story, step: MqacStep, state: ObjectState) -> ObjectState | None:
    made = story.made(step, "ConnectionPoint", ConnectionPointState)
    if made is not None and isinstance(state, EventState):
        made.event = state
    return made


def _advise(_: Story, step: MqacStep, state: ConnectionPointState) -> None:
    cookie = step.result.number if step.result is not None else None
    event = state.event
    if not step.succeeded or cookie is None or event is None:
        return
    if len(event.advised) < MAX_ADVISED:
        event.advised[cookie] = slim(step.call) or step.call
    else:
        event.is_crowded = True


def _unadvise(_: Story, step: MqacStep, state: ConnectionPointState) -> None:
    cookie = step.number("dwCookie")
    if step.succeeded and cookie is not None and state.event is not None:
        state.event.advised.pop(cookie, None)


def _fired(_: Story, step: MqacStep, state: ObjectState) -> None:
    if isinstance(state, SinkState) and not step.failed:
        state.fired += 1


HANDLERS: Final[Handlers] = {
    ("MSMQEvent", "FindConnectionPoint", "method"): _find,
    ("ConnectionPoint", "Advise", "method"): _advise,
    ("ConnectionPoint", "Unadvise", "method"): _unadvise,
    **{("MSMQEvent", name, "method"): _fired for name in ("Arrived", "ArrivedError")},
}
