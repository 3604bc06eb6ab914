"""What two programs of other projects say to each other: one entry a connection, values under the IDL's names.

No scapy and no impacket here: the tests read it as what went in, the process that talks as what to say.
"""

from __future__ import annotations

from typing import Any, Final

from decoders.ndr.model import Syntax
from tests.live.messages import LARGE, ODD, QUEUE, SENDER, SMALL
from tests.live.model import Call, Talk, Values
from tests.live.queues_story import applications, remote_read

CONNECT, INTEGRITY, PRIVACY = 2, 5, 6
USERNAME, DOMAIN, PASSWORD = "branch-reader", "CORP", "orders-4711"
LICENCE = "00c0ffee-1e1e-4bad-9bad-c0de0badf00d"
SESSION = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
READ = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
RECEIVE, PEEK_CURRENT, LOOKUP_RECEIVE_CURRENT = 0x00000000, 0x80000000, 0x40000020
RR_ACK = 2
IO_TIMEOUT = 0xC00E001B
ACCESS_DENIED = 5


def description(action: int, request_id: int, buffer: bytes | None = None) -> Values:
    return {
        "hRemoteQueue": 0x01F4A310,
        "hCursor": 0,
        "ulAction": action,
        "ulTimeout": 1000,
        "dwSize": 0 if buffer is None else len(buffer),
        "dwQueue": 0x01F4A310,
        "dwRequestID": request_id,
        "Reserved": 0,
        "dwArriveTime": 0 if buffer is None else 1794798021,
        "eAckNack": 0 if buffer is None else RR_ACK,
        "lpBuffer": buffer,
    }


def description2(action: int, request_id: int, buffer: bytes | None = None) -> Values:
    return {
        "pRemoteReadDesc": description(action, request_id, buffer),
        "SequentialId": 0 if buffer is None else 0x0800_0000_0000_4201,
    }


def open_queue() -> Call:
    queue = {"hQueue": 0x01F4A310, "pQueue": 0x01F4A310, "dwpContext": 0x01F4A310}
    return Call(
        "RemoteQMOpenQueue", {"pLicGuid": LICENCE, "dwMQS": 0, **queue}, {"phContext": SESSION, "return_value": 0}
    )


def close_queue() -> Call:
    return Call("RemoteQMCloseQueue", {"pphContext": SESSION}, {"pphContext": None, "return_value": 0})


def receive(buffer: bytes | None, result: int = 0) -> Call:
    handle = None if buffer is None else READ
    return Call(
        "RemoteQMStartReceive",
        {"lpRemoteReadDesc": description(RECEIVE, 1)},
        {"pphContext": handle, "lpRemoteReadDesc": description(RECEIVE, 1, buffer), "return_value": result},
    )


def receive2(buffer: bytes) -> Call:
    return Call(
        "RemoteQMStartReceive2",
        {"lpRemoteReadDesc2": description2(PEEK_CURRENT, 2)},
        {"pphContext": READ, "lpRemoteReadDesc2": description2(PEEK_CURRENT, 2, buffer), "return_value": 0},
    )


def receive_by_lookup_id(buffer: bytes) -> Call:
    return Call(
        "RemoteQMStartReceiveByLookupId",
        {"LookupId": 0xFEDC_BA98_7654_3210, "lpRemoteReadDesc2": description2(LOOKUP_RECEIVE_CURRENT, 3)},
        {"pphContext": READ, "lpRemoteReadDesc2": description2(LOOKUP_RECEIVE_CURRENT, 3, buffer), "return_value": 0},
    )


def end_receive() -> Call:
    return Call("RemoteQMEndReceive", {"pphContext": READ, "dwAck": RR_ACK}, {"pphContext": None, "return_value": 0})


def every_operation() -> tuple[Call, ...]:
    return (
        Call("RemoteQMGetQMQMServerPort", {"dwPortType": 1}, {"return_value": 2105}),
        Call("RemoteQmGetVersion", {}, {"pMajor": 10, "pMinor": 0, "pBuildNumber": 20348}),
        open_queue(),
        receive(SMALL),
        end_receive(),
        receive(ODD),
        end_receive(),
        receive(None, IO_TIMEOUT),
        receive2(ODD),
        receive_by_lookup_id(SMALL),
        end_receive(),
        Call("RemoteQMCloseCursor", {"hQueue": 0x01F4A310, "hCursor": 7}, {"return_value": 0}),
        Call(
            "RemoteQMCancelReceive",
            {"hQueue": 0x01F4A310, "pQueue": 0x01F4A310, "dwRequestID": 9},
            {"return_value": 0xC00E0007},
        ),
        Call("RemoteQMPurgeQueue", {"hQueue": 0x01F4A310}, {"return_value": 0}),
        close_queue(),
    )


def variant(vt: int, **arm: Any) -> Values:  # noqa: ANN401
    return {"vt": vt, "wReserved1": 0, "wReserved2": 0, "wReserved3": 0, "_varUnion": arm}


def get_info(target: Values, properties: list[int], answer: list[Values]) -> Call:
    return Call(
        "R_QMMgmtGetInfo",
        {
            "pObjectFormat": target,
            "cp": len(properties),
            "aProp": properties,
            "apVar": [variant(1) for _ in properties],
        },
        {"apVar": answer, "return_value": 0},
    )


MACHINE: Final[Values] = {"type": 1, "Reserved1": 0}


def queue_object(kind: int, **name: Any) -> Values:  # noqa: ANN401
    return {"type": 2, "pQueueFormat": {"m_qft": kind, "m_SuffixAndFlags": 0, "m_reserved": 0, **name}}


def management() -> tuple[Call, ...]:
    direct = queue_object(3, m_pDirectID=QUEUE)
    return (
        get_info(
            MACHINE,
            [1, 2, 3, 4],
            [
                variant(0x1000 | 31, calpwstr={"cElems": 2, "pElems": [QUEUE, r"OS:hq-mq01\private$\receipts"]}),
                variant(31, pwszVal="CONNECTED"),
                variant(1),
                variant(20, hVal=-0x1_0000_2A3C),
            ],
        ),
        get_info(
            direct,
            [7, 8, 11, 12, 13, 14],
            [
                variant(19, ulVal=0xFFFFFFF0),
                variant(3, lVal=-2),
                variant(11, boolVal=-1),
                variant(72, puuid=LICENCE),
                variant(65, blob={"cbSize": 5, "pBlobData": b"\0\1\2\3\xff"}),
                variant(21, uhVal=0xFEDC_BA98_7654_3210),
            ],
        ),
        get_info(queue_object(1, m_gPublicID=LICENCE), [24], [variant(0x1000 | 12, capropvar=_sources())]),
        Call("R_QMMgmtAction", {"pObjectFormat": direct, "lpwszAction": "PAUSE"}, {"return_value": 0}),
        Call("R_QMMgmtAction", {"pObjectFormat": MACHINE, "lpwszAction": "TIDY"}, {"return_value": 0xC00E0025}),
    )


def _sources() -> Values:
    vectors = [
        variant(0x1000 | 31, calpwstr={"cElems": 1, "pElems": [QUEUE]}),
        variant(0x1000 | 72, cauuid={"cElems": 1, "pElems": [str(SENDER)]}),
        variant(0x1000 | 21, cauh={"cElems": 1, "pElems": [0x6AFA_6F58_0000_0001]}),
        variant(0x1000 | 3, cal={"cElems": 2, "pElems": [-1, 1794797400]}),
    ]
    return {"cElems": len(vectors), "pElems": vectors}


def management_of_pointers() -> tuple[Call, ...]:
    """What scapy marshals of qmmgmt as [MS-RPCE] 2.2.5 has it: one property, and a pointer wherever a union is."""
    direct = queue_object(3, m_pDirectID=QUEUE)
    return (
        get_info(direct, [11], [variant(31, pwszVal="CONNECTED")]),
        get_info(direct, [12], [variant(72, puuid=LICENCE)]),
        get_info(direct, [13], [variant(0x1000 | 19, caul={"cElems": 3, "pElems": [1, 2, 0xFFFFFFFF]})]),
    )


def large_read() -> tuple[Call, ...]:
    return (open_queue(), receive2(LARGE), end_receive(), close_queue())


def guarded_read() -> tuple[Call, ...]:
    return (open_queue(), receive(ODD), end_receive(), receive_by_lookup_id(SMALL), close_queue())


def two_interfaces() -> tuple[Call, ...]:
    look, *_ = management_of_pointers()
    denied = Call("RemoteQMPurgeQueue", {"hQueue": 0x01F4A310}, {}, fault=ACCESS_DENIED)
    return (open_queue(), look, receive(SMALL), end_receive(), look, denied, close_queue())


TALKS: Final = (
    Talk("qm2qm in NDR", "scapy", "scapy", every_operation()),
    Talk("qm2qm in NDR64", "scapy", "scapy", every_operation(), Syntax.NDR64),
    Talk("qm2qm in big endian", "scapy", "scapy", every_operation(), byte_order=">"),
    Talk("qmmgmt in NDR", "impacket", "impacket", management()),
    Talk("qmmgmt in NDR64", "scapy", "scapy", management_of_pointers(), Syntax.NDR64),
    Talk("two interfaces", "scapy", "scapy", two_interfaces(), Syntax.NDR64),
    Talk("large message", "impacket", "impacket", large_read(), request_fragment=16),
    Talk("NTLM connect", "scapy", "scapy", guarded_read(), auth_level=CONNECT),
    Talk("NTLM connect across projects", "impacket", "scapy", guarded_read(), auth_level=CONNECT),
    Talk("NTLM integrity across projects", "impacket", "scapy", guarded_read(), auth_level=INTEGRITY),
    Talk("large signed message", "scapy", "scapy", large_read(), Syntax.NDR64, auth_level=INTEGRITY),
    Talk("NTLM privacy", "scapy", "scapy", guarded_read(), auth_level=PRIVACY),
    Talk("NTLM privacy across projects", "impacket", "scapy", guarded_read(), auth_level=PRIVACY),
    Talk("sealed large message", "scapy", "scapy", large_read(), Syntax.NDR64, auth_level=PRIVACY),
    Talk("RemoteRead in NDR64", "scapy", "scapy", remote_read(), Syntax.NDR64, mended=True),
    Talk("qmcomm and qmcomm2 in NDR", "scapy", "scapy", applications(), mended=True),
)
MAPPER = "endpoint mapper"
"""A connection more: scapy's client asks scapy's endpoint mapper for the port of the first talk."""
