"""qm2qm, the interface of [MS-MQQP] section 6, as impacket structures: NDR 2.0, little-endian."""

from __future__ import annotations

from impacket.dcerpc.v5.dtypes import GUID
from impacket.dcerpc.v5.ndr import NDRCALL, NDRENUM, NDRPOINTER, NDRSTRUCT, NDRUHYPER, NDRULONG, NDRUSHORT, NDRUSMALL

from samples.ndr_base import ContextHandle, CountedBytes

QM2QM = ("1088a980-eae5-11d0-8d9b-00a02453c337", "1.0")

MQ_ACTION_RECEIVE = 0x00000000
MQ_ACTION_PEEK_CURRENT = 0x80000000
MQ_LOOKUP_PEEK_CURRENT = 0x40000010
MQ_LOOKUP_RECEIVE_CURRENT = 0x40000020
RR_NACK, RR_ACK = 1, 2
IP_HANDSHAKE, IP_READ = 0, 1


class LPBUFFER(NDRPOINTER):  # type: ignore[misc]
    referent = (("Data", CountedBytes),)


class REMOTEREADDESC(NDRSTRUCT):  # type: ignore[misc]
    structure = (
        ("hRemoteQueue", NDRULONG),
        ("hCursor", NDRULONG),
        ("ulAction", NDRULONG),
        ("ulTimeout", NDRULONG),
        ("dwSize", NDRULONG),
        ("dwQueue", NDRULONG),
        ("dwRequestID", NDRULONG),
        ("Reserved", NDRULONG),
        ("dwArriveTime", NDRULONG),
        ("eAckNack", NDRENUM),
        ("lpBuffer", LPBUFFER),
    )


class PREMOTEREADDESC(NDRPOINTER):  # type: ignore[misc]
    referent = (("Data", REMOTEREADDESC),)


class REMOTEREADDESC2(NDRSTRUCT):  # type: ignore[misc]
    structure = (("pRemoteReadDesc", PREMOTEREADDESC), ("SequentialId", NDRUHYPER))


class RemoteQMStartReceive(NDRCALL):  # type: ignore[misc]
    opnum = 0
    structure = (("lpRemoteReadDesc", REMOTEREADDESC),)


class RemoteQMStartReceiveResponse(NDRCALL):  # type: ignore[misc]
    structure = (("pphContext", ContextHandle), ("lpRemoteReadDesc", REMOTEREADDESC), ("return_value", NDRULONG))


class RemoteQMEndReceive(NDRCALL):  # type: ignore[misc]
    opnum = 1
    structure = (("pphContext", ContextHandle), ("dwAck", NDRULONG))


class RemoteQMEndReceiveResponse(NDRCALL):  # type: ignore[misc]
    structure = (("pphContext", ContextHandle), ("return_value", NDRULONG))


class RemoteQMOpenQueue(NDRCALL):  # type: ignore[misc]
    opnum = 2
    structure = (
        ("pLicGuid", GUID),
        ("dwMQS", NDRULONG),
        ("hQueue", NDRULONG),
        ("pQueue", NDRULONG),
        ("dwpContext", NDRULONG),
    )


class RemoteQMOpenQueueResponse(NDRCALL):  # type: ignore[misc]
    structure = (("phContext", ContextHandle), ("return_value", NDRULONG))


class RemoteQMCloseQueue(NDRCALL):  # type: ignore[misc]
    opnum = 3
    structure = (("pphContext", ContextHandle),)


class RemoteQMCloseQueueResponse(NDRCALL):  # type: ignore[misc]
    structure = (("pphContext", ContextHandle), ("return_value", NDRULONG))


class RemoteQMCancelReceive(NDRCALL):  # type: ignore[misc]
    opnum = 5
    structure = (("hQueue", NDRULONG), ("pQueue", NDRULONG), ("dwRequestID", NDRULONG))


class RemoteQMCancelReceiveResponse(NDRCALL):  # type: ignore[misc]
    structure = (("return_value", NDRULONG),)


class RemoteQMPurgeQueue(NDRCALL):  # type: ignore[misc]
    opnum = 6
    structure = (("hQueue", NDRULONG),)


class RemoteQMPurgeQueueResponse(NDRCALL):  # type: ignore[misc]
    structure = (("return_value", NDRULONG),)


class RemoteQMGetQMQMServerPort(NDRCALL):  # type: ignore[misc]
    opnum = 7
    structure = (("dwPortType", NDRULONG),)


class RemoteQMGetQMQMServerPortResponse(NDRCALL):  # type: ignore[misc]
    structure = (("return_value", NDRULONG),)


class RemoteQmGetVersion(NDRCALL):  # type: ignore[misc]
    opnum = 8
    structure = ()


class RemoteQmGetVersionResponse(NDRCALL):  # type: ignore[misc]
    """A void method: no return value follows pBuildNumber."""

    structure = (("pMajor", NDRUSMALL), ("pMinor", NDRUSMALL), ("pBuildNumber", NDRUSHORT))


class RemoteQMStartReceive2(NDRCALL):  # type: ignore[misc]
    opnum = 9
    structure = (("lpRemoteReadDesc2", REMOTEREADDESC2),)


class RemoteQMStartReceive2Response(NDRCALL):  # type: ignore[misc]
    structure = (("pphContext", ContextHandle), ("lpRemoteReadDesc2", REMOTEREADDESC2), ("return_value", NDRULONG))


class RemoteQMStartReceiveByLookupId(NDRCALL):  # type: ignore[misc]
    opnum = 10
    structure = (("LookupId", NDRUHYPER), ("lpRemoteReadDesc2", REMOTEREADDESC2))


class RemoteQMStartReceiveByLookupIdResponse(RemoteQMStartReceive2Response):
    pass
