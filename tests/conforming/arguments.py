"""What a supporting server refuses before anything else: the first step of each method of [MS-MQMP] 3.1.4 and 3.1.5."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoders.msmq.variants import vt_number
from tests.scripts.object_properties import OBJECT_PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.conforming.transport import Reply, Values

    Finding = Callable[[Values], str]

_RECEIVE, _SEND, _PEEK, _ADMIN = 0x01, 0x02, 0x20, 0x80
_ACCESSES: Final = (_RECEIVE, _SEND, _PEEK, _RECEIVE | _ADMIN, _PEEK | _ADMIN)
_PROTOCOLS: Final = ("TCP:", "OS:", "IPX:", "SPX:", "HTTP://", "HTTPS://")
_PRIVATE_PATH: Final = re.compile(r"[^\\]+\\private\$\\[^\\]+")
_SECURITY: Final = 0x0F
_SETTABLE: Final = (102, *range(104, 109), 111, 112, 125)
"""3.1.1.12."""
_READABLE: Final = (*range(101, 114), 124, 125, 126)
_CACTB_SEND, _CACTB_RECEIVE = 0, 1
_ACTIONS: Final = ("RECEIVE", "PEEK_CURRENT", "PEEK_NEXT")
_INVALID: Final = "MQ_ERROR_INVALID_PARAMETER"
_PROPERTY: Final = "MQ_ERROR_PROPERTY"


def refused(operation: str, values: Values) -> Reply | None:
    """A failure, if an argument violates a constraint of the method."""
    found = _FINDINGS[operation](values) if operation in _FINDINGS else ""
    return {"status": found} if found else None


def _open(values: Values) -> str:
    access, name = int(values["dwDesiredAccess"]), str(values["queue"]).strip('"').upper()
    if access not in _ACCESSES or (values["dwShareMode"] and access == _SEND):
        return "MQ_ERROR_UNSUPPORTED_ACCESS_MODE"
    return "" if "=" in name or name.startswith(_PROTOCOLS) else "MQ_ERROR_ILLEGAL_FORMATNAME"


def _create(values: Values) -> str:
    is_queue = values.get("dwObjectType", 1) == 1
    fits = is_queue and _PRIVATE_PATH.fullmatch(str(values["lpwcsPathName"]).strip('"'))
    return "" if fits else "MQ_ERROR_ILLEGAL_QUEUE_PATHNAME"


def _set_security(values: Values) -> str:
    if values.get("descriptor") == "null":
        return "MQ_ERROR_ILLEGAL_SECURITY_DESCRIPTOR"
    return _INVALID if int(values["SecurityInformation"]) & ~_SECURITY else ""


def _numbers(listed: object) -> list[str]:
    return [one.strip() for one in str(listed).strip("[]").split(",")]


def _properties(known: tuple[int, ...]) -> Finding:
    """Of each the identifier, and the type where one is told."""

    def find(values: Values) -> str:
        named = [int(one) for one in _numbers(values["aProp"])]
        if not set(named) <= set(known):
            return _PROPERTY
        types = [vt_number(one) for one in _numbers(values["vt"])] if "vt" in values else []
        fits = all(OBJECT_PROPERTIES[one].vt == told for one, told in zip(named, types, strict=False))
        return "" if fits else _PROPERTY

    return find


def _format_name(values: Values) -> str:
    room = values["dwFormatNameRPCBufferLen"]
    return "" if values.get("pdwLength", room) == room else _INVALID


def _send(values: Values) -> str:
    priority = values.get("pPriority", 0)
    fits = values.get("uTransferType", _CACTB_SEND) == _CACTB_SEND
    return "" if fits and (priority == "null" or int(priority) in range(8)) else _INVALID


def _receive(values: Values) -> str:
    fits = values.get("uTransferType", _CACTB_RECEIVE) == _CACTB_RECEIVE
    return "" if fits and values["Action"] in _ACTIONS else _INVALID


_FINDINGS: Final[Mapping[str, Finding]] = {
    "rpc_QMOpenQueueInternal": _open,
    "R_QMCreateObjectInternal": _create,
    "R_QMSetObjectSecurityInternal": _set_security,
    "R_QMSetObjectProperties": _properties(_SETTABLE),
    "R_QMGetObjectProperties": _properties(_READABLE),
    "rpc_ACHandleToFormatName": _format_name,
    "rpc_ACSendMessageEx": _send,
    "rpc_ACReceiveMessageEx": _receive,
}
