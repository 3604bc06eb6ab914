"""Names, actions and codes that sessions and rules speak of."""

from __future__ import annotations

from typing import Final

from decoders.registry import EPM, QM2QM, QMCOMM, QMCOMM2, QMMGMT, REMOTE_READ

# Operations, each with its interface.
START: Final = QM2QM.name, "RemoteQMStartReceive"
START2: Final = QM2QM.name, "RemoteQMStartReceive2"
BY_LOOKUP: Final = QM2QM.name, "RemoteQMStartReceiveByLookupId"
END: Final = QM2QM.name, "RemoteQMEndReceive"
OPEN: Final = QM2QM.name, "RemoteQMOpenQueue"
CLOSE: Final = QM2QM.name, "RemoteQMCloseQueue"
CLOSE_CURSOR: Final = QM2QM.name, "RemoteQMCloseCursor"
CANCEL: Final = QM2QM.name, "RemoteQMCancelReceive"
PURGE: Final = QM2QM.name, "RemoteQMPurgeQueue"
PORT: Final = QM2QM.name, "RemoteQMGetQMQMServerPort"
VERSION: Final = QM2QM.name, "RemoteQmGetVersion"
GET_INFO: Final = QMMGMT.name, "R_QMMgmtGetInfo"
ACTION: Final = QMMGMT.name, "R_QMMgmtAction"
EPT_MAP: Final = EPM.name, "ept_map"
EPT_LOOKUP: Final = EPM.name, "ept_lookup"
EPT_FREE: Final = EPM.name, "ept_lookup_handle_free"

BY_POSITION: Final = (START, START2)
STARTS: Final = (START, START2, BY_LOOKUP)
RETURNING: Final = (*STARTS, END, OPEN, CLOSE, CLOSE_CURSOR, CANCEL, PURGE)
"""Those that return an HRESULT."""

# [MS-MQQP] 2.2.2.1
RECEIVE: Final = 0x0000_0000
PEEK_CURRENT: Final = 0x8000_0000
PEEK_NEXT: Final = 0x8000_0001
LOOKUP_PEEK_CURRENT: Final = 0x4000_0010
LOOKUP_PEEK_NEXT: Final = 0x4000_0011
LOOKUP_PEEK_PREV: Final = 0x4000_0012
LOOKUP_RECEIVE_CURRENT: Final = 0x4000_0020
LOOKUP_RECEIVE_NEXT: Final = 0x4000_0021
LOOKUP_RECEIVE_PREV: Final = 0x4000_0022
ACTIONS_BY_POSITION: Final = {RECEIVE: "MQ_ACTION_RECEIVE", PEEK_CURRENT: "MQ_ACTION_PEEK_CURRENT",
                              PEEK_NEXT: "MQ_ACTION_PEEK_NEXT"}  # fmt: skip
ACTIONS_BY_LOOKUP: Final = {
    LOOKUP_PEEK_CURRENT: "MQ_LOOKUP_PEEK_CURRENT",
    LOOKUP_PEEK_NEXT: "MQ_LOOKUP_PEEK_NEXT",
    LOOKUP_PEEK_PREV: "MQ_LOOKUP_PEEK_PREV",
    LOOKUP_RECEIVE_CURRENT: "MQ_LOOKUP_RECEIVE_CURRENT",
    LOOKUP_RECEIVE_NEXT: "MQ_LOOKUP_RECEIVE_NEXT",
    LOOKUP_RECEIVE_PREV: "MQ_LOOKUP_RECEIVE_PREV",
}
ACTIONS: Final = ACTIONS_BY_POSITION | ACTIONS_BY_LOOKUP
RECEIVING: Final = frozenset((RECEIVE, LOOKUP_RECEIVE_CURRENT, LOOKUP_RECEIVE_NEXT, LOOKUP_RECEIVE_PREV))
PEEKING: Final = frozenset(ACTIONS) - RECEIVING
LOOKUP_CURRENT: Final = frozenset((LOOKUP_PEEK_CURRENT, LOOKUP_RECEIVE_CURRENT))
SEQUENTIAL: Final = (1 << 56) - 1
"""Of a lookup identifier, what a read tells of it."""

IP_READ: Final = 1
RR_NACK: Final = 1
RR_ACK: Final = 2
INFINITE: Final = 0xFFFF_FFFF
MAX_MESSAGE_BYTES: Final = 0x0042_0000

MQ_OK: Final = 0
MQ_ERROR: Final = 0xC00E_0001
MQ_ERROR_INVALID_PARAMETER: Final = 0xC00E_0006
MQ_ERROR_INVALID_HANDLE: Final = 0xC00E_0007
MQ_ERROR_OPERATION_CANCELLED: Final = 0xC00E_0008
MQ_ERROR_IO_TIMEOUT: Final = 0xC00E_001B
MQ_ERROR_ACCESS_DENIED: Final = 0xC00E_0025
MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT: Final = 0x400E_03E9
MQ_ERROR_MESSAGE_ALREADY_RECEIVED: Final = 0xC00E_001D
MQ_ERROR_TRANSACTION_USAGE: Final = 0xC00E_0050
MQ_ERROR_TRANSACTION_SEQUENCE: Final = 0xC00E_0051
MQ_ERROR_ILLEGAL_OPERATION: Final = 0xC00E_0064
MQ_ERROR_MESSAGE_NOT_FOUND: Final = 0xC00E_0088
MQ_INFORMATION_REMOTE_OPERATION: Final = 0x400E_03E8
STATUS_INVALID_HANDLE: Final = 0xC000_0008
STATUS_INVALID_PARAMETER: Final = 0xC000_000D
STATUS_ACCESS_DENIED: Final = 0xC000_0022
CONTEXT_MISMATCH: Final = 0x1C00_001A
"""nca_s_fault_context_mismatch: the runtime knows no such handle."""

AUTH_INTEGRITY: Final = 5

NANOSECONDS: Final = 1_000_000_000
"""Of a second."""

# [MS-MQMP] 3.1.4 and 3.1.5
OPEN_REMOTE: Final = QMCOMM.name, "R_QMOpenRemoteQueue"
CLOSE_REMOTE: Final = QMCOMM.name, "R_QMCloseRemoteQueueContext"
CREATE_REMOTE_CURSOR: Final = QMCOMM.name, "R_QMCreateRemoteCursor"
REMOTE_NAME: Final = QMCOMM.name, "R_QMGetRemoteQueueName"
CREATE_OBJECT: Final = QMCOMM.name, "R_QMCreateObjectInternal"
SET_SECURITY: Final = QMCOMM.name, "R_QMSetObjectSecurityInternal"
GET_SECURITY: Final = QMCOMM.name, "R_QMGetObjectSecurityInternal"
DELETE_OBJECT: Final = QMCOMM.name, "R_QMDeleteObject"
GET_PROPERTIES: Final = QMCOMM.name, "R_QMGetObjectProperties"
SET_PROPERTIES: Final = QMCOMM.name, "R_QMSetObjectProperties"
CHANGING: Final = (SET_PROPERTIES, ACTION, CREATE_OBJECT, DELETE_OBJECT)
"""What an administrator changes."""
PATH_TO_FORMAT: Final = QMCOMM.name, "R_QMObjectPathToObjectFormat"
WHEREABOUTS: Final = QMCOMM.name, "R_QMGetTmWhereabouts"
ENLIST_EXTERNAL: Final = QMCOMM.name, "R_QMEnlistTransaction"
ENLIST_INTERNAL: Final = QMCOMM.name, "R_QMEnlistInternalTransaction"
COMMIT: Final = QMCOMM.name, "R_QMCommitTransaction"
ABORT: Final = QMCOMM.name, "R_QMAbortTransaction"
QM_OPEN: Final = QMCOMM.name, "rpc_QMOpenQueueInternal"
AC_CLOSE: Final = QMCOMM.name, "rpc_ACCloseHandle"
AC_CLOSE_CURSOR: Final = QMCOMM.name, "rpc_ACCloseCursor"
AC_SET_CURSOR: Final = QMCOMM.name, "rpc_ACSetCursorProperties"
AC_NAME: Final = QMCOMM.name, "rpc_ACHandleToFormatName"
AC_PURGE: Final = QMCOMM.name, "rpc_ACPurgeQueue"
QUERY_REGISTRY: Final = QMCOMM.name, "R_QMQueryQMRegistryInternal"
RT_PORT: Final = QMCOMM.name, "R_QMGetRTQMServerPort"
QM_SEND: Final = QMCOMM2.name, "QMSendMessageInternalEx"
AC_SEND: Final = QMCOMM2.name, "rpc_ACSendMessageEx"
AC_RECEIVE: Final = QMCOMM2.name, "rpc_ACReceiveMessageEx"
AC_CREATE_CURSOR: Final = QMCOMM2.name, "rpc_ACCreateCursorEx"
ON_QUEUE_HANDLE: Final = (AC_NAME, AC_PURGE, AC_CREATE_CURSOR)
BY_QUEUE_HANDLE: Final = (AC_CLOSE, AC_CLOSE_CURSOR, AC_SET_CURSOR, *ON_QUEUE_HANDLE, AC_SEND)
"""Those that name an open queue by its context handle; rpc_ACReceiveMessageEx does by a number."""
SUPPORTED_OPENS: Final = (OPEN_REMOTE, QM_OPEN)
ON_PRIVATE_QUEUE: Final = (SET_SECURITY, GET_SECURITY, DELETE_OBJECT, GET_PROPERTIES, SET_PROPERTIES)
SUPPORTED_SENDS: Final = (QM_SEND, AC_SEND)
TRANSFERS: Final = (*SUPPORTED_SENDS, AC_RECEIVE)
SUPPORTED_RETURNING: Final = (REMOTE_NAME, *SUPPORTED_OPENS, CREATE_REMOTE_CURSOR, CREATE_OBJECT, *ON_PRIVATE_QUEUE,
                              PATH_TO_FORMAT, WHEREABOUTS, ENLIST_EXTERNAL, ENLIST_INTERNAL, COMMIT, ABORT,
                              *BY_QUEUE_HANDLE, QUERY_REGISTRY, QM_SEND, AC_RECEIVE)  # fmt: skip
"""Those that return an HRESULT."""

# [MS-MQRR] 3.1.4
REMOTE_PORT: Final = REMOTE_READ.name, "R_GetServerPort"
REMOTE_OPEN: Final = REMOTE_READ.name, "R_OpenQueue"
REMOTE_CLOSE: Final = REMOTE_READ.name, "R_CloseQueue"
REMOTE_CREATE_CURSOR: Final = REMOTE_READ.name, "R_CreateCursor"
REMOTE_CLOSE_CURSOR: Final = REMOTE_READ.name, "R_CloseCursor"
REMOTE_PURGE: Final = REMOTE_READ.name, "R_PurgeQueue"
REMOTE_START: Final = REMOTE_READ.name, "R_StartReceive"
REMOTE_CANCEL: Final = REMOTE_READ.name, "R_CancelReceive"
REMOTE_END: Final = REMOTE_READ.name, "R_EndReceive"
MOVE: Final = REMOTE_READ.name, "R_MoveMessage"
OPEN_FOR_MOVE: Final = REMOTE_READ.name, "R_OpenQueueForMove"
ENLIST_REMOTE: Final = REMOTE_READ.name, "R_QMEnlistRemoteTransaction"
REMOTE_START_IN_TRANSACTION: Final = REMOTE_READ.name, "R_StartTransactionalReceive"
SET_CLASS: Final = REMOTE_READ.name, "R_SetUserAcknowledgementClass"
REMOTE_END_IN_TRANSACTION: Final = REMOTE_READ.name, "R_EndTransactionalReceive"
REMOTE_OPENS: Final = (REMOTE_OPEN, OPEN_FOR_MOVE)
REMOTE_STARTS: Final = (REMOTE_START, REMOTE_START_IN_TRANSACTION)
REMOTE_ENDS: Final = (REMOTE_END, REMOTE_END_IN_TRANSACTION)
REMOTE_READING: Final = (
    REMOTE_CREATE_CURSOR,
    REMOTE_CLOSE_CURSOR,
    REMOTE_PURGE,
    *REMOTE_STARTS,
    REMOTE_CANCEL,
    *REMOTE_ENDS,
    MOVE,
    SET_CLASS,
)
"""Those that take a handle of R_OpenQueue."""
REMOTE_HANDLED: Final = (REMOTE_CLOSE, *REMOTE_READING)
REMOTE_RETURNING: Final = (*REMOTE_HANDLED, ENLIST_REMOTE)
"""Those that return an HRESULT."""

VOID: Final = frozenset((*REMOTE_OPENS, CLOSE_REMOTE, VERSION))
"""Return nothing: an answer is success, and an error is a fault that carries its code."""

RECEIVE_ACCESS: Final = 0x01
SEND_ACCESS: Final = 0x02
MOVE_ACCESS: Final = 0x04
PEEK_ACCESS: Final = 0x20
ADMIN_ACCESS: Final = 0x80

# [MS-DCOM] 3.1.1.5.6, 3.1.2.5, [MS-OAUT] 3.1.4. Interfaces derived from these have their operations too.
RESOLVE_OXID2: Final = "IObjectExporter", "ResolveOxid2"
SIMPLE_PING: Final = "IObjectExporter", "SimplePing"
COMPLEX_PING: Final = "IObjectExporter", "ComplexPing"
SERVER_ALIVE2: Final = "IObjectExporter", "ServerAlive2"
GET_CLASS_OBJECT: Final = "IRemoteSCMActivator", "RemoteGetClassObject"
CREATE_INSTANCE: Final = "IRemoteSCMActivator", "RemoteCreateInstance"
ACTIVATE: Final = "IActivation", "RemoteActivation"
BLOB_ACTIVATIONS: Final = (GET_CLASS_OBJECT, CREATE_INSTANCE)
"""Those whose arguments are properties of an activation blob."""
ACTIVATIONS: Final = (*BLOB_ACTIVATIONS, ACTIVATE)
OF_FACTORY: Final = "IClassFactory", "CreateInstance"
QUERY_INTERFACE: Final = "IRemUnknown", "RemQueryInterface"
ADD_REFERENCES: Final = "IRemUnknown", "RemAddRef"
RELEASE: Final = "IRemUnknown", "RemRelease"
GET_TYPE_INFO: Final = "IDispatch", "GetTypeInfo"
GET_IDS: Final = "IDispatch", "GetIDsOfNames"
INVOKE: Final = "IDispatch", "Invoke"
