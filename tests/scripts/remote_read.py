"""What well-behaved peers say over RemoteRead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.scripts import messages
from tests.scripts.constants import ACTIONS
from tests.scripts.identities import LICENCE, TRANSACTION, opaque, or_no_transaction
from tests.scripts.queues import QUEUE_NAMES, queue_of
from tests.scripts.recipes import Recipe, World, fails, plain
from tests.scripts.words import PORTS, handle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.stubs import Flat

_QUEUE: Final = handle("RR")
_MOVE_CONTEXT: Final = 0x7001
_SUBQUEUE: Final = "SUBQUEUE=OS:hq\\private$\\orders;rejected"
_LARGEST: Final = 0x40_0000
"""4 MiB, which no body exceeds."""
_NOTHING: Final = {"pdwArriveTime": 0, "pSequenceId": 0, "pdwNumberOfSections": 0, "ppPacketSections": None}


def _open(given: Flat, _: World) -> Flat:
    version = {"Major": 6, "Minor": 1, "BuildNumber": 7601}
    return {**queue_of(given), "dwAccess": 1, "pClientId": LICENCE, "fNonRoutingServer": 1, **version, **given}


def _open_for_move(given: Flat, world: World) -> Flat:
    return _open({**queue_of(given, _SUBQUEUE), "dwAccess": 4, **given}, world)


def _start(given: Flat, world: World) -> Flat:
    """A lookup identifier asks for that message, and an action that looks one up for a lookup identifier."""
    action = given.get("ulAction", ACTIONS["LOOKUP_RECEIVE_CURRENT" if given.get("LookupId") else "RECEIVE"])
    asked = {
        "phContext": _QUEUE,
        "LookupId": messages.LOOKUP_ID if messages.looks_up(action) else 0,
        "ulAction": action,
        "dwRequestId": world.request_id(given.get("dwRequestId")),
        "dwMaxBodySize": _LARGEST,
        "dwMaxCompoundMessageSize": _LARGEST,
        "@nth": world.starts,
    }
    world.starts += 1
    return {**asked, **given}


def _start_in_transaction(given: Flat, world: World) -> Flat:
    return {**_start(given, world), "pTransactionId": or_no_transaction(given)}


def _started(given: Flat, asked: Flat, world: World) -> Flat:
    sequential = messages.sequential_id(asked["@nth"], asked["ulAction"], asked["LookupId"])
    if fails(given) and not given.keys() & {"message", "ppPacketSections"}:
        return {**asked, **_NOTHING, **given}
    sections = _sections(given, asked, sequential)
    found = {
        "pdwArriveTime": world.seconds - messages.ARRIVED_BEFORE,
        "pSequenceId": sequential,
        "pdwNumberOfSections": len(sections or ()),
    }
    return {**asked, **found, **given, "ppPacketSections": sections}


def _sections(given: Flat, asked: Flat, sequential: int) -> list[Flat] | None:
    if "ppPacketSections" in given:
        return given["ppPacketSections"] and [messages.section(*one) for one in given["ppPacketSections"]]
    wanted = messages.described(given, sequential)
    most = given["cut"] if "cut" in given else asked["dwMaxBodySize"]
    return wanted and messages.sections(wanted.size, wanted.seed, most, wanted.destination)


def _end(given: Flat, world: World) -> Flat:
    return {"phContext": _QUEUE, "dwAck": 2, "dwRequestId": world.last_request_id, **given}


def _cancel(given: Flat, world: World) -> Flat:
    return {"phContext": _QUEUE, "dwRequestId": world.last_request_id, **given}


def _move(given: Flat, _: World) -> Flat:
    moved = {"phContextFrom": _QUEUE, "ullContextTo": _MOVE_CONTEXT, "LookupId": messages.LOOKUP_ID}
    return {**moved, "pTransactionId": or_no_transaction(given), **given}


def _enlist(given: Flat, _: World) -> Flat:
    token = given.get("pbPropagationToken", opaque("token", 60))
    transaction = {"pTransactionId": or_no_transaction(given), "cbPropagationToken": len(token)}
    return {**transaction, "pbPropagationToken": token, **queue_of(given), **given}


def _done(given: Flat, asked: Flat, _: World) -> Flat:
    return {**asked, **given}


_READ: Final = frozenset(("message", "destination", "cut"))
_REJECTED: Final = {"phContext": _QUEUE, "LookupId": messages.LOOKUP_ID, "usClass": 0xC004}

RECIPES: Final[Mapping[str, Recipe]] = {
    "R_GetServerPort": plain({}, {"return_value": PORTS["RemoteRead"]}),
    "R_OpenQueue": Recipe(_open, lambda given, asked, _: {**asked, "pphContext": _QUEUE, **given}, left=QUEUE_NAMES),
    "R_CloseQueue": plain({"pphContext": _QUEUE}, {"pphContext": None}),
    "R_CreateCursor": plain({"phContext": _QUEUE}, {"phCursor": 3}, {"phCursor": 0}),
    "R_CloseCursor": plain({"phContext": _QUEUE, "hCursor": 3}),
    "R_PurgeQueue": plain({"phContext": _QUEUE}),
    "R_StartReceive": Recipe(_start, _started, right=_READ),
    "R_CancelReceive": plain(_cancel),
    "R_EndReceive": plain(_end),
    "R_MoveMessage": Recipe(_move, _done, left=TRANSACTION),
    "R_OpenQueueForMove": Recipe(
        _open_for_move,
        lambda given, asked, _: {**asked, "pMoveContext": _MOVE_CONTEXT, "pphContext": handle("MV"), **given},
        left=QUEUE_NAMES,
    ),
    "R_QMEnlistRemoteTransaction": Recipe(_enlist, _done, left=TRANSACTION | QUEUE_NAMES),
    "R_StartTransactionalReceive": Recipe(_start_in_transaction, _started, left=TRANSACTION, right=_READ),
    "R_SetUserAcknowledgementClass": plain(_REJECTED),
    "R_EndTransactionalReceive": plain(_end),
}
