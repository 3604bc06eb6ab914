"""What a supporting server does wrong, rule by rule: [MS-MQMP]."""

from __future__ import annotations

from functools import partial
from typing import Final

from tests.conforming.casts import MQMP
from tests.conforming.occasions import ODD_STATUS, besides, succeeded
from tests.conforming.planting import Breach, answered, changed
from tests.conforming.supported_occasions import (
    CLOSE,
    CLOSE_CURSOR,
    GET,
    GET_SECURITY,
    NAME,
    OPEN,
    PORT,
    PURGE,
    RECEIVE,
    REGISTRY,
    REMOTE,
    SEND,
    SET,
    alone_by_identifier,
    alone_with_sent,
    among_the_readers,
    ask_the_old_way,
    decide_again,
    in_ended,
    look_first,
    purge_after_peek,
    receive_more,
    receive_though_peeking,
)
from tests.conforming.supporting_occasions import (
    decided_again,
    found,
    given_after_purge,
    given_again,
    given_though_denied,
    gives_handle,
    not_zeroed,
    refused_with,
    relabelled,
    squeezed,
    told_the_path,
    without_authentication,
)

_DACL_ONLY: Final = "010004800000000000000000000000001400000002001c0001000000000014003f000f00010100000000000100000000"
_breach = partial(Breach, cast=MQMP)

SUPPORTING: Final = (
    _breach("mqmp-registry-answer", answer=answered(REGISTRY, values={"lplpMQISServer": '"!?"'}, where=succeeded)),
    _breach("mqmp-port-answer", answer=answered(PORT, values={"return_value": 2104})),
    _breach("mqmp-port-query-unrestricted", answer=answered(PORT, values={"fault": 5}, where=without_authentication)),
    _breach("mqmp-status-kind", answer=answered(CLOSE, PURGE, values={"status": ODD_STATUS}, where=succeeded)),
    _breach("mqmp-result-given", answer=answered(OPEN, values={"phQueue": "null"}, where=gives_handle)),
    _breach("mqmp-handle-zeroed", answer=not_zeroed),
    _breach(
        "mqmp-closed-refused",
        follow=decide_again,
        answer=decided_again,
        besides=besides("mqmp-transaction-once"),
    ),
    _breach(
        "mqmp-bad-arguments-fail",
        ask=changed(REGISTRY, values={"dwQueryType": 9}),
        answer=answered(REGISTRY, values={"status": 0, "lplpMQISServer": '"?"'}, where=refused_with("MQ_ERROR")),
        besides=besides("mqmp-query-known"),
    ),
    _breach(
        "mqmp-property-answer",
        ask=changed(GET, values={"aProp": "[105]"}),
        answer=answered(GET, values={"vt": "[VT_UI1]", "apVar": "[9]"}, where=succeeded),
    ),
    _breach(
        "mqmp-error-property-type",
        ask=changed(SET, values={"aProp": "[105]", "vt": "[VT_UI1]", "apVar": "[24]"}),
        answer=answered(SET, values={"status": 0}, where=refused_with("MQ_ERROR_PROPERTY")),
        besides=besides("mqmp-property-type"),
    ),
    _breach(
        "mqmp-security-asked",
        ask=changed(GET_SECURITY, values={"RequestedInformation": 1, "nLength": 256}),
        answer=answered(GET_SECURITY, values={"descriptor": _DACL_ONLY}, where=succeeded),
    ),
    _breach("mqmp-buffer-answer", answer=answered(NAME, values={"pdwLength": 3}, where=succeeded)),
    _breach("mqmp-remote-open-values", answer=answered(REMOTE, values={"pdwContext": 77_777}, where=succeeded)),
    _breach(
        "mqmp-cursor-reserved",
        answer=lambda call, _: (
            {"status": "MQ_ERROR_INVALID_HANDLE"}
            if call.operation == CLOSE_CURSOR and call.values["hCursor"] == 11
            else None
        ),
    ),
    _breach("mqmp-obsolete", follow=ask_the_old_way, answer=told_the_path, besides=besides("mqmp-remote-cursor-set")),
    _breach("mqmp-receive-values", answer=answered(RECEIVE, values={"pPriority": 9}, where=found)),
    _breach("mqmp-receive-answer", answer=answered(RECEIVE, values={"pClass": "null"}, where=found)),
    _breach("mqmp-buffer-too-small-fails", answer=squeezed),
    _breach("mqmp-send-kept", answer=relabelled),
    _breach("mqmp-access-enforced", ask=receive_though_peeking, answer=given_though_denied),
    _breach("mqmp-exclusive-kept", lead=alone_by_identifier, ask=among_the_readers, omit="sharing"),
    _breach(
        "mqmp-purged-gone",
        lead=alone_with_sent,
        ask=look_first,
        follow=purge_after_peek,
        omit="supported purge",
        shows=given_after_purge,
    ),
    _breach("mqmp-transaction-decides", follow=receive_more, answer=given_again),
    _breach(
        "mqmp-transaction-refused",
        follow=in_ended(SEND),
        answer=answered(SEND, values={"status": 0}, where=refused_with("MQ_ERROR_TRANSACTION_SEQUENCE")),
        besides=besides("mqmp-enlist-before-use"),
    ),
)
