"""The types that qmcomm and qmcomm2 share: [MS-MQMP] section 6, where qmcomm declares them."""

from __future__ import annotations

from decoders.interfaces import mqmq
from decoders.ndr.base_types import (
    DTYP_WCHAR,
    DWORD,
    GUID,
    LONG,
    UNSIGNED_CHAR,
    UNSIGNED_SHORT,
)
from decoders.ndr.model import Arm, Array, ContextHandle, Enum, Member, Pointer, Scalar, Struct, Type, Union

RPC_QUEUE_HANDLE = ContextHandle("RPC_QUEUE_HANDLE")

CACCreateRemoteCursor = Struct(
    "CACCreateRemoteCursor",
    (Member("hCursor", DWORD), Member("srv_hACQueue", DWORD), Member("cli_pQMQueue", DWORD)),
    tag="CACCreateRemoteCursor",
)

TRANSFER_TYPE = Enum("TRANSFER_TYPE", (("CACTB_SEND", 0), ("CACTB_RECEIVE", 1), ("CACTB_CREATECURSOR", 2)))


def _optional(name: str, to: Type) -> Member:
    return Member(name, Pointer(to))


def _buffer(name: str, of: Scalar, size: str, length: str | None = None, *, payload: bool = False) -> Member:
    """A pointer to a pointer to an array."""
    return Member(name, Pointer(Pointer(Array(of, size_is=size, length_is=length))), payload=payload)


def _object(name: str, to: Type) -> Member:
    return Member(name, Pointer(Pointer(to)))


def _format_name(kind: str) -> tuple[Member, Member, Member]:
    size = f"ul{kind}FormatNameLen"
    return (
        Member(size, DWORD, range=(0, 1024)),
        _buffer(f"pp{kind}FormatName", DTYP_WCHAR, size),
        _optional(f"{size.replace('ul', 'pul', 1)}Prop", DWORD),
    )


_Send = Struct(
    "",
    (
        _optional("pAdminQueueFormat", mqmq.QUEUE_FORMAT),
        _optional("pResponseQueueFormat", mqmq.QUEUE_FORMAT),
    ),
)
_Receive = Struct(
    "",
    (
        Member("RequestTimeout", DWORD),
        Member("Action", DWORD),
        Member("Asynchronous", DWORD),
        Member("Cursor", DWORD),
        *_format_name("Response"),
        *_format_name("Admin"),
        *_format_name("Dest"),
        *_format_name("Ordering"),
    ),
)

CACTransferBufferV1 = Struct(
    "CACTransferBufferV1",
    (
        Member("uTransferType", DWORD, range=(0, 2)),
        Member(
            "",
            Union(
                "",
                DWORD,
                (
                    Arm((0,), Member("Send", _Send), ("CACTB_SEND",)),
                    Arm((1,), Member("Receive", _Receive), ("CACTB_RECEIVE",)),
                    Arm((2,), Member("CreateCursor", CACCreateRemoteCursor), ("CACTB_CREATECURSOR",)),
                ),
            ),
            switch_is="uTransferType",
        ),
        _optional("pClass", UNSIGNED_SHORT),
        _object("ppMessageID", mqmq.OBJECTID),
        _buffer("ppCorrelationID", UNSIGNED_CHAR, "20", "20"),
        _optional("pSentTime", DWORD),
        _optional("pArrivedTime", DWORD),
        _optional("pPriority", UNSIGNED_CHAR),
        _optional("pDelivery", UNSIGNED_CHAR),
        _optional("pAcknowledge", UNSIGNED_CHAR),
        _optional("pAuditing", UNSIGNED_CHAR),
        _optional("pApplicationTag", DWORD),
        _buffer("ppBody", UNSIGNED_CHAR, "ulAllocBodyBufferInBytes", "ulBodyBufferSizeInBytes", payload=True),
        Member("ulBodyBufferSizeInBytes", DWORD),
        Member("ulAllocBodyBufferInBytes", DWORD),
        _optional("pBodySize", DWORD),
        _buffer("ppTitle", DTYP_WCHAR, "ulTitleBufferSizeInWCHARs", "ulTitleBufferSizeInWCHARs"),
        Member("ulTitleBufferSizeInWCHARs", DWORD),
        _optional("pulTitleBufferSizeInWCHARs", DWORD),
        Member("ulAbsoluteTimeToQueue", DWORD),
        _optional("pulRelativeTimeToQueue", DWORD),
        Member("ulRelativeTimeToLive", DWORD),
        _optional("pulRelativeTimeToLive", DWORD),
        _optional("pTrace", UNSIGNED_CHAR),
        _optional("pulSenderIDType", DWORD),
        _buffer("ppSenderID", UNSIGNED_CHAR, "uSenderIDLen"),
        _optional("pulSenderIDLenProp", DWORD),
        _optional("pulPrivLevel", DWORD),
        Member("ulAuthLevel", DWORD),
        _optional("pAuthenticated", UNSIGNED_CHAR),
        _optional("pulHashAlg", DWORD),
        _optional("pulEncryptAlg", DWORD),
        _buffer("ppSenderCert", UNSIGNED_CHAR, "ulSenderCertLen"),
        Member("ulSenderCertLen", DWORD),
        _optional("pulSenderCertLenProp", DWORD),
        _buffer("ppwcsProvName", DTYP_WCHAR, "ulProvNameLen"),
        Member("ulProvNameLen", DWORD),
        _optional("pulAuthProvNameLenProp", DWORD),
        _optional("pulProvType", DWORD),
        Member("fDefaultProvider", LONG),
        _buffer("ppSymmKeys", UNSIGNED_CHAR, "ulSymmKeysSize"),
        Member("ulSymmKeysSize", DWORD),
        _optional("pulSymmKeysSizeProp", DWORD),
        Member("bEncrypted", UNSIGNED_CHAR),
        Member("bAuthenticated", UNSIGNED_CHAR),
        Member("uSenderIDLen", UNSIGNED_SHORT),
        _buffer("ppSignature", UNSIGNED_CHAR, "ulSignatureSize"),
        Member("ulSignatureSize", DWORD),
        _optional("pulSignatureSizeProp", DWORD),
        _object("ppSrcQMID", GUID),
        _optional("pUow", mqmq.XACTUOW),
        _buffer("ppMsgExtension", UNSIGNED_CHAR, "ulMsgExtensionBufferInBytes", "ulMsgExtensionBufferInBytes"),
        Member("ulMsgExtensionBufferInBytes", DWORD),
        _optional("pMsgExtensionSize", DWORD),
        _object("ppConnectorType", GUID),
        _optional("pulBodyType", DWORD),
        _optional("pulVersion", DWORD),
    ),
    tag="CACTransferBufferV1",
)

CACTransferBufferV2 = Struct(
    "CACTransferBufferV2",
    (
        Member("old", CACTransferBufferV1),
        _optional("pbFirstInXact", UNSIGNED_CHAR),
        _optional("pbLastInXact", UNSIGNED_CHAR),
        _object("ppXactID", mqmq.OBJECTID),
    ),
    tag="CACTransferBufferV2",
)

OBJECT_FORMAT = Struct(
    "OBJECT_FORMAT",
    (
        Member("ObjType", DWORD, range=(1, 2)),
        # [MS-MQMP] 2.2.3.5: 2 is for local use and never on the wire.
        Member(
            "",
            Union("", DWORD, (Arm((1,), Member("pQueueFormat", Pointer(mqmq.QUEUE_FORMAT))),)),
            switch_is="ObjType",
        ),
    ),
    tag="OBJECT_FORMAT",
)
