"""MSMQQueue: [MC-MQAC] 3.11. An open queue: read, purged, watched and closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.mqac.acts import Read
from pipelines.mqac.admin import act_row
from pipelines.mqac.objects import MessageState, QueueInfoState, QueueState
from pipelines.mqac.transactions import unit_of
from pipelines.sessions.model import ReadOutcome
from schemas.vocabulary import MQAC_PEEKS, MQAC_RECEIVES

if TYPE_CHECKING:
    from pipelines.facts.com import Argument
    from pipelines.mqac.handling import Handlers
    from pipelines.mqac.objects import ObjectState
    from pipelines.mqac.steps import MqacStep
    from pipelines.mqac.story import Story

_CLASS: Final = "MSMQQueue"
_BY_LOOKUP: Final = "ByLookupId"
_NOT_IN_TIME: Final = frozenset((v.MQ_ERROR_IO_TIMEOUT, v.MQ_ERROR_MESSAGE_NOT_FOUND))
_MSMQ: Final = 0xC00E
"""Errors of message queuing: COM refuses before, and a queue that never was open by OLE_E_BLANK."""
_NO_SUCH: Final = frozenset((v.MQ_ERROR_IO_TIMEOUT,))
"""By a lookup id there is nothing to wait for: that none is there is an error."""
_AT_FRONT: Final = 0
"""MQMSG_FIRST, which leaves the cursor where it is."""
_CURSOR: Final = {
    "PeekNext": "valid",
    "PeekCurrent": "valid",
    "ReceiveCurrent": "valid",
}


def _read(story: Story, step: MqacStep, state: QueueState) -> ObjectState | None:
    name = step.member.member
    state.is_proven |= not step.failed or (step.code or 0) >> 16 == _MSMQ
    read = Read(slim(step.call) or step.call, step.pair, state, name, name.startswith("Receive"))
    read.lookup_id = lookup_id(step.arguments.get("LookupId"))
    read.doubt = step.doubt
    state.reads[id(read)] = read
    made = None
    if step.succeeded:
        made = _given(story, step, state, read)
    elif step.failed:
        read.at_once = _refused(step)
    elif step.call.given_up:
        read.at_once = ReadOutcome.CANCELLED
    if name in _CURSOR and step.succeeded:
        state.cursor = _CURSOR[name] if made is not None else "end"
    if read.message is None:
        story.decided(read)
    return made


def _given(story: Story, step: MqacStep, state: QueueState, read: Read) -> ObjectState | None:
    """S_OK and no object: no message came in time."""
    message = story.made(step, "MSMQMessage", MessageState, anew=True)
    if message is None:
        if step.gave_nothing:
            read.at_once = ReadOutcome.TIMED_OUT
        else:
            read.doubt = read.doubt or Reason.NOT_DECODED
        return None
    message.read = read
    read.message = message
    read.unit = unit_of(story, step) if read.removes else None
    if read.unit is None:
        read.at_once = ReadOutcome.ACKED if read.removes else ReadOutcome.PEEKED
    else:
        read.unit.reads += 1
        read.unit.takes(step, state.session_uid, state)
    return message


def _refused(step: MqacStep) -> ReadOutcome:
    if step.code == v.MQ_ERROR_OPERATION_CANCELLED:
        # [MC-MQAC] 3.11.4.1.7 gives this number for a message that is not there at once.
        return ReadOutcome.TIMED_OUT if step.number("ReceiveTimeout") == 0 else ReadOutcome.CANCELLED
    absent = _NO_SUCH if _BY_LOOKUP in step.member.member else _NOT_IN_TIME
    return ReadOutcome.TIMED_OUT if step.code in absent else ReadOutcome.FAILED


def lookup_id(one: Argument | None) -> int | None:
    """3.11.4.1.21 takes a VT_UI8, 3.17.4.1.83 tells its digits as text: scripts give back what they got."""
    if one is None:
        return None
    if one.number is not None:
        return one.number & 0xFFFF_FFFF_FFFF_FFFF
    text = one.value or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None


_DIGITS: Final = 19
"""Of a number of 64 bits, at least."""


def _close(story: Story, step: MqacStep, state: QueueState) -> None:
    if step.failed:
        return
    story.released(state.object)
    state.closed = state.closed or slim(step.call)
    state.closed_at = state.closed_at or step.call.until
    state.is_proven = True
    if not step.succeeded:
        state.uncounted = state.uncounted or step.doubt or Reason.RESPONSE_NOT_CAPTURED


def _purge(story: Story, step: MqacStep, state: QueueState) -> None:
    state.is_proven |= step.succeeded
    story.act(act_row(step, "purge", "queue", state.queue, session=state))
    if step.succeeded:
        state.purges += 1
        story.note("purged", state.queue, step.call, state.naming_doubt)
    elif not step.failed:
        state.uncounted = state.uncounted or step.doubt or Reason.RESPONSE_NOT_CAPTURED


def _reset(_: Story, step: MqacStep, state: QueueState) -> None:
    if not step.failed:
        state.cursor = "reset" if step.succeeded else None


def _notify(_: Story, step: MqacStep, state: QueueState) -> None:
    state.is_proven |= step.succeeded
    state.notices += not step.failed
    if not step.failed and step.number("Cursor") != _AT_FRONT and "Cursor" in step.arguments:
        # 3.11.4.1.9: it looks for a message, and takes the cursor along.
        state.cursor = None


def _access(_: Story, step: MqacStep, state: QueueState) -> None:
    if step.succeeded and step.result is not None:
        state.access = step.result.number if state.access is None else state.access


def _share_mode(_: Story, step: MqacStep, state: QueueState) -> None:
    if step.succeeded and step.result is not None:
        state.share_mode = step.result.number if state.share_mode is None else state.share_mode


def _info(story: Story, step: MqacStep, state: QueueState) -> ObjectState | None:
    """3.11.4.1.3: of the queue that this one has open."""
    made = story.made(step, "MSMQQueueInfo", QueueInfoState)
    if made is not None and not made.queue.names:
        made.queue, made.from_server = state.queue, True
    return made


HANDLERS: Final[Handlers] = {
    **{(_CLASS, name, "method"): _read for name in (*MQAC_RECEIVES, *MQAC_PEEKS)},
    (_CLASS, "Close", "method"): _close,
    (_CLASS, "Purge", "method"): _purge,
    (_CLASS, "Reset", "method"): _reset,
    (_CLASS, "EnableNotification", "method"): _notify,
    (_CLASS, "Access", "get"): _access,
    (_CLASS, "ShareMode", "get"): _share_mode,
    (_CLASS, "QueueInfo", "get"): _info,
}
