"""[MC-MQAC] 3.10.6.1: which queue an object of MSMQQueueInfo stands for, as far as it was put into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pipelines.mqac.objects import QueueInfoState
from pipelines.rules.mqac.demands import known

if TYPE_CHECKING:
    from pipelines.facts.reasons import Reason
    from pipelines.mqac.steps import MqacStep

_MANY: Final = re.compile(r"(?i)direct=https?:|multicast=|.*,")
"""[MS-MQMQ] 2.1: HTTP, multicast, several elements."""
_PUBLIC: Final = re.compile(r"(?i)public=")
_PRIVATE_FORMAT: Final = re.compile(r"(?i)private=|direct=[a-z]+:[^\\]*\\private\$\\")
_PRIVATE_PATH: Final = re.compile(r"(?i)[^\\]+\\private\$\\.")
_MAX_PUBLIC_NAME: Final = 63


def info_of(step: MqacStep) -> QueueInfoState | None:
    return step.state if isinstance(step.state, QueueInfoState) else None


def unnamed(step: MqacStep) -> bool | Reason:
    """No name was put since it was made."""
    info = info_of(step)
    if info is None or info.from_server or info.deleted is not None:
        return False
    return known(step, not info.named)


def deleted(step: MqacStep) -> bool | Reason:
    """Its queue was deleted by it, and it got no name since."""
    info = info_of(step)
    if info is None or info.deleted is None or info.named:
        return False
    return known(step, holds=True, after=info.deleted)


def without_path(step: MqacStep) -> bool | Reason:
    info = info_of(step)
    if info is None or info.from_server or info.queue.doubt is not None:
        return False
    return known(step, info.queue.path is None or not info.queue.path.text)


def format_put(step: MqacStep) -> str | None:
    """The format name that was put, and holds."""
    info = info_of(step)
    if info is None or info.from_server or info.queue.doubt is not None or info.queue.path is not None:
        return None
    return info.queue.format.text if info.queue.format is not None else None


def path_put(step: MqacStep) -> str | None:
    """The path name that was put, and holds."""
    info = info_of(step)
    if info is None or info.from_server or info.queue.doubt is not None or info.queue.path is None:
        return None
    return info.queue.path.text


def of_many(step: MqacStep) -> bool | Reason:
    return known(step, bool(_MANY.match(format_put(step) or "")))


def names_no_queue(step: MqacStep) -> bool | Reason:
    """3.10.6.1, of a path name that nothing has been translated to a format name."""
    path = path_put(step)
    if not path or (info := info_of(step)) is None or info.queue.format is not None:
        return False
    computer, slash, rest = path.partition("\\")
    if not slash or not computer:
        return known(step, holds=True)
    name = rest.partition(";")[0]
    is_public = "\\" not in rest
    return known(step, is_public and len(name) + name.count("/") > _MAX_PUBLIC_NAME)


def of_private(step: MqacStep) -> bool | Reason:
    path, name = path_put(step) or "", format_put(step) or ""
    return known(step, bool(_PRIVATE_PATH.match(path) or _PRIVATE_FORMAT.match(name)))


def not_public(step: MqacStep) -> bool | Reason:
    """Of one with a path name alone nobody knows whether the server has found its format name."""
    name = format_put(step)
    if name is not None:
        return known(step, not _PUBLIC.match(name))
    return unnamed(step)
