"""What clients of a supporting server do wrong, and the server itself, rule by rule: [MS-MQMP]."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from tests.conforming.casts import MQMP
from tests.conforming.occasions import NOBODY, ODD_STATUS, succeeded, use
from tests.conforming.planting import Breach, Draft, answered, changed

if TYPE_CHECKING:
    from tests.conforming.transport import Call, Reply, Values

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
WHEREABOUTS, REMOTE = "R_QMGetTmWhereabouts", "R_QMOpenRemoteQueue"


def _is_done(call: Call, *operations: str) -> bool:
    return call.operation in operations and call.reply is not None and succeeded(call, call.reply)


def _use_closed(call: Call) -> tuple[str, Values] | None:
    values = {"hQueue": call.values.get("phQueue", ""), "dwFormatNameRPCBufferLen": 200}
    return (NAME, values) if _is_done(call, CLOSE) else None


def _decide_again(call: Call) -> tuple[str, Values] | None:
    return (ABORT, call.values) if _is_done(call, COMMIT, ABORT) else None


def _used_cursor_again(call: Call) -> tuple[str, Values] | None:
    before = [one for one in use(call, RECEIVE) if one.values.get("Cursor") == call.values.get("hCursor")]
    return (RECEIVE, {**before[-1].values, "RequestTimeout": 0}) if _is_done(call, CLOSE_CURSOR) and before else None


def _uow_again(call: Call) -> tuple[str, Values] | None:
    return (ENLIST, {"transaction": call.values["transaction"]}) if _is_done(call, ENLIST) else None


def _not_zeroed(call: Call, reply: Reply) -> Reply | None:
    if call.operation != CLOSE or reply.get("status") != 0:
        return None
    return {**reply, "phQueue": call.values["phQueue"]}


def _second_open(draft: Draft) -> bool:
    return any(
        one.operation == OPEN and one.connection.association is draft.connection.association
        for one in draft.server.world.history
    )


def _found(_: Call, reply: Reply) -> bool:
    return "message" in reply


_breach = partial(Breach, cast=MQMP)

SUPPORTING: Final = (
    _breach("mqmp-open-mode", ask=changed(OPEN, values={"dwDesiredAccess": 7})),
    _breach("mqmp-client-id", ask=changed(OPEN, values={"pLicGuid": NOBODY})),
    _breach(
        "mqmp-client-id-constant",
        ask=changed(OPEN, values={"pLicGuid": "99999999-2222-3333-4444-555555555555"}, where=_second_open),
    ),
    _breach("mqmp-open-values", ask=changed(OPEN, values={"dwpRemoteContext": 77})),
    _breach("mqmp-object-type", ask=changed(CREATE, values={"dwObjectType": 2})),
    _breach("mqmp-object-name", ask=changed(DELETE, GET, SET, values={"queue": '"MULTICAST=234.1.1.1:80"'})),
    _breach("mqmp-private-path", ask=changed(CREATE, values={"lpwcsPathName": '"srv0\\\\orders"'})),
    _breach("mqmp-properties-allowed", ask=changed(SET, values={"aProp": "[109]"})),
    _breach("mqmp-query-known", ask=changed(REGISTRY, values={"dwQueryType": 9})),
    _breach("mqmp-format-name-buffer", ask=changed(NAME, values={"pdwLength": 7})),
    _breach("mqmp-transfer-type", ask=changed(SEND, RECEIVE, values={"uTransferType": 2})),
    _breach(
        "mqmp-send-values", ask=changed(SEND, values={"pPriority": 9}), besides=frozenset(("mqmp-bad-arguments-fail",))
    ),
    _breach("mqmp-open-before-use", follow=_use_closed),
    _breach("mqmp-cursor-after-close", follow=_used_cursor_again),
    _breach("mqmp-uow-unique", follow=_uow_again),
    _breach("mqmp-transaction-once", follow=_decide_again),
    _breach("mqmp-registry-answer", answer=answered(REGISTRY, values={"lplpMQISServer": '"!?"'}, where=succeeded)),
    _breach("mqmp-port-answer", answer=answered(PORT, values={"return_value": 2104})),
    _breach("mqmp-receive-values", answer=answered(RECEIVE, values={"pPriority": 9}, where=_found)),
    _breach("mqmp-status-kind", answer=answered(CLOSE, PURGE, values={"status": ODD_STATUS}, where=succeeded)),
    _breach("mqmp-handle-zeroed", answer=_not_zeroed),
    _breach("mqmp-remote-open-values", answer=answered(REMOTE, values={"pdwContext": 77_777}, where=succeeded)),
    _breach(
        "mqmp-cursor-reserved",
        answer=lambda call, _: (
            {"status": "MQ_ERROR_INVALID_HANDLE"}
            if call.operation == CLOSE_CURSOR and call.values["hCursor"] == 11
            else None
        ),
    ),
    _breach(
        "mqmp-buffer-answer",
        answer=answered(NAME, values={"pdwLength": 3}, where=succeeded),
    ),
)
_FIXTURE: Final = "see tests/pipelines/rules/fixtures"
_NOT_FOUND: Final = "planted by hand it was not found yet, or the model does not yet go on from it"
NOT_PLANTED: Final = dict.fromkeys(
    (
        *("mqmp-queue-name", "mqmp-security-values", "mqmp-property-type", "mqmp-property-answer"),
        *("mqmp-error-property-type", "mqmp-opnum-reserved", "mqmp-buffer-lengths", "mqmp-send-security"),
        *("mqmp-direct-not-encrypted", "mqmp-send-kept", "mqmp-cursor-before-use", "mqmp-remote-cursor-set"),
        *("mqmp-closed-refused", "mqmp-enlist-before-use", "mqmp-transaction-refused", "mqmp-transaction-decides"),
        *("mqmp-receive-answer", "mqmp-buffer-too-small-fails", "mqmp-bad-arguments-fail", "mqmp-obsolete"),
        *("mqmp-access-enforced", "mqmp-exclusive-kept", "mqmp-security-asked", "mqmp-purged-gone"),
    ),
    _FIXTURE,
) | dict.fromkeys(
    (
        *("mqmp-handle-kind", "mqmp-access-respected", "mqmp-transaction-ended", "mqmp-handle-closed"),
        *("mqmp-port-query-unrestricted", "mqmp-result-given"),
    ),
    _NOT_FOUND,
)
