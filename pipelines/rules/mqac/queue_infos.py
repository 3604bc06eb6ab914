"""[MC-MQAC] 3.10: queue objects: which queue they stand for, and what is done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken, Level
from pipelines.rules.mqac.demands import (
    MQ_ERROR_ILLEGAL_PROPERTY_VALUE,
    Demand,
    doubt,
    of_client,
    of_server,
    refused,
)
from pipelines.rules.mqac.queue_names import (
    deleted,
    format_put,
    info_of,
    names_no_queue,
    not_public,
    of_many,
    of_private,
    unnamed,
    without_path,
)
from pipelines.rules.mqac.values import same_name
from pipelines.rules.object_members import answered, asked, gets, methods, puts

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_INFO: Final = "MSMQQueueInfo"
_CREATE: Final = methods(_INFO, "Create")
_OPEN: Final = methods(_INFO, "Open")
_CHANGES: Final = methods(_INFO, "Refresh", "Update", "Delete")
_DIRECTORY_NAMES: Final = gets(_INFO, "PathNameDNS", "ADsPath")
_REFRESHING: Final = (
    *gets(
        _INFO,
        "QueueGuid",
        "ServiceTypeGuid",
        "Label",
        "PathName",
        "IsTransactional",
        "PrivLevel",
        "Journal",
        "Quota",
        "BasePriority",
        "CreateTime",
        "ModifyTime",
        "Authenticate",
        "JournalQuota",
        "MulticastAddress",
    ),
    *_DIRECTORY_NAMES,
)
_PRIORITY: Final = puts(_INFO, "BasePriority")
_SEND: Final = 2
_PRIORITIES: Final = range(-0x8000, 0x8000)


def _many_not_to_send(step: MqacStep) -> bool | Reason:
    return step.number("Access") not in (None, _SEND) and of_many(step)


def _send_alone(step: MqacStep) -> bool:
    return step.number("Access") == _SEND and step.number("ShareMode") not in (None, 0)


def _beyond(step: MqacStep) -> bool:
    number = step.number("lBasePriority")
    return number is not None and number not in _PRIORITIES


_UNNAMED: Final = Demand(unnamed)
_DELETED: Final = Demand(deleted)
_NO_PATH: Final = Demand(without_path)
_MANY_REFUSED: Final = Demand(of_many)
_SENT_ALONE: Final = Demand(_send_alone)
_MANY_READ: Final = Demand(_many_not_to_send)
_NO_QUEUE: Final = Demand(names_no_queue)
_PRIVATE: Final = Demand(of_private)
_RANGE: Final = Demand(_beyond, (MQ_ERROR_ILLEGAL_PROPERTY_VALUE,))
_NOT_PUBLIC: Final = Demand(not_public, (MQ_ERROR_ILLEGAL_PROPERTY_VALUE,))
_OF_QUEUES: Final = (_NO_QUEUE, _UNNAMED, _DELETED, _SENT_ALONE, _MANY_READ, _MANY_REFUSED)
_TOLD: Final = (_UNNAMED, _DELETED, _MANY_REFUSED, _PRIVATE)


def _first(lacking: Callable[[MqacStep], bool | Reason], *names: str) -> Callable[[MqacStep], Answer]:
    """A client does before what it must have done before: it puts one of these names, also where that is refused."""

    def check(step: MqacStep) -> Answer:
        found = lacking(step)
        if found is False:
            return True if info_of(step) is not None and step.state.born else None
        info = info_of(step)
        if info is None or not info.tried.isdisjoint(names):
            return None
        if step.succeeded:
            return Reason.OPEN_NOT_SEEN
        return found if isinstance(found, Reason) else Broken(answered(step))

    return check


def _lacks_name(step: MqacStep) -> bool | Reason:
    return unnamed(step) or deleted(step)


def _name_kept(step: MqacStep) -> Answer:
    put = format_put(step)
    if put is None or not step.succeeded:
        return None
    told = step.result.value if step.result else None
    if same_name(told, put):
        return True
    return doubt(step) or Broken({**asked(step), "put": put, "told": told})


def _name_cleared(step: MqacStep) -> Answer:
    """Only where nothing came between: any other call may have looked the name up."""
    info = info_of(step)
    if info is None or info.queue.path is None or not step.succeeded or info.queue.path.at != info.last:
        return None
    told_before = info.shown.get("PathName")
    if told_before is not None and told_before.call_uid == info.queue.path.call_uid:
        # It was not put: the server looked it up.
        return None
    told = step.result.value if step.result else None
    if not told:
        return True
    return doubt(step) or Broken({**asked(step), "path name put": info.queue.path.text, "told": told})


RULES: Final = (
    of_client(
        "mqac-create-first",
        "A queue was to be created by an object without a path name",
        section="3.10.3",
        requirement="A client puts PathName before Create. Held against it only where the server refuses as well.",
        members=_CREATE,
        check=_first(without_path, "PathName"),
        undecidable_when="the server creates it all the same, or the object's history was not captured whole",
    ),
    of_server(
        "mqac-create-unnamed",
        "A queue was created by an object without a path name",
        section="3.10.4.1.26",
        requirement="Create of an object whose path name is not set fails.",
        members=_CREATE,
        check=refused(_NO_PATH),
        undecidable_when="the object's history was not captured whole",
    ),
    of_client(
        "mqac-queue-named-first",
        "A queue was to be opened or changed by an object that named none",
        section="3.10.3",
        requirement="A client puts PathName or FormatName before Open, Refresh, Update and Delete. Held against it "
        "only where the server refuses as well.",
        members=(*_OPEN, *_CHANGES),
        check=_first(_lacks_name, "PathName", "FormatName"),
        undecidable_when="the server does it all the same, or the object's history was not captured whole",
    ),
    of_server(
        "mqac-unnamed-refused",
        "A queue was opened or changed by an object that named none",
        section="3.10.4.1.27, 3.10.4.1.28, 3.10.4.1.29, 3.10.4.1.30",
        requirement="Open, Refresh, Update and Delete of an object without a name fail.",
        members=(*_OPEN, *_CHANGES),
        check=refused(_UNNAMED, _OF_QUEUES),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-deleted-reset",
        "An object whose queue it had deleted still stood for one",
        section="3.10.4.1.27",
        requirement="After a Delete that succeeds the object is as new: Open, Refresh, Update and Delete fail until "
        "it gets a name.",
        members=(*_OPEN, *_CHANGES),
        check=refused(_DELETED, _OF_QUEUES),
        undecidable_when="the object's history was not captured whole, or the two calls were under way at once",
    ),
    of_server(
        "mqac-refresh-fails",
        "A property was told by a queue object that named no queue",
        section="3.10.4.1.1, 3.10.4.1.2, 3.10.4.1.4, 3.10.4.1.6, 3.10.4.1.10, 3.10.4.1.11, 3.10.4.1.13, 3.10.4.1.15, "
        "3.10.4.1.17, 3.10.4.1.19, 3.10.4.1.20, 3.10.4.1.21, 3.10.4.1.23, 3.10.4.1.31, 3.10.4.1.35, 3.10.4.1.37, "
        "3.10.4.1.39",
        requirement="What an object tells of its queue it reads before by Refresh, which fails where there is no name.",
        members=_REFRESHING,
        check=refused(_UNNAMED, _TOLD),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-elements-refused",
        "Several queues, or one of HTTP or multicast, were changed or described as one",
        section="3.10.4.1.27, 3.10.4.1.29, 3.10.4.1.30, 3.10.4.1.31, 3.10.4.1.39",
        requirement="Delete, Refresh, Update and get PathNameDNS and ADsPath fail where the format name is one of "
        "HTTP or multicast, or has several elements.",
        members=(*_CHANGES, *_DIRECTORY_NAMES),
        check=refused(_MANY_REFUSED, _OF_QUEUES),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-elements-send",
        "Several queues, or one of HTTP or multicast, were opened to read",
        section="3.10.4.1.28",
        requirement="Open fails where the format name is one of HTTP or multicast, or has several elements, and "
        "Access is not MQ_SEND_ACCESS.",
        members=_OPEN,
        check=refused(_MANY_READ, _OF_QUEUES),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-send-shared",
        "A queue was opened to send and closed to others at once",
        section="3.10.4.1.28",
        requirement="Open with MQ_SEND_ACCESS and a ShareMode that is not MQ_DENY_NONE fails.",
        members=_OPEN,
        check=refused(_SENT_ALONE, _OF_QUEUES),
    ),
    of_server(
        "mqac-path-refused",
        "A path name that names no queue was taken",
        section="3.10.4.1.27, 3.10.4.1.28, 3.10.4.1.29, 3.10.4.1.30",
        requirement="Open, Refresh, Update and Delete fail where the path name has no computer, or its public name, "
        "with each slash counted twice, is longer than 63 characters.",
        members=(*_OPEN, *_CHANGES),
        check=refused(_NO_QUEUE, _OF_QUEUES),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-base-priority-range",
        "A base priority beyond 16 bits was taken",
        section="3.10.4.1.18",
        requirement="A base priority is between -32768 and 32767: any other is answered "
        "MQ_ERROR_ILLEGAL_PROPERTY_VALUE.",
        members=_PRIORITY,
        check=refused(_RANGE, (_RANGE, _NOT_PUBLIC)),
    ),
    of_server(
        "mqac-base-priority-public",
        "A base priority was taken for a queue that is not public",
        section="3.10.4.1.18",
        requirement="A base priority is refused with MQ_ERROR_ILLEGAL_PROPERTY_VALUE where the format name does not "
        "begin with PUBLIC=.",
        members=_PRIORITY,
        check=refused(_NOT_PUBLIC, (_RANGE, _NOT_PUBLIC)),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-format-name-kept",
        "A queue object told another format name than was put",
        section="3.10.4.1.8, 3.10.4.1.9",
        requirement="Get FormatName tells the format name that was put last.",
        members=gets(_INFO, "FormatName"),
        check=_name_kept,
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-format-name-cleared",
        "A queue object told a format name right after it got a path name",
        section="3.10.4.1.7, 3.10.4.1.8",
        requirement="A path name that is put clears the format name, until a call needs it.",
        level=Level.INFORMATIONAL,
        members=gets(_INFO, "FormatName"),
        check=_name_cleared,
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-public-only",
        "A name in the directory was told of a private queue",
        section="3.10.4.1.31, 3.10.4.1.39",
        requirement="Get PathNameDNS and ADsPath fail for a private queue.",
        members=_DIRECTORY_NAMES,
        check=refused(_PRIVATE, _TOLD),
        undecidable_when="the object's history was not captured whole",
    ),
)
