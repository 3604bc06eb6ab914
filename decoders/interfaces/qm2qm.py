"""qm2qm, by which one queue manager reads the queues of another: [MS-MQQP] section 6."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.parameters import reference, value
from decoders.ndr.base_types import BYTE, DWORD, GUID, HRESULT, ULONGLONG, UNSIGNED_CHAR, UNSIGNED_SHORT
from decoders.ndr.model import (
    Array,
    ContextHandle,
    Direction,
    Enum,
    Interface,
    Member,
    Operation,
    Pointer,
    PointerKind,
    Struct,
)
from decoders.registry import QM2QM

PCTX_RRSESSION_HANDLE_TYPE = ContextHandle("PCTX_RRSESSION_HANDLE_TYPE")
PCTX_REMOTEREAD_HANDLE_TYPE = ContextHandle("PCTX_REMOTEREAD_HANDLE_TYPE")

REMOTEREADACK = Enum("REMOTEREADACK", (("RR_UNKNOWN", 0), ("RR_NACK", 1), ("RR_ACK", 2)), tag="_REMOTEREADACK")

REMOTEREADDESC = Struct(
    "REMOTEREADDESC",
    (
        Member("hRemoteQueue", DWORD),
        Member("hCursor", DWORD),
        Member("ulAction", DWORD),
        Member("ulTimeout", DWORD),
        Member("dwSize", DWORD, range=(0, 4_325_376)),
        Member("dwQueue", DWORD),
        Member("dwRequestID", DWORD),
        Member("Reserved", DWORD),
        Member("dwArriveTime", DWORD),
        Member("eAckNack", REMOTEREADACK),
        Member(
            "lpBuffer",
            Pointer(Array(BYTE, size_is="dwSize", length_is="dwSize"), PointerKind.UNIQUE, written=True),
            payload=True,
        ),
    ),
    tag="_REMOTEREADDESC",
)

REMOTEREADDESC2 = Struct(
    "REMOTEREADDESC2",
    (Member("pRemoteReadDesc", Pointer(REMOTEREADDESC)), Member("SequentialId", ULONGLONG)),
    tag="_REMOTEREADDESC2",
)

_IN: Final = Direction.IN
_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT


INTERFACE: Final = Interface(
    **QM2QM.identity,
    doc="One queue manager reads, peeks and purges the queues of another.",
    operations=(
        Operation(
            0,
            "RemoteQMStartReceive",
            (
                reference(_OUT, "pphContext", PCTX_REMOTEREAD_HANDLE_TYPE),
                reference(_IN_OUT, "lpRemoteReadDesc", REMOTEREADDESC),
            ),
            HRESULT,
            "3.1.4.1",
            "Peeks at a message, or begins to receive one, and returns it.",
        ),
        Operation(
            1,
            "RemoteQMEndReceive",
            (reference(_IN_OUT, "pphContext", PCTX_REMOTEREAD_HANDLE_TYPE), value("dwAck", DWORD, (1, 2))),
            HRESULT,
            "3.1.4.2",
            "Ends a receive: the message leaves the queue, or goes back to it.",
        ),
        Operation(
            2,
            "RemoteQMOpenQueue",
            (
                reference(_OUT, "phContext", PCTX_RRSESSION_HANDLE_TYPE),
                reference(_IN, "pLicGuid", GUID),
                value("dwMQS", DWORD, (0, 16)),
                value("hQueue", DWORD),
                value("pQueue", DWORD),
                value("dwpContext", DWORD),
            ),
            HRESULT,
            "3.1.4.3",
            "Opens a session on a queue that qmcomm opened before.",
        ),
        Operation(
            3,
            "RemoteQMCloseQueue",
            (reference(_IN_OUT, "pphContext", PCTX_RRSESSION_HANDLE_TYPE),),
            HRESULT,
            "3.1.4.4",
            "Closes the session on a queue.",
        ),
        Operation(
            4,
            "RemoteQMCloseCursor",
            (value("hQueue", DWORD), value("hCursor", DWORD)),
            HRESULT,
            "3.1.4.5",
            "Closes a cursor.",
        ),
        Operation(
            5,
            "RemoteQMCancelReceive",
            (value("hQueue", DWORD), value("pQueue", DWORD), value("dwRequestID", DWORD)),
            HRESULT,
            "3.1.4.6",
            "Cancels a receive or peek that still waits for a message.",
        ),
        Operation(
            6,
            "RemoteQMPurgeQueue",
            (value("hQueue", DWORD),),
            HRESULT,
            "3.1.4.7",
            "Deletes every message of a queue.",
        ),
        Operation(
            7,
            "RemoteQMGetQMQMServerPort",
            (value("dwPortType", DWORD, (0, 3)),),
            DWORD,
            "3.1.4.8",
            "Asks for the port of this interface; 0 where there is none.",
            status="",
        ),
        Operation(
            8,
            "RemoteQmGetVersion",
            (
                reference(_OUT, "pMajor", UNSIGNED_CHAR),
                reference(_OUT, "pMinor", UNSIGNED_CHAR),
                reference(_OUT, "pBuildNumber", UNSIGNED_SHORT),
            ),
            None,
            "3.1.4.9",
            "Asks for the server's version.",
            status="",
        ),
        Operation(
            9,
            "RemoteQMStartReceive2",
            (
                reference(_OUT, "pphContext", PCTX_REMOTEREAD_HANDLE_TYPE),
                reference(_IN_OUT, "lpRemoteReadDesc2", REMOTEREADDESC2),
            ),
            HRESULT,
            "3.1.4.10",
            "As RemoteQMStartReceive, and says the message's sequential id.",
        ),
        Operation(
            10,
            "RemoteQMStartReceiveByLookupId",
            (
                value("LookupId", ULONGLONG),
                reference(_OUT, "pphContext", PCTX_REMOTEREAD_HANDLE_TYPE),
                reference(_IN_OUT, "lpRemoteReadDesc2", REMOTEREADDESC2),
            ),
            HRESULT,
            "3.1.4.11",
            "Peeks at, or begins to receive, the message with a lookup id or its neighbour.",
        ),
    ),
    types={
        "PCTX_RRSESSION_HANDLE_TYPE": PCTX_RRSESSION_HANDLE_TYPE,
        "PCTX_REMOTEREAD_HANDLE_TYPE": PCTX_REMOTEREAD_HANDLE_TYPE,
        "REMOTEREADACK": REMOTEREADACK,
        "REMOTEREADDESC": REMOTEREADDESC,
        "REMOTEREADDESC2": REMOTEREADDESC2,
    },
)
