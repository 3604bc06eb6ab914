"""What well-behaved peers say over qmcomm: opening queues, cursors and transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.scripts import private_queues
from tests.scripts.identities import APPLICATION, LICENCE, TRANSACTION, opaque, or_no_transaction
from tests.scripts.queues import ORDERS, QUEUE_NAMES, queue_of
from tests.scripts.recipes import Recipe, World, fails, plain
from tests.scripts.words import PORTS, handle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.stubs import Flat

NO_MESSAGE: Final = dict.fromkeys(("pAdminQueueFormat", "pResponseQueueFormat", "ppMessageID", "pUow", "ppXactID"))
"""Pointers to structures of a CACTransferBuffer, which are built unless they are null."""
_CREATE_CURSOR: Final = 2
_QUEUE: Final = handle("Q")
_BUFFER: Final = 128
_WHEREABOUTS: Final = opaque("whereabouts", 48)
_REGISTRY: Final = {0: "DC1", 1: "345600", 2: handle("forest"), 3: "6.1.7601", 4: LICENCE}
"""By dwQueryType: [MS-MQMP] 3.1.4.23."""
_SERVED: Final = {0: PORTS["qmcomm"], 1: PORTS["qm2qm"], 2: PORTS["qmcomm"], 3: PORTS["qm2qm"]}
"""By fIP: [MS-MQMP] 3.1.4.24."""


def _open_remote(given: Flat, _: World) -> Flat:
    opening = {"dwDesiredAccess": 1, "pLicGuid": APPLICATION, "dwMQS": 0x300}
    return {**queue_of(given), **opening, **given}


def _remote_opened(given: Flat, asked: Flat, _: World) -> Flat:
    number = 0 if fails(given) else given.get("phQueue", 7)
    context = None if fails(given) else handle("P")
    return {**asked, "pphContext": context, **dict.fromkeys(("pdwContext", "dwpQueue", "phQueue"), number), **given}


def _open(given: Flat, _: World) -> Flat:
    remote = given.get("hRemoteQueue", 0)
    opening = {"dwDesiredAccess": 1, "pLicGuid": APPLICATION, "lpClientName": "BRANCH7", "lplpRemoteQueueName": None}
    return {**queue_of(given), **opening, "dwpQueue": remote, "dwpRemoteContext": remote, **given}


def _opened(given: Flat, asked: Flat, _: World) -> Flat:
    """[MS-MQMP] 3.1.4.17: who is told a name is told no handle."""
    is_here = not fails(given) and given.get("lplpRemoteQueueName") is None
    found = {"pdwQMContext": 5, "phQueue": _QUEUE} if is_here else {"pdwQMContext": 0, "phQueue": None}
    return {**asked, "lplpRemoteQueueName": None, **found, **given}


def _create_remote_cursor(given: Flat, _: World) -> Flat:
    return {**NO_MESSAGE, "uTransferType": _CREATE_CURSOR, "hQueue": 7, **given}


def _format_name(given: Flat, _: World) -> Flat:
    room = given.get("dwFormatNameRPCBufferLen", _BUFFER)
    return {"hQueue": _QUEUE, "dwFormatNameRPCBufferLen": room, "lpwcsFormatName": "", "pdwLength": room, **given}


def _format_named(given: Flat, asked: Flat, _: World) -> Flat:
    name = given.get("lpwcsFormatName", "" if fails(given) else f"DIRECT={ORDERS}")
    return {**asked, "lpwcsFormatName": name, "pdwLength": len(name or "") + 1, **given}


def _whereabouts(given: Flat, asked: Flat, _: World) -> Flat:
    found = b"" if fails(given) else _WHEREABOUTS
    octets = given.get("pbWhereabouts", found).ljust(asked["cbBufSize"], b"\0")
    return {**asked, "pcbWhereabouts": len(found), **given, "pbWhereabouts": octets}


def _enlist(given: Flat, _: World) -> Flat:
    cookie = given.get("pbCookie", opaque("cookie", 40))
    return {"pUow": or_no_transaction(given), "cbCookie": len(cookie), "pbCookie": cookie, **given}


def _registry(given: Flat, asked: Flat, _: World) -> Flat:
    text = None if fails(given) else _REGISTRY.get(asked["dwQueryType"], "")
    return {**asked, "lplpMQISServer": text, **given}


_ENDS_TRANSACTION: Final = plain({"phIntXact": handle("X")}, {"phIntXact": None})

RECIPES: Final[Mapping[str, Recipe]] = {
    "R_QMGetRemoteQueueName": plain(
        {"pQueue": 5, "lplpRemoteQueueName": None},
        {"lplpRemoteQueueName": "hq\\private$\\orders"},
        {"lplpRemoteQueueName": None},
    ),
    "R_QMOpenRemoteQueue": Recipe(_open_remote, _remote_opened, left=QUEUE_NAMES),
    "R_QMCloseRemoteQueueContext": plain({"pphContext": handle("P")}, {"pphContext": None}),
    "R_QMCreateRemoteCursor": plain(_create_remote_cursor, {"phCursor": 3}, {"phCursor": 0}),
    **private_queues.RECIPES,
    "R_QMGetTmWhereabouts": Recipe(lambda given, _: {"cbBufSize": 64, **given}, _whereabouts),
    "R_QMEnlistTransaction": Recipe(_enlist, lambda given, asked, _: {**asked, **given}, left=TRANSACTION),
    "R_QMEnlistInternalTransaction": Recipe(
        lambda given, _: {"pUow": or_no_transaction(given), **given},
        lambda given, asked, _: {**asked, "phIntXact": None if fails(given) else handle("X"), **given},
        left=TRANSACTION,
    ),
    "R_QMCommitTransaction": _ENDS_TRANSACTION,
    "R_QMAbortTransaction": _ENDS_TRANSACTION,
    "rpc_QMOpenQueueInternal": Recipe(_open, _opened, left=QUEUE_NAMES),
    "rpc_ACCloseHandle": plain({"phQueue": _QUEUE}, {"phQueue": None}),
    "rpc_ACCloseCursor": plain({"hQueue": _QUEUE, "hCursor": 3}),
    "rpc_ACSetCursorProperties": plain({"hProxy": _QUEUE, "hCursor": 3, "hRemoteCursor": 3}),
    "rpc_ACHandleToFormatName": Recipe(_format_name, _format_named),
    "rpc_ACPurgeQueue": plain({"hQueue": _QUEUE}),
    "R_QMQueryQMRegistryInternal": Recipe(lambda given, _: {"dwQueryType": 3, **given}, _registry),
    "R_QMGetRTQMServerPort": Recipe(
        lambda given, _: {"fIP": 0, **given},
        lambda given, asked, _: {**asked, "return_value": _SERVED.get(asked["fIP"], 0), **given},
    ),
}
