"""What is said to a queue's owner by today's readers, in RemoteRead, and by applications, in qmcomm and qmcomm2."""

from __future__ import annotations

from typing import Any, Final

from tests.live.messages import ODD, QUEUE, SENDER, SMALL
from tests.live.model import Call, Values
from tests.second_opinion.stubs.transfers import transfer, transfer2

HANDLE: Final = "5d0a1c6e-3f84-4d8b-9b0f-0c9e5a7d2e61"
READER: Final = "c1f7a3b4-96d2-4f0e-8a55-7b1d0e9c3f28"
DIRECT: Final[Values] = {"m_qft": 3, "m_SuffixAndFlags": 0, "m_reserved": 0, "m_pDirectID": QUEUE}
PEEK_CURRENT: Final = 0x80000000
RECEIVE: Final = 0
RR_NACK, RR_ACK = 1, 2
IO_TIMEOUT: Final = 0xC00E001B
SEQUENCE: Final = 0x0000_0000_0000_4201
FULL_PACKET, FIRST_SECTION, SECOND_SECTION = 0, 1, 2


def _section(kind: int, part: bytes, whole: int) -> Values:
    return {"SectionBufferType": kind, "SectionSizeAlloc": whole, "SectionSize": len(part), "pSectionBuffer": part}


def _read(action: int, request: int, *sections: Values, result: int = 0) -> Call:
    asked = {"ulAction": action, "ulTimeout": 1000, "dwRequestId": request, "dwMaxBodySize": 0xFFFFFFFF}
    return Call(
        "R_StartReceive",
        {"phContext": HANDLE, "LookupId": 0, "hCursor": 0, **asked, "dwMaxCompoundMessageSize": 0xFFFFFFFF},
        {
            "pdwArriveTime": 1794798021 if sections else 0,
            "pSequenceId": SEQUENCE if sections else 0,
            "pdwNumberOfSections": len(sections),
            "ppPacketSections": list(sections) or None,
            "return_value": result,
        },
    )


def _end(acknowledgement: int, request: int) -> Call:
    return Call(
        "R_EndReceive", {"phContext": HANDLE, "dwAck": acknowledgement, "dwRequestId": request}, {"return_value": 0}
    )


def remote_read() -> tuple[Call, ...]:
    version = {"Major": 6, "Minor": 0, "BuildNumber": 6001}
    return (
        Call("R_GetServerPort", {}, {"return_value": 2103}),
        Call(
            "R_OpenQueue",
            {
                "pQueueFormat": DIRECT,
                "dwAccess": 1,
                "dwShareMode": 0,
                "pClientId": READER,
                "fNonRoutingServer": 0,
                **version,
                "fWorkgroup": -1,
            },
            {"pphContext": HANDLE},
        ),
        Call("R_CreateCursor", {"phContext": HANDLE}, {"phCursor": 7, "return_value": 0}),
        _read(PEEK_CURRENT, 1, _section(FULL_PACKET, SMALL, len(SMALL))),
        _read(RECEIVE, 2, _section(FULL_PACKET, SMALL, len(SMALL))),
        _end(RR_NACK, 2),
        _read(RECEIVE, 3, _section(FIRST_SECTION, ODD, len(ODD)), _section(SECOND_SECTION, b"", 0)),
        _end(RR_ACK, 3),
        _read(RECEIVE, 4, result=IO_TIMEOUT),
        Call("R_CancelReceive", {"phContext": HANDLE, "dwRequestId": 5}, {"return_value": 0xC00E0007}),
        Call("R_CloseCursor", {"phContext": HANDLE, "hCursor": 7}, {"return_value": 0}),
        Call("R_PurgeQueue", {"phContext": HANDLE}, {"return_value": 0}),
        Call("R_CloseQueue", {"pphContext": HANDLE}, {"pphContext": None, "return_value": 0}),
    )


def _filled(**given: Any) -> Values:  # noqa: ANN401
    """What an application reads of a message, and where it wants to have it."""
    body = b"<order id='1004'/>"
    return transfer2(
        transfer(
            pClass=0,
            ppMessageID={"Lineage": str(SENDER), "Uniquifier": 0x1401},
            ppCorrelationID=bytes(20),
            pPriority=3,
            ppBody=body,
            ulBodyBufferSizeInBytes=len(body),
            ulAllocBodyBufferInBytes=64,
            pBodySize=len(body),
            ppTitle="order-1004",
            ulTitleBufferSizeInWCHARs=11,
            pulTitleBufferSizeInWCHARs=11,
            ppSrcQMID=str(SENDER),
            pulVersion=0x10,
            **given,
        ),
        pbFirstInXact=0,
    )


def applications() -> tuple[Call, ...]:
    target = {"ObjType": 1, "pQueueFormat": DIRECT}
    receive = {
        "RequestTimeout": 1000,
        "Action": RECEIVE,
        "Asynchronous": 0,
        "Cursor": 0,
        **{f"ul{kind}FormatNameLen": 0 for kind in ("Response", "Admin", "Dest", "Ordering")},
        **{f"pp{kind}FormatName": None for kind in ("Response", "Admin", "Dest", "Ordering")},
        **{f"pul{kind}FormatNameLenProp": None for kind in ("Response", "Admin", "Dest", "Ordering")},
    }
    label = {"vt": 31, "wReserved1": 0, "wReserved2": 0, "wReserved3": 0, "_varUnion": {"pwszVal": "Orders"}}
    opening = {"dwDesiredAccess": 1, "dwShareMode": 0, "hRemoteQueue": 0, "lplpRemoteQueueName": None, "dwpQueue": 0}
    return (
        Call("R_QMGetRTQMServerPort", {"fIP": 0}, {"return_value": 2103}),
        Call(
            "rpc_QMOpenQueueInternal",
            {
                "pQueueFormat": DIRECT,
                **opening,
                "pLicGuid": READER,
                "lpClientName": "branch-07",
                "dwRemoteProtocol": 0,
                "dwpRemoteContext": 0,
            },
            {"lplpRemoteQueueName": None, "pdwQMContext": 0x01F4A310, "phQueue": HANDLE, "return_value": 0},
        ),
        Call(
            "rpc_ACSendMessageEx",
            {"hQueue": HANDLE, "ptb": _filled(), "pMessageID": None},
            {"pMessageID": {"Lineage": str(SENDER), "Uniquifier": 0x1402}, "return_value": 0},
        ),
        Call(
            "rpc_ACReceiveMessageEx",
            {"hQMContext": 0x01F4A310, "ptb": transfer2(transfer(uTransferType=1, Send=None, Receive=receive))},
            {"ptb": _filled(uTransferType=1, Send=None, Receive=receive), "return_value": 0},
        ),
        # A call of 4n bytes: scapy's verification trailer, behind the first of an interface, is not aligned otherwise.
        Call("rpc_ACPurgeQueue", {"hQueue": HANDLE}, {"return_value": 0}),
        Call(
            "R_QMGetObjectProperties",
            {"pObjectFormat": target, "cp": 1, "aProp": [108], "apVar": [label]},
            {"apVar": [label], "return_value": 0},
        ),
        Call("R_QMDeleteObject", {"pObjectFormat": target}, {"return_value": 0xC00E0025}),
        Call("rpc_ACCloseHandle", {"phQueue": HANDLE}, {"phQueue": None, "return_value": 0}),
    )
