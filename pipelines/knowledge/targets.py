"""What a call is about: the queue, machine or directory object that it names, or whose session it uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.directory_properties import OBJECT_TYPES
from decoders.msmq.format_names import format_name
from decoders.registry import DSCOMM
from pipelines.facts import vocabulary as v
from pipelines.sessions.naming import queue_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.facts.model import Method
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

_MGMT_MACHINE, _MGMT_QUEUE = 1, 2
_QUEUE: Final = "MQDS_QUEUE"


@dataclass(frozen=True, slots=True)
class Target:
    kind: str | None = None
    """`queue`, `machine` or another."""
    name: str | None = None
    session: Session | None = None


def managed(step: CallStep) -> Target:
    asked = step.request.get("pObjectFormat") or {}
    if asked.get("type") == _MGMT_MACHINE:
        return Target("machine", "machine")
    if asked.get("type") == _MGMT_QUEUE:
        return Target("queue", format_name(asked.get("pQueueFormat") or {}))
    return Target()


def opened(step: CallStep) -> Target:
    session = step.session
    if session is None:
        return Target("queue")
    return Target("queue", queue_of(session)["queue_name"], session)


def created(step: CallStep) -> Target:
    return Target("queue", step.request.get("lpwcsPathName"))


def object_of(step: CallStep) -> Target:
    return Target("queue", format_name((step.request.get("pObjectFormat") or {}).get("pQueueFormat") or {}))


def in_directory(step: CallStep) -> Target:
    asked = step.request
    kind = OBJECT_TYPES.get(asked.get("dwObjectType", 0))
    name = asked.get("pwcsPathName") or asked.get("pGuid")
    return Target("queue" if kind == _QUEUE else kind, name)


def machine_in_directory(step: CallStep) -> Target:
    return Target("MQDS_MACHINE", step.request.get("pwcsPathName"))


def by_format(step: CallStep) -> Target:
    return Target("queue", format_name(step.request.get("pQueueFormat") or {}))


def named_queue(step: CallStep) -> str | None:
    """The queue that the call itself names."""
    find = _NAMING.get(step.call.method)
    target = find(step) if find is not None else None
    return target.name if target is not None and target.kind == "queue" else None


_NAMING: Final[dict[Method, Callable[[CallStep], Target]]] = {
    **dict.fromkeys((v.ACTION, v.GET_INFO), managed),
    v.CREATE_OBJECT: created,
    **dict.fromkeys(v.ON_PRIVATE_QUEUE, object_of),
    **dict.fromkeys((*v.SUPPORTED_OPENS, *v.REMOTE_OPENS, v.QM_SEND), by_format),
    **dict.fromkeys(
        ((DSCOMM.name, f"S_DS{verb}") for verb in ("CreateObject", "DeleteObject", "SetProps", "GetProps")),
        in_directory,
    ),
}
