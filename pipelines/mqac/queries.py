"""MSMQQuery and MSMQQueueInfos: [MC-MQAC] 3.13, 3.14. The directory is asked for public queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.model import slim
from pipelines.mqac.admin import act_row
from pipelines.mqac.objects import QueueInfosState, QueueInfoState

if TYPE_CHECKING:
    from pipelines.mqac.handling import Handlers
    from pipelines.mqac.objects import ObjectState
    from pipelines.mqac.steps import MqacStep
    from pipelines.mqac.story import Story

_INFOS: Final = "MSMQQueueInfos"


def _lookup(story: Story, step: MqacStep, _: ObjectState) -> ObjectState | None:
    asked = ", ".join(f"{name} {one.value}" for name, one in step.arguments.items() if one.value)
    story.act(act_row(step, "query", "queue", None, detail=asked or None))
    made = story.made(step, _INFOS, QueueInfosState)
    if made is not None:
        made.asked = slim(step.call)
    return made


def _next(story: Story, step: MqacStep, state: QueueInfosState) -> ObjectState | None:
    """3.14.4.1.2: behind the last one comes a null pointer."""
    made = story.made(step, "MSMQQueueInfo", QueueInfoState)
    if made is not None:
        made.from_server = True
        state.given += 1
    elif step.succeeded and step.answer_hidden is None:
        state.at_end = True
    return made


def _reset(_: Story, step: MqacStep, state: QueueInfosState) -> None:
    if step.succeeded:
        state.at_end = False


HANDLERS: Final[Handlers] = {
    ("MSMQQuery", "LookupQueue", "method"): _lookup,
    (_INFOS, "Next", "method"): _next,
    (_INFOS, "Reset", "method"): _reset,
}
