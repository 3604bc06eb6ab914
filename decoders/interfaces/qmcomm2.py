"""qmcomm2, by which applications send and receive through a queue manager on another machine: [MS-MQMP] section 6."""

from __future__ import annotations

from typing import Final

from decoders.interfaces import mqmp, mqmq
from decoders.interfaces.parameters import pointer, reference, value
from decoders.ndr.base_types import DWORD, HRESULT
from decoders.ndr.model import Direction, Interface, Operation, PointerKind
from decoders.registry import QMCOMM2

_IN: Final = Direction.IN
_IN_OUT: Final = Direction.IN | Direction.OUT
_MESSAGE: Final = reference(_IN, "ptb", mqmp.CACTransferBufferV2)
_MESSAGE_ID: Final = pointer(_IN_OUT, PointerKind.UNIQUE, "pMessageID", mqmq.OBJECTID)

INTERFACE: Final = Interface(
    **QMCOMM2.identity,
    doc="Applications send and receive messages through a queue manager on another machine.",
    operations=(
        Operation(
            0,
            "QMSendMessageInternalEx",
            (reference(_IN, "pQueueFormat", mqmq.QUEUE_FORMAT), _MESSAGE, _MESSAGE_ID),
            HRESULT,
            "3.1.5.1",
            "Sends a message once more, which the server could not encrypt at once; obsolete.",
        ),
        Operation(
            1,
            "rpc_ACSendMessageEx",
            (value("hQueue", mqmp.RPC_QUEUE_HANDLE), _MESSAGE, _MESSAGE_ID),
            HRESULT,
            "3.1.5.2",
            "Sends a message to an open queue.",
            takes_handle_t=False,
        ),
        Operation(
            2,
            "rpc_ACReceiveMessageEx",
            (value("hQMContext", DWORD), reference(_IN_OUT, "ptb", mqmp.CACTransferBufferV2)),
            HRESULT,
            "3.1.5.3",
            "Peeks at a message of an open queue, or receives it.",
        ),
        Operation(
            3,
            "rpc_ACCreateCursorEx",
            (value("hQueue", mqmp.RPC_QUEUE_HANDLE), reference(_IN_OUT, "pcc", mqmp.CACCreateRemoteCursor)),
            HRESULT,
            "3.1.5.4",
            "Creates a cursor on an open queue.",
            takes_handle_t=False,
        ),
    ),
    types={
        **mqmq.TYPES,
        "CACCreateRemoteCursor": mqmp.CACCreateRemoteCursor,
        "TRANSFER_TYPE": mqmp.TRANSFER_TYPE,
        "CACTransferBufferV1": mqmp.CACTransferBufferV1,
        "CACTransferBufferV2": mqmp.CACTransferBufferV2,
        "RPC_QUEUE_HANDLE": mqmp.RPC_QUEUE_HANDLE,
    },
)
