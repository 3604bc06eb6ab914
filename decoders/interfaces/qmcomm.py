"""qmcomm, by which applications use a queue manager on another machine: [MS-MQMP] section 6."""

from __future__ import annotations

from typing import Final

from decoders.interfaces import mqmp, mqmq, qmcomm_objects
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import DTYP_WCHAR, DWORD, GUID, HRESULT, UNSIGNED_CHAR
from decoders.ndr.model import Array, ContextHandle, Direction, Interface, Operation, Pointer, PointerKind, String
from decoders.registry import QMCOMM

PCTX_OPENREMOTE_HANDLE_TYPE = ContextHandle("PCTX_OPENREMOTE_HANDLE_TYPE")
RPC_INT_XACT_HANDLE = ContextHandle("RPC_INT_XACT_HANDLE")

_IN: Final = Direction.IN
_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT

# The attribute is the outer pointer's; pointer_default makes the inner one unique.
_REMOTE_NAME: Final = pointer(_IN_OUT, PointerKind.FULL, "lplpRemoteQueueName", Pointer(String(DTYP_WCHAR)))
_TRANSACTION: Final = reference(_IN, "pUow", mqmq.XACTUOW)

INTERFACE: Final = Interface(
    **QMCOMM.identity,
    doc="Applications open, create, secure, purge and delete queues through a queue manager on another machine.",
    operations=(
        Operation(
            1,
            "R_QMGetRemoteQueueName",
            (value("pQueue", DWORD), _REMOTE_NAME),
            HRESULT,
            "3.1.4.1",
            "Asks for the path of a remote queue while a cursor is created; obsolete.",
        ),
        Operation(
            2,
            "R_QMOpenRemoteQueue",
            (
                reference(_OUT, "pphContext", PCTX_OPENREMOTE_HANDLE_TYPE),
                reference(_OUT, "pdwContext", DWORD),
                pointer(_IN, PointerKind.UNIQUE, "pQueueFormat", mqmq.QUEUE_FORMAT),
                value("dwCallingProcessID", DWORD),
                value("dwDesiredAccess", DWORD),
                value("dwShareMode", DWORD),
                reference(_IN, "pLicGuid", GUID),
                value("dwMQS", DWORD),
                reference(_OUT, "dwpQueue", DWORD),
                reference(_OUT, "phQueue", DWORD),
            ),
            HRESULT,
            "3.1.4.2",
            "Opens a queue that qm2qm is going to read.",
        ),
        Operation(
            3,
            "R_QMCloseRemoteQueueContext",
            (reference(_IN_OUT, "pphContext", PCTX_OPENREMOTE_HANDLE_TYPE),),
            None,
            "3.1.4.3",
            "Gives back what R_QMOpenRemoteQueue opened.",
            status="",
            takes_handle_t=False,
        ),
        Operation(
            4,
            "R_QMCreateRemoteCursor",
            (
                reference(_IN, "ptb1", mqmp.CACTransferBufferV1),
                value("hQueue", DWORD),
                reference(_OUT, "phCursor", DWORD),
            ),
            HRESULT,
            "3.1.4.4",
            "Creates a cursor on a queue that qm2qm reads.",
        ),
        *qmcomm_objects.OPERATIONS,
        Operation(
            14,
            "R_QMGetTmWhereabouts",
            (
                value("cbBufSize", DWORD, (0, 131_072)),
                reference(_OUT, "pbWhereabouts", Array(UNSIGNED_CHAR, size_is="cbBufSize")),
                reference(_OUT, "pcbWhereabouts", DWORD),
            ),
            HRESULT,
            "3.1.4.12",
            "Asks where the server's transaction manager is.",
        ),
        Operation(
            15,
            "R_QMEnlistTransaction",
            (
                _TRANSACTION,
                value("cbCookie", DWORD, (0, 131_072)),
                reference(_IN, "pbCookie", Array(UNSIGNED_CHAR, size_is="cbCookie")),
            ),
            HRESULT,
            "3.1.4.13",
            "Lets the server take part in a transaction of a transaction manager.",
        ),
        Operation(
            16,
            "R_QMEnlistInternalTransaction",
            (_TRANSACTION, reference(_OUT, "phIntXact", RPC_INT_XACT_HANDLE)),
            HRESULT,
            "3.1.4.14",
            "Begins a transaction of message queuing's own.",
        ),
        Operation(
            17,
            "R_QMCommitTransaction",
            (reference(_IN_OUT, "phIntXact", RPC_INT_XACT_HANDLE),),
            HRESULT,
            "3.1.4.15",
            "Commits a transaction of message queuing's own.",
            takes_handle_t=False,
        ),
        Operation(
            18,
            "R_QMAbortTransaction",
            (reference(_IN_OUT, "phIntXact", RPC_INT_XACT_HANDLE),),
            HRESULT,
            "3.1.4.16",
            "Aborts a transaction of message queuing's own.",
            takes_handle_t=False,
        ),
        Operation(
            19,
            "rpc_QMOpenQueueInternal",
            (
                reference(_IN, "pQueueFormat", mqmq.QUEUE_FORMAT),
                value("dwDesiredAccess", DWORD),
                value("dwShareMode", DWORD),
                value("hRemoteQueue", DWORD),
                _REMOTE_NAME,
                reference(_IN, "dwpQueue", DWORD),
                reference(_IN, "pLicGuid", GUID),
                reference(_IN, "lpClientName", String(DTYP_WCHAR)),
                reference(_OUT, "pdwQMContext", DWORD),
                reference(_OUT, "phQueue", mqmp.RPC_QUEUE_HANDLE),
                value("dwRemoteProtocol", DWORD),
                value("dwpRemoteContext", DWORD),
            ),
            HRESULT,
            "3.1.4.17",
            "Opens a queue to send, peek, receive or purge.",
        ),
        Operation(
            20,
            "rpc_ACCloseHandle",
            (reference(_IN_OUT, "phQueue", mqmp.RPC_QUEUE_HANDLE),),
            HRESULT,
            "3.1.4.18",
            "Closes a queue.",
            takes_handle_t=False,
        ),
        Operation(
            22,
            "rpc_ACCloseCursor",
            (value("hQueue", mqmp.RPC_QUEUE_HANDLE), value("hCursor", DWORD)),
            HRESULT,
            "3.1.4.19",
            "Closes a cursor.",
            takes_handle_t=False,
        ),
        Operation(
            23,
            "rpc_ACSetCursorProperties",
            (value("hProxy", mqmp.RPC_QUEUE_HANDLE), value("hCursor", DWORD), value("hRemoteCursor", DWORD)),
            HRESULT,
            "3.1.4.20",
            "Ties a cursor to one on another machine.",
            takes_handle_t=False,
        ),
        Operation(
            26,
            "rpc_ACHandleToFormatName",
            (
                value("hQueue", mqmp.RPC_QUEUE_HANDLE),
                value("dwFormatNameRPCBufferLen", DWORD, (0, 524_288)),
                pointer(
                    _IN_OUT,
                    PointerKind.UNIQUE,
                    "lpwcsFormatName",
                    Array(DTYP_WCHAR, size_is="dwFormatNameRPCBufferLen", length_is="dwFormatNameRPCBufferLen"),
                ),
                reference(_IN_OUT, "pdwLength", DWORD),
            ),
            HRESULT,
            "3.1.4.21",
            "Asks for the format name of an open queue.",
            takes_handle_t=False,
        ),
        Operation(
            27,
            "rpc_ACPurgeQueue",
            (value("hQueue", mqmp.RPC_QUEUE_HANDLE),),
            HRESULT,
            "3.1.4.22",
            "Deletes every message of a queue.",
            takes_handle_t=False,
        ),
        Operation(
            28,
            "R_QMQueryQMRegistryInternal",
            (value("dwQueryType", DWORD), reference(_OUT, "lplpMQISServer", Pointer(String(DTYP_WCHAR)))),
            HRESULT,
            "3.1.4.23",
            "Asks for a setting of the server: directory servers, time to reach queue, forest, version or identifier.",
        ),
        Operation(
            31,
            "R_QMGetRTQMServerPort",
            (value("fIP", DWORD),),
            DWORD,
            "3.1.4.24",
            "Asks for the port of qmcomm or of qm2qm; 0 where there is none.",
            status="",
        ),
    ),
    types={
        **mqmq.TYPES,
        "CACCreateRemoteCursor": mqmp.CACCreateRemoteCursor,
        "TRANSFER_TYPE": mqmp.TRANSFER_TYPE,
        "CACTransferBufferV1": mqmp.CACTransferBufferV1,
        "CACTransferBufferV2": mqmp.CACTransferBufferV2,
        "OBJECT_FORMAT": mqmp.OBJECT_FORMAT,
        "PCTX_OPENREMOTE_HANDLE_TYPE": PCTX_OPENREMOTE_HANDLE_TYPE,
        "RPC_QUEUE_HANDLE": mqmp.RPC_QUEUE_HANDLE,
        "RPC_INT_XACT_HANDLE": RPC_INT_XACT_HANDLE,
    },
)
