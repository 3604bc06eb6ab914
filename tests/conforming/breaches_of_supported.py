"""What clients of a supporting server do wrong, rule by rule: [MS-MQMP]."""

from __future__ import annotations

from functools import partial
from typing import Final

from tests.conforming.casts import MQMP
from tests.conforming.occasions import NOBODY
from tests.conforming.planting import Breach, changed
from tests.conforming.supported_occasions import (
    CREATE,
    DELETE,
    GET,
    NAME,
    OPEN,
    RECEIVE,
    REGISTRY,
    SEND,
    SET,
    SET_SECURITY,
    decide_again,
    direct_sender,
    in_ended,
    is_done,
    name_transaction,
    read_untied,
    receive_from_sending,
    second_open,
    uow_again,
    use_closed,
    used_cursor_again,
)

_breach = partial(Breach, cast=MQMP)

SUPPORTED: Final = (
    _breach("mqmp-open-mode", ask=changed(OPEN, values={"dwDesiredAccess": 7})),
    _breach("mqmp-queue-name", ask=changed(OPEN, values={"queue": '"PIGEON:srv0\\private$\\orders"'})),
    _breach("mqmp-client-id", ask=changed(OPEN, values={"pLicGuid": NOBODY})),
    _breach(
        "mqmp-client-id-constant",
        ask=changed(OPEN, values={"pLicGuid": "99999999-2222-3333-4444-555555555555"}, where=second_open),
    ),
    _breach("mqmp-open-values", ask=changed(OPEN, values={"dwpRemoteContext": 77})),
    _breach("mqmp-object-type", ask=changed(CREATE, values={"dwObjectType": 2})),
    _breach("mqmp-object-name", ask=changed(DELETE, GET, SET, values={"queue": '"MULTICAST=234.1.1.1:80"'})),
    _breach("mqmp-private-path", ask=changed(CREATE, values={"lpwcsPathName": '"srv0\\\\orders"'})),
    _breach("mqmp-security-values", ask=changed(SET_SECURITY, values={"descriptor": "null"})),
    _breach("mqmp-properties-allowed", ask=changed(SET, values={"aProp": "[109]"})),
    _breach("mqmp-property-type", ask=changed(SET, values={"aProp": "[105]", "vt": "[VT_UI1]", "apVar": "[24]"})),
    _breach("mqmp-query-known", ask=changed(REGISTRY, values={"dwQueryType": 9})),
    _breach("mqmp-format-name-buffer", ask=changed(NAME, values={"pdwLength": 7})),
    _breach("mqmp-opnum-reserved", follow=lambda call: ("opnum", {"number": 21}) if is_done(call, REGISTRY) else None),
    _breach("mqmp-transfer-type", ask=changed(SEND, RECEIVE, values={"uTransferType": 2})),
    _breach("mqmp-buffer-lengths", ask=changed(RECEIVE, values={"pulDestFormatNameLenProp": 64})),
    _breach("mqmp-send-values", ask=changed(SEND, values={"pPriority": 9})),
    _breach("mqmp-send-security", ask=changed(SEND, values={"pulSenderIDType": 1, "ppSenderID": "null"})),
    _breach(
        "mqmp-direct-not-encrypted",
        ask=changed(SEND, values={"pulPrivLevel": 1, "pulEncryptAlg": 0x6602}, where=direct_sender),
    ),
    _breach("mqmp-open-before-use", follow=use_closed),
    _breach("mqmp-handle-kind", follow=name_transaction),
    _breach("mqmp-access-respected", follow=receive_from_sending),
    _breach("mqmp-handle-closed", omit="supported close"),
    _breach("mqmp-cursor-before-use", ask=changed(RECEIVE, values={"Cursor": 77_777, "Action": "PEEK_CURRENT"})),
    _breach("mqmp-cursor-after-close", follow=used_cursor_again),
    _breach("mqmp-remote-cursor-set", follow=read_untied),
    _breach("mqmp-uow-unique", follow=uow_again),
    _breach("mqmp-enlist-before-use", follow=in_ended(SEND, RECEIVE)),
    _breach("mqmp-transaction-once", follow=decide_again),
    _breach("mqmp-transaction-ended", omit="supported decision"),
)
