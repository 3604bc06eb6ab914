"""CACTransferBufferV2 with everything in it, whichever way it goes: three opinions about the same bytes."""

from __future__ import annotations

from typing import Any, Final

import pytest

from decoders.interfaces import mqmp
from decoders.ndr.model import Direction, Pointer, Syntax
from tests.second_opinion.stubs import impacket_values
from tests.second_opinion.stubs.corrections import corrected
from tests.second_opinion.stubs.scapy_calls import ENCODINGS, call
from tests.second_opinion.stubs.transfers import transfer, transfer2

G: Final = "00112233-4455-6677-8899-aabbccddeeff"
IDENTIFIER: Final = {"Lineage": G, "Uniquifier": 7}
DIRECT: Final = {
    "m_qft": 3,
    "m_SuffixAndFlags": 0,
    "m_reserved": 0,
    **dict.fromkeys(("m_gPublicID", "m_oPrivateID", "m_gMachineID", "m_GConnectorID", "m_DlID", "m_MulticastID")),
    "m_pDirectID": "OS:a\\private$\\b",
    "m_pDirectSubqueueID": None,
}


def _name(kind: str, text: str) -> dict[str, Any]:
    size = f"ul{kind}FormatNameLen"
    return {size: len(text) + 1, f"pp{kind}FormatName": text, f"p{size}Prop": len(text)}


WAYS: Final[dict[str, dict[str, Any]]] = {
    "Send": {"uTransferType": 0, "Send": {"pAdminQueueFormat": DIRECT, "pResponseQueueFormat": DIRECT}},
    "Receive": {
        "uTransferType": 1,
        "Send": None,
        "Receive": {"RequestTimeout": 1, "Action": 0x80000000, "Asynchronous": 0, "Cursor": 2}
        | _name("Response", "DIRECT=OS:r")
        | _name("Admin", "DIRECT=OS:ad")
        | _name("Dest", "")
        | _name("Ordering", "DIRECT=OS:o"),
    },
    "CreateCursor": {
        "uTransferType": 2,
        "Send": None,
        "CreateCursor": {"hCursor": 1, "srv_hACQueue": 2, "cli_pQMQueue": 3},
    },
}
EVERYTHING: Final[dict[str, Any]] = {
    "pClass": 0x4000,
    "ppMessageID": IDENTIFIER,
    "ppCorrelationID": bytes(range(20)),
    "pSentTime": 1,
    "pArrivedTime": 2,
    "pPriority": 3,
    "pDelivery": 1,
    "pAcknowledge": 0x0E,
    "pAuditing": 3,
    "pApplicationTag": 0xFFFFFFFF,
    "pBodySize": 5,
    "ppTitle": "order",
    "ulTitleBufferSizeInWCHARs": 7,
    "pulTitleBufferSizeInWCHARs": 6,
    "ulAbsoluteTimeToQueue": 8,
    "pulRelativeTimeToQueue": 9,
    "ulRelativeTimeToLive": 10,
    "pulRelativeTimeToLive": 11,
    "pTrace": 1,
    "pulSenderIDType": 1,
    "ppSenderID": b"sid",
    "pulSenderIDLenProp": 3,
    "pulPrivLevel": 2,
    "ulAuthLevel": 1,
    "pAuthenticated": 9,
    "pulHashAlg": 0x8004,
    "pulEncryptAlg": 0x6801,
    "ppSenderCert": b"certificate",
    "ulSenderCertLen": 11,
    "pulSenderCertLenProp": 11,
    "ppwcsProvName": "provider",
    "ulProvNameLen": 9,
    "pulAuthProvNameLenProp": 12,
    "pulProvType": 1,
    "fDefaultProvider": -1,
    "ppSymmKeys": b"k",
    "ulSymmKeysSize": 1,
    "pulSymmKeysSizeProp": 1,
    "bEncrypted": 1,
    "bAuthenticated": 2,
    "uSenderIDLen": 3,
    "ppSignature": b"ab",
    "ulSignatureSize": 2,
    "pulSignatureSizeProp": 2,
    "ppSrcQMID": G,
    "pUow": {"rgb": bytes(range(16, 32))},
    "ppMsgExtension": b"extra",
    "ulMsgExtensionBufferInBytes": 5,
    "pMsgExtensionSize": 5,
    "ppConnectorType": G,
    "pulBodyType": 8,
    "pulVersion": 0x10,
}


def _values(way: str, size: int) -> dict[str, Any]:
    body = {"ppBody": bytes(range(size)), "ulBodyBufferSizeInBytes": size, "ulAllocBodyBufferInBytes": size + 3}
    old = transfer(**EVERYTHING, **body, **WAYS[way])
    return {"ptb": transfer2(old, pbFirstInXact=1, pbLastInXact=0, ppXactID=IDENTIFIER), "return_value": 0xC00E001B}


def test_nothing_is_left_out() -> None:
    old = _values("Send", 1)["ptb"]["old"]
    pointers = [member.name for member in mqmp.CACTransferBufferV1.members if isinstance(member.type, Pointer)]
    assert [name for name in pointers if old[name] is None] == []


@pytest.mark.parametrize("size", range(9))
@pytest.mark.parametrize("way", WAYS)
def test_scapy_has_the_same_bytes(way: str, size: int) -> None:
    values = _values(way, size)
    for syntax, order in ENCODINGS:
        compared = call("rpc_ACReceiveMessageEx", Direction.OUT, syntax, order)
        stub = compared.encoded(values)
        decoded = compared.decoded(stub)
        assert (decoded.values, decoded.problems, decoded.consumed) == (values, (), len(stub))
        with corrected():
            assert compared.built(values) == stub
            assert compared.dissected(stub) == (values, b"")


@pytest.mark.parametrize("syntax", Syntax)
@pytest.mark.parametrize("size", range(9))
@pytest.mark.parametrize("way", WAYS)
def test_impacket_has_the_same_bytes(way: str, size: int, syntax: Syntax) -> None:
    values = _values(way, size)
    compared = call("rpc_ACReceiveMessageEx", Direction.OUT, syntax)
    operation, stub = compared.operation, compared.encoded(values)
    written = impacket_values.built(operation, Direction.OUT, syntax, values)
    assert impacket_values.without_gaps(operation, Direction.OUT, syntax, values, written) == stub
    assert impacket_values.dissected(operation, Direction.OUT, syntax, stub) == (values, len(stub))
