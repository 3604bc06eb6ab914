"""[MS-MQMP], the server: the status it returns, and what a call is made for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.model import BOTH, RESPONSE, Broken, Level, Party, Rule
from pipelines.rules.mqmp.objects import QUEUE
from pipelines.rules.shown import code_shown, hexadecimal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.facts.model import Method
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_FAILURE: Final = 0x8000_0000
_MQ_FACILITY: Final = 0xC00E
_RPC_S_ACCESS_DENIED: Final = 5
_MAY_THROW: Final = (*v.SUPPORTED_OPENS, v.REMOTE_NAME)
_ABOUT_PROPERTIES: Final = 0x400E_0001
_INFORMATION: Final = {
    v.CREATE_OBJECT: (_ABOUT_PROPERTIES, 0x400E_0009),
    v.SET_SECURITY: (0x400E_000B,),
    v.GET_PROPERTIES: (_ABOUT_PROPERTIES, 0x400E_0004, 0x400E_0005),
    v.SET_PROPERTIES: (_ABOUT_PROPERTIES,),
    v.QM_SEND: (_ABOUT_PROPERTIES,),
    v.AC_SEND: (_ABOUT_PROPERTIES,),
    # The last is what the other server answers, where the queue is there and the read was cancelled.
    v.AC_RECEIVE: (_ABOUT_PROPERTIES, 0x400E_0006, v.MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT),
    v.AC_CREATE_CURSOR: (v.MQ_INFORMATION_REMOTE_OPERATION,),
}
"""What the notes list beside failures."""
_NIL: Final = "00000000-0000-0000-0000-000000000000"
_FORMATS_TOLD: Final = (2, 3)
"""m_qft of private and direct names."""
_HANDLES: Final = {v.CLOSE_REMOTE: "pphContext", v.COMMIT: "phIntXact", v.ABORT: "phIntXact", v.AC_CLOSE: "phQueue"}


def _status_kind(step: CallStep) -> Answer:
    fault, status = step.call.fault, step.call.status
    operation = step.call.method
    if fault is not None:
        if fault >> 16 != _MQ_FACILITY or fault == v.MQ_ERROR_ILLEGAL_OPERATION or operation in _MAY_THROW:
            return None
        return Broken({"fault": code_shown(fault)})
    if status is None:
        return None
    known = (v.MQ_OK, _RPC_S_ACCESS_DENIED, *_INFORMATION.get(operation, ()))
    return bool(status & _FAILURE) or status in known or Broken({"return_value": code_shown(status)})


def _given(name: str) -> Callable[[CallStep], Answer]:
    return lambda step: step.response.get(name) is not None or Broken({name: "null"})


def _queue_opened(step: CallStep) -> Answer:
    handle, path = step.response.get("phQueue"), step.response.get("lplpRemoteQueueName")
    if handle is not None:
        # A name that the request brought may come back.
        told = path is not None and step.request.get("lplpRemoteQueueName") is None
        return Broken({"phQueue": handle, "lplpRemoteQueueName": path}) if told else True
    access, remote = step.request.get("dwDesiredAccess", 0), step.request.get("hRemoteQueue", 0)
    if path is not None and not remote and access != v.SEND_ACCESS:
        return True
    return Broken({"phQueue": "null", "lplpRemoteQueueName": path or "null", "hRemoteQueue": hexadecimal(remote)})


def _format_told(step: CallStep) -> Answer:
    found = step.response.get("pObjectFormat") or {}
    kind = (found.get("pQueueFormat") or {}).get("m_qft")
    if found.get("ObjType") == QUEUE and kind in _FORMATS_TOLD:
        return True
    return Broken({"ObjType": found.get("ObjType"), "m_qft": "none" if kind is None else kind})


def _message_sent(step: CallStep) -> Answer:
    if step.request.get("pMessageID") is None:
        return None
    told = (step.response.get("pMessageID") or {}).get("Lineage", _NIL)
    return told != _NIL or Broken({"pMessageID": told})


_RESULTS: Final[dict[Method, Callable[[CallStep], Answer]]] = {
    v.REMOTE_NAME: _given("lplpRemoteQueueName"),
    v.OPEN_REMOTE: _given("pphContext"),
    v.ENLIST_INTERNAL: _given("phIntXact"),
    v.PATH_TO_FORMAT: _format_told,
    v.QM_OPEN: _queue_opened,
    v.QM_SEND: _message_sent,
    v.AC_SEND: _message_sent,
}


def _result_given(step: CallStep) -> Answer:
    return _RESULTS[step.call.method](step) if step.succeeded else None


def _handle_zeroed(step: CallStep) -> Answer:
    operation = step.call.method
    # A remote open that the server does not know is left as it is.
    if not step.succeeded or (operation == v.CLOSE_REMOTE and (step.session is None or step.session.opened is None)):
        return None
    handle = step.response.get(_HANDLES[operation])
    return handle is None or Broken({_HANDLES[operation]: handle})


_server = partial(Rule, document="MS-MQMP", keyword="MUST", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqmp-status-kind",
        "A method returned neither MQ_OK nor a failure, or threw what it must return",
        section="3.1.4.1, 3.1.4.2, 3.1.4.4, 3.1.4.5, 3.1.4.6, 3.1.4.7, 3.1.4.8, 3.1.4.9, 3.1.4.10, 3.1.4.11, 3.1.4.12, "
        "3.1.4.13, 3.1.4.14, 3.1.4.15, 3.1.4.16, 3.1.4.17, 3.1.4.18, 3.1.4.19, 3.1.4.20, 3.1.4.21, 3.1.4.22, 3.1.4.23, "
        "3.1.5.1, 3.1.5.2, 3.1.5.3, 3.1.5.4",
        requirement="A method returns MQ_OK, a failure HRESULT, or 5 for access denied; some also return what tells of "
        "properties, owners, sizes and remote cursors, as the notes list it. Only opens throw errors of message "
        "queuing, and obsolete methods MQ_ERROR_ILLEGAL_OPERATION (note <11>, note <55>).",
        level=Level.MEDIUM,
        operations=(*v.SUPPORTED_RETURNING, v.CLOSE_REMOTE),
        needs=RESPONSE,
        check=_status_kind,
    ),
    _server(
        "mqmp-result-given",
        "A call succeeded without what it is for",
        section="3.1.4.1, 3.1.4.2, 3.1.4.11, 3.1.4.14, 3.1.4.17, 3.1.5.2",
        requirement="With MQ_OK an open gives a handle, or the path of a queue that lies elsewhere; an enlistment its "
        "handle, a path its private or direct format name, a send the identifier of the message if it was asked for.",
        level=Level.MEDIUM,
        operations=tuple(_RESULTS),
        needs=BOTH,
        check=_result_given,
    ),
    _server(
        "mqmp-handle-zeroed",
        "A handle that was closed or ended came back",
        section="3.1.4.3, 3.1.4.15, 3.1.4.16, 3.1.4.18",
        requirement="The close of a queue and the end of a transaction return a null handle.",
        level=Level.LOW,
        operations=tuple(_HANDLES),
        needs=RESPONSE,
        check=_handle_zeroed,
    ),
)
