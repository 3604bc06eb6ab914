"""When and how clients can break a sentence of [MS-MQMP], or give a server the occasion to: calls changed, and more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.occasions import succeeded, use
from tests.conforming.queue_manager import PEEK_ACCESS, RECEIVE_ACCESS
from tests.conforming.stage import text
from tests.conforming.supporting_server import LocalHandle, SupportingServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conforming.planting import Draft, Following
    from tests.conforming.transport import Call, Values

OPEN, CLOSE, PURGE, NAME = (
    "rpc_QMOpenQueueInternal",
    "rpc_ACCloseHandle",
    "rpc_ACPurgeQueue",
    "rpc_ACHandleToFormatName",
)
SEND, RECEIVE, CURSOR = "rpc_ACSendMessageEx", "rpc_ACReceiveMessageEx", "rpc_ACCreateCursorEx"
CLOSE_CURSOR, REGISTRY, PORT = "rpc_ACCloseCursor", "R_QMQueryQMRegistryInternal", "R_QMGetRTQMServerPort"
CREATE, LOOK_UP, DELETE = "R_QMCreateObjectInternal", "R_QMObjectPathToObjectFormat", "R_QMDeleteObject"
GET, SET = "R_QMGetObjectProperties", "R_QMSetObjectProperties"
GET_SECURITY, SET_SECURITY = "R_QMGetObjectSecurityInternal", "R_QMSetObjectSecurityInternal"
ENLIST, COMMIT, ABORT = "R_QMEnlistInternalTransaction", "R_QMCommitTransaction", "R_QMAbortTransaction"
REMOTE, REMOTE_NAME = "R_QMOpenRemoteQueue", "R_QMGetRemoteQueueName"
ENOUGH_US: Final = 3_000_000
"""So that nobody can think that two things crossed on the wire."""
_READING: Final = (RECEIVE_ACCESS, PEEK_ACCESS)
_VERSION_ASKED: Final = 3


def is_done(call: Call, *operations: str) -> bool:
    return call.operation in operations and call.reply is not None and succeeded(call, call.reply)


def opened(call: Call) -> Call | None:
    """The open of the queue that the call is about."""
    return next((one for one in reversed(use(call, OPEN)) if one.reply and "phQueue" in one.reply), None)


def opened_with(call: Call, name: str) -> object:
    its = opened(call)
    return None if its is None else its.values[name]


def _without(values: Values, *names: str) -> Values:
    return {name: value for name, value in values.items() if name not in names}


def second_open(draft: Draft) -> bool:
    return any(
        one.operation == OPEN and one.connection.association is draft.connection.association
        for one in draft.server.world.history
    )


def direct_sender(draft: Draft) -> bool:
    handle = draft.connection.association.handles.get(str(draft.values.get("hQueue")))
    return isinstance(handle, LocalHandle) and not handle.truth.asked_for


def receive_though_peeking(draft: Draft) -> Draft | None:
    if draft.operation != RECEIVE:
        return None
    descriptor = draft.server.descriptors.get(int(draft.values["hQMContext"]))
    fits = descriptor is not None and descriptor.access == PEEK_ACCESS and "Cursor" not in draft.values
    return draft.having(Action="RECEIVE") if fits else None


def alone_with_sent(draft: Draft) -> Draft | None:
    """Open a queue to receive what somebody was seen to send, for nobody else."""
    led, service = alone(draft), draft.connection.endpoint.services.get("qmcomm")
    if led is None or not isinstance(service, SupportingServer):
        return None
    queue = service.found(str(draft.values["queue"]).strip('"'))
    return led if queue is not None and any(one.told for one in queue.available()[:1]) else None


def alone(draft: Draft) -> Draft | None:
    """Open a queue with messages to receive, for nobody else, and so that everybody can see it."""
    service = draft.connection.endpoint.services.get("qmcomm")
    if draft.operation != OPEN or not isinstance(service, SupportingServer) or not service.supporting:
        return None
    if draft.values["dwDesiredAccess"] != RECEIVE_ACCESS or draft.connection.security.auth == "privacy":
        return None
    queue = service.found(str(draft.values["queue"]).strip('"'))
    free = queue is not None and not queue.open and not queue.forbidden and queue.available()
    return draft.having(dwShareMode=1) if free else None


def alone_by_identifier(draft: Draft) -> Draft | None:
    """By a name that no other queue can get."""
    led, service = alone(draft), draft.connection.endpoint.services.get("qmcomm")
    if led is None or not isinstance(service, SupportingServer):
        return None
    queue = service.found(str(draft.values["queue"]).strip('"'))
    numbers = [number for number, one in enumerate(draft.server.queues, 1) if one is queue]
    return led.having(queue=text(service.private_name(numbers[0])))


def among_the_readers(draft: Draft) -> Draft | None:
    """Of a queue that somebody else has for himself, by the same name, for a while."""
    if draft.operation != OPEN or draft.values["hRemoteQueue"] or draft.values["dwDesiredAccess"] not in _READING:
        return None
    world = draft.server.world
    leaders = {place.client for place in world.plant.places}
    names = [
        handle.truth.asked_for
        for handle in _handles(draft)
        if handle.descriptor.exclusive and handle.truth.asked_for and handle.truth.client in leaders
        if world.stage.now_us - handle.truth.opened_us > ENOUGH_US
    ]
    return draft.having(queue=text(names[0]), dwDesiredAccess=RECEIVE_ACCESS, dwShareMode=0) if names else None


def _handles(draft: Draft) -> Iterator[LocalHandle]:
    for endpoint in draft.server.endpoints.values():
        for association in endpoint.associations.values():
            yield from (one for one in association.handles.values() if isinstance(one, LocalHandle))


def use_closed(call: Call) -> tuple[str, Values] | None:
    values = {"hQueue": call.values.get("phQueue", ""), "dwFormatNameRPCBufferLen": 200}
    return (NAME, values) if is_done(call, CLOSE) else None


def decide_again(call: Call) -> tuple[str, Values] | None:
    return (ABORT, call.values) if is_done(call, COMMIT, ABORT) else None


def used_cursor_again(call: Call) -> tuple[str, Values] | None:
    before = [one for one in use(call, RECEIVE) if one.values.get("Cursor") == call.values.get("hCursor")]
    if not is_done(call, CLOSE_CURSOR) or not before:
        return None
    return RECEIVE, {**_without(before[-1].values, "transaction"), "RequestTimeout": 0}


def uow_again(call: Call) -> tuple[str, Values] | None:
    return (ENLIST, {"transaction": call.values["transaction"]}) if is_done(call, ENLIST) else None


def in_ended(*operations: str) -> Following:
    """Something more in the transaction that was decided."""

    def follow(call: Call) -> tuple[str, Values] | None:
        before = [one for one in use(call, *operations) if "transaction" in one.values]
        return (before[-1].operation, before[-1].values) if is_done(call, COMMIT, ABORT) and before else None

    return follow


def name_transaction(call: Call) -> tuple[str, Values] | None:
    """As if its handle were a queue's."""
    if not is_done(call, ENLIST) or call.reply is None:
        return None
    return NAME, {"hQueue": call.reply["phIntXact"], "dwFormatNameRPCBufferLen": 200}


def receive_from_sending(call: Call) -> tuple[str, Values] | None:
    its = opened(call)
    if not is_done(call, SEND) or its is None or its.reply is None:
        return None
    values = {"hQMContext": its.reply["pdwQMContext"], "Action": "RECEIVE", "ulBodyBufferSizeInBytes": 9_000}
    return RECEIVE, values


def read_untied(call: Call) -> tuple[str, Values] | None:
    """With a cursor of another server's queue before that is known."""
    its = opened(call)
    if call.operation != CURSOR or its is None or its.reply is None or call.reply is None:
        return None
    if call.reply.get("status") != "MQ_INFORMATION_REMOTE_OPERATION":
        return None
    values = {"hQMContext": its.reply["pdwQMContext"], "Cursor": call.reply["hCursor"], "Action": "PEEK_CURRENT"}
    return RECEIVE, {**values, "ulBodyBufferSizeInBytes": 9_000}


def ask_the_old_way(call: Call) -> tuple[str, Values] | None:
    """A server that has said that it is newer."""
    server = call.connection.endpoint.host
    told = any(
        one.operation == REGISTRY and one.values["dwQueryType"] == _VERSION_ASKED and is_done(one, REGISTRY)
        for one in server.world.history
        if one.connection.endpoint.host is server and one.connection.security.auth != "privacy"
    )
    if not is_done(call, OPEN) or call.reply is None or not told or (server.product.version or (0,)) < (5, 2):
        return None
    return REMOTE_NAME, {"pQueue": call.reply.get("pdwQMContext", 5)}


def look_first(draft: Draft) -> Draft | None:
    """Instead of receiving, in a queue that nobody else reads."""
    if draft.operation != RECEIVE:
        return None
    descriptor = draft.server.descriptors.get(int(draft.values["hQMContext"]))
    fits = descriptor is not None and descriptor.exclusive and descriptor.queue.available()
    values = {**_without(draft.values, "Cursor", "transaction"), "Action": "PEEK_CURRENT"}
    return draft._replace(values=values) if fits else None


def purge_after_peek(call: Call) -> tuple[str, Values] | None:
    """In a queue that nobody else reads."""
    its = opened(call)
    if not is_done(call, RECEIVE) or call.values["Action"] != "PEEK_CURRENT" or its is None or its.reply is None:
        return None
    alone = its.values["dwShareMode"] == 1 and its.values["dwDesiredAccess"] == RECEIVE_ACCESS
    return (PURGE, {"hQueue": its.reply["phQueue"]}) if alone and its.values["hRemoteQueue"] == 0 else None


def was_sent(given: Values) -> bool:
    """A message that the capture shows to be sent: of those that lay there before there may be copies."""
    return "message" in given and "Uniquifier" in given


def receive_more(call: Call) -> tuple[str, Values] | None:
    """After a receive outside transactions."""
    fits = is_done(call, RECEIVE) and call.values["Action"] == "RECEIVE" and "transaction" not in call.values
    if not fits or not was_sent(call.reply or {}) or opened_with(call, "hRemoteQueue") != 0:
        return None
    return RECEIVE, _without(call.values, "Cursor", "RequestTimeout")
