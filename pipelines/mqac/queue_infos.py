"""MSMQQueueInfo: [MC-MQAC] 3.10. A queue that is named, created, opened, changed and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.model import slim
from pipelines.mqac.admin import act_row
from pipelines.mqac.naming import answered, fill, known, named_anew, unseen_since_named
from pipelines.mqac.objects import MAX_NAMED, QueueIdentity, QueueInfoState, QueueState

if TYPE_CHECKING:
    from pipelines.mqac.handling import Handlers
    from pipelines.mqac.objects import Known, ObjectState
    from pipelines.mqac.steps import MqacStep
    from pipelines.mqac.story import Story

_CLASS: Final = "MSMQQueueInfo"
_PROPERTIES: Final = (
    *("ServiceTypeGuid", "Label", "PrivLevel", "Journal", "Quota", "BasePriority", "Authenticate", "JournalQuota"),
    "MulticastAddress",
)
"""That a client puts, and Create or Update writes: 3.10.4.1.26, .30."""
_ONLY_SHOWN: Final = ("QueueGuid", "IsTransactional", "CreateTime", "ModifyTime", "IsWorldReadable", "PathNameDNS")


def _put_name(_: Story, step: MqacStep, state: QueueInfoState) -> None:
    """3.10.4.1.7, .9: what was known of the object goes."""
    if step.failed:
        state.tried |= {step.member.member}
        return
    place, value = _NAMES[step.member.member], next((known(step, name) for name in step.arguments), None)
    state.queue, state.named, state.refreshed = named_anew(step, place, value), True, False
    state.created = None


def _get_name(_: Story, step: MqacStep, state: QueueInfoState) -> None:
    found = answered(step)
    if step.succeeded and found is not None and found.text:
        state.queue = fill(step, state, state.queue, _NAMES[step.member.member], found)
        state.shown[step.member.member] = found


def _put(_: Story, step: MqacStep, state: QueueInfoState) -> None:
    value = next((known(step, name) for name in step.arguments), None)
    if not step.failed and value is not None and len(state.put) < MAX_NAMED:
        state.put[step.member.member] = value


def _get(story: Story, step: MqacStep, state: QueueInfoState) -> None:
    found = answered(step)
    if step.succeeded and found is not None:
        state.shown[step.member.member] = found
        state.refreshed = True
        if step.member.member not in state.put:
            story.values.remember(state.queue, step.member.member, found)


def _refresh(story: Story, step: MqacStep, state: QueueInfoState) -> None:
    if step.succeeded:
        state.refreshed = True
        state.put.clear()
    story.act(act_row(step, "query", "queue", state.queue))


def _create(story: Story, step: MqacStep, state: QueueInfoState) -> None:
    told = {**state.put, **{name: one for name in step.arguments if (one := known(step, name)) is not None}}
    _changed(story, step, state, "create", told)
    if step.succeeded:
        state.created, state.refreshed = slim(step.call), True
        story.note("created", state.queue, step.call, unseen_since_named(step, state.queue))


def _update(story: Story, step: MqacStep, state: QueueInfoState) -> None:
    _changed(story, step, state, "set_properties", state.put)
    if step.succeeded:
        story.note("changed", state.queue, step.call, unseen_since_named(step, state.queue))


def _changed(story: Story, step: MqacStep, state: QueueInfoState, action: str, told: dict[str, Known]) -> None:
    doubt = state.unseen or step.pair.within.blind_since(state.first.began)
    changes = story.values.changes(state.queue, told, holds=step.succeeded)
    story.act(act_row(step, action, "queue", state.queue, changes=changes, doubt=doubt))
    if step.succeeded:
        state.put = {}


def _delete(story: Story, step: MqacStep, state: QueueInfoState) -> None:
    story.act(act_row(step, "delete", "queue", state.queue))
    if not step.succeeded:
        return
    story.note("deleted", state.queue, step.call, unseen_since_named(step, state.queue))
    state.deleted = slim(step.call)
    # 3.10.4.1.27: as it was new.
    state.queue, state.named, state.put, state.shown = QueueIdentity(), False, {}, {}
    state.created, state.refreshed, state.from_server, state.tried = None, False, False, frozenset()


def _open(story: Story, step: MqacStep, state: QueueInfoState) -> ObjectState | None:
    queue = story.made(step, "MSMQQueue", QueueState, anew=True)
    if queue is None:
        return None
    opened = slim(step.call) or step.call
    queue.queue, queue.opened, queue.naming_doubt = state.queue, opened, unseen_since_named(step, state.queue)
    if not state.queue.names:
        queue.naming_doubt = state.unseen or step.pair.within.blind_since(state.first.began)
    queue.access, queue.share_mode = step.number("Access"), step.number("ShareMode")
    queue.cursor, queue.unseen = "unread", queue.unseen or step.doubt
    return queue


def _secure(story: Story, step: MqacStep, state: QueueInfoState) -> None:
    put = next((known(step, name) for name in step.arguments), None)
    told = {} if put is None else {"security": put}
    changes = story.values.changes(state.queue, told, holds=step.succeeded)
    story.act(act_row(step, "set_security", "queue", state.queue, changes=changes))
    if step.succeeded:
        story.note("secured", state.queue, step.call, unseen_since_named(step, state.queue))


def _ask_security(story: Story, step: MqacStep, state: QueueInfoState) -> None:
    story.act(act_row(step, "query", "queue", state.queue, changes=story.values.answers("security", answered(step))))


_NAMES: Final = {"PathName": "path", "FormatName": "format", "ADsPath": "other"}
HANDLERS: Final[Handlers] = {
    **{(_CLASS, name, "put"): _put_name for name in ("PathName", "FormatName")},
    **{(_CLASS, name, "get"): _get_name for name in _NAMES},
    **{(_CLASS, name, "put"): _put for name in _PROPERTIES},
    **{(_CLASS, name, "get"): _get for name in (*_PROPERTIES, *_ONLY_SHOWN)},
    (_CLASS, "Security", "put"): _secure,
    (_CLASS, "Security", "get"): _ask_security,
    (_CLASS, "Create", "method"): _create,
    (_CLASS, "Delete", "method"): _delete,
    (_CLASS, "Open", "method"): _open,
    (_CLASS, "Refresh", "method"): _refresh,
    (_CLASS, "Update", "method"): _update,
}
