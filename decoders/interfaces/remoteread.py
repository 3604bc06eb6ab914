"""RemoteRead, by which queue managers of today read the queues of another: [MS-MQRR] section 6."""

from __future__ import annotations

from typing import Final

from decoders.interfaces import mqmq
from decoders.interfaces.parameters import reference, value
from decoders.ndr.base_types import (
    BYTE,
    DTYP_LONG,
    DWORD,
    GUID,
    HRESULT,
    ULONGLONG,
    UNSIGNED_CHAR,
    USHORT,
)
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
from decoders.registry import REMOTE_READ

QUEUE_CONTEXT_HANDLE_NOSERIALIZE = ContextHandle("QUEUE_CONTEXT_HANDLE_NOSERIALIZE")
QUEUE_CONTEXT_HANDLE_SERIALIZE = ContextHandle("QUEUE_CONTEXT_HANDLE_SERIALIZE")

SectionType = Enum(
    "SectionType",
    (
        ("stFullPacket", 0),
        ("stBinaryFirstSection", 1),
        ("stBinarySecondSection", 2),
        ("stSrmpFirstSection", 3),
        ("stSrmpSecondSection", 4),
    ),
)

SectionBuffer = Struct(
    "SectionBuffer",
    (
        Member("SectionBufferType", SectionType),
        Member("SectionSizeAlloc", DWORD),
        Member("SectionSize", DWORD),
        Member(
            "pSectionBuffer",
            Pointer(Array(BYTE, size_is="SectionSize"), PointerKind.UNIQUE, written=True),
            payload=True,
        ),
    ),
    tag="_SectionBuffer",
)

_IN: Final = Direction.IN
_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT

_CONTEXT: Final = value("phContext", QUEUE_CONTEXT_HANDLE_NOSERIALIZE)
_TRANSACTION: Final = reference(_IN, "pTransactionId", mqmq.XACTUOW)
_LOOKUP_ID: Final = value("LookupId", ULONGLONG)
_REQUEST_ID: Final = value("dwRequestId", DWORD)
_ACK: Final = value("dwAck", DWORD, (1, 2))

_OPEN: Final = (
    reference(_IN, "pQueueFormat", mqmq.QUEUE_FORMAT),
    value("dwAccess", DWORD),
    value("dwShareMode", DWORD),
    reference(_IN, "pClientId", GUID),
    value("fNonRoutingServer", DTYP_LONG),
    value("Major", UNSIGNED_CHAR),
    value("Minor", UNSIGNED_CHAR),
    value("BuildNumber", USHORT),
    value("fWorkgroup", DTYP_LONG),
)
_RECEIVE: Final = (
    _CONTEXT,
    _LOOKUP_ID,
    value("hCursor", DWORD),
    value("ulAction", DWORD),
    value("ulTimeout", DWORD),
    _REQUEST_ID,
    value("dwMaxBodySize", DWORD),
    value("dwMaxCompoundMessageSize", DWORD),
)
_RECEIVED: Final = (
    reference(_OUT, "pdwArriveTime", DWORD),
    reference(_OUT, "pSequenceId", ULONGLONG),
    reference(_OUT, "pdwNumberOfSections", DWORD),
    reference(_OUT, "ppPacketSections", Pointer(Array(SectionBuffer, size_is="*pdwNumberOfSections"))),
)
_OPENED: Final = reference(_OUT, "pphContext", QUEUE_CONTEXT_HANDLE_SERIALIZE)

INTERFACE: Final = Interface(
    **REMOTE_READ.identity,
    doc="One queue manager reads, peeks, moves and purges messages of another, in transactions where wanted.",
    operations=(
        Operation(
            0,
            "R_GetServerPort",
            (),
            DWORD,
            "3.1.4.1",
            "Asks for the port of this interface; 0 where there is none.",
            status="",
        ),
        # Void: a failure is a fault with the HRESULT in it.
        Operation(2, "R_OpenQueue", (*_OPEN, _OPENED), None, "3.1.4.2", "Opens a queue to peek or receive.", status=""),
        Operation(
            3,
            "R_CloseQueue",
            (reference(_IN_OUT, "pphContext", QUEUE_CONTEXT_HANDLE_SERIALIZE),),
            HRESULT,
            "3.1.4.3",
            "Closes a queue.",
        ),
        Operation(
            4,
            "R_CreateCursor",
            (_CONTEXT, reference(_OUT, "phCursor", DWORD)),
            HRESULT,
            "3.1.4.4",
            "Creates a cursor on an open queue.",
        ),
        Operation(5, "R_CloseCursor", (_CONTEXT, value("hCursor", DWORD)), HRESULT, "3.1.4.5", "Closes a cursor."),
        Operation(6, "R_PurgeQueue", (_CONTEXT,), HRESULT, "3.1.4.6", "Deletes every message of a queue."),
        Operation(
            7,
            "R_StartReceive",
            (*_RECEIVE, *_RECEIVED),
            HRESULT,
            "3.1.4.7",
            "Peeks at a message, or begins to receive one, and returns it.",
        ),
        Operation(
            8,
            "R_CancelReceive",
            (_CONTEXT, _REQUEST_ID),
            HRESULT,
            "3.1.4.8",
            "Cancels a receive or peek that still waits for a message.",
        ),
        Operation(
            9,
            "R_EndReceive",
            (_CONTEXT, _ACK, _REQUEST_ID),
            HRESULT,
            "3.1.4.9",
            "Ends a receive: the message leaves the queue, or goes back to it.",
        ),
        Operation(
            10,
            "R_MoveMessage",
            (
                value("phContextFrom", QUEUE_CONTEXT_HANDLE_NOSERIALIZE),
                value("ullContextTo", ULONGLONG),
                _LOOKUP_ID,
                _TRANSACTION,
            ),
            HRESULT,
            "3.1.4.10",
            "Moves a message between a queue and its subqueues.",
        ),
        Operation(
            11,
            "R_OpenQueueForMove",
            (*_OPEN, reference(_OUT, "pMoveContext", ULONGLONG), _OPENED),
            None,
            "3.1.4.11",
            "Opens a queue to move messages to.",
            status="",
        ),
        Operation(
            12,
            "R_QMEnlistRemoteTransaction",
            (
                _TRANSACTION,
                value("cbPropagationToken", DWORD, (0, 131_072)),
                reference(_IN, "pbPropagationToken", Array(UNSIGNED_CHAR, size_is="cbPropagationToken")),
                reference(_IN, "pQueueFormat", mqmq.QUEUE_FORMAT),
            ),
            HRESULT,
            "3.1.4.12",
            "Lets the server take part in a transaction.",
        ),
        Operation(
            13,
            "R_StartTransactionalReceive",
            (*_RECEIVE, _TRANSACTION, *_RECEIVED),
            HRESULT,
            "3.1.4.13",
            "As R_StartReceive, in a transaction.",
        ),
        Operation(
            14,
            "R_SetUserAcknowledgementClass",
            (_CONTEXT, _LOOKUP_ID, value("usClass", USHORT)),
            HRESULT,
            "3.1.4.14",
            "Marks a message received in a transaction as rejected, before that ends.",
        ),
        Operation(
            15,
            "R_EndTransactionalReceive",
            (_CONTEXT, _ACK, _REQUEST_ID),
            HRESULT,
            "3.1.4.15",
            "Ends a receive in a transaction; the message leaves the queue when that commits.",
        ),
    ),
    types={
        **mqmq.TYPES,
        "QUEUE_CONTEXT_HANDLE_NOSERIALIZE": QUEUE_CONTEXT_HANDLE_NOSERIALIZE,
        "QUEUE_CONTEXT_HANDLE_SERIALIZE": QUEUE_CONTEXT_HANDLE_SERIALIZE,
        "SectionType": SectionType,
        "SectionBuffer": SectionBuffer,
    },
)
