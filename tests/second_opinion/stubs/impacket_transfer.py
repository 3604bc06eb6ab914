"""CACTransferBufferV2 of [MS-MQMP] section 6 in impacket's words."""

from __future__ import annotations

from typing import Final

from impacket.dcerpc.v5.dtypes import GUID
from impacket.dcerpc.v5.ndr import NDR, NDRLONG, NDRULONG, NDRUSHORT, NDRUSMALL

from tests.second_opinion.stubs.impacket_ndr import (
    ARM,
    Members,
    Octets,
    Units,
    VaryingOctets,
    VaryingUnits,
    pointer,
    structure,
    union,
)
from tests.second_opinion.stubs.impacket_types import OBJECTID, QUEUE_FORMAT, XACTUOW


def _twice(to: type[NDR]) -> type[NDR]:
    return pointer(pointer(to))


_PULONG: Final = pointer(NDRULONG)
_PUCHAR: Final = pointer(NDRUSMALL)


def _format_name(kind: str) -> Members:
    return (
        (f"ul{kind}FormatNameLen", NDRULONG),
        (f"pp{kind}FormatName", _twice(Units)),
        (f"pul{kind}FormatNameLenProp", _PULONG),
    )


_Send: Final = structure(
    "Send", ("pAdminQueueFormat", pointer(QUEUE_FORMAT)), ("pResponseQueueFormat", pointer(QUEUE_FORMAT))
)
_Receive: Final = structure(
    "Receive",
    ("RequestTimeout", NDRULONG),
    ("Action", NDRULONG),
    ("Asynchronous", NDRULONG),
    ("Cursor", NDRULONG),
    *_format_name("Response"),
    *_format_name("Admin"),
    *_format_name("Dest"),
    *_format_name("Ordering"),
)
_CreateCursor: Final = structure(
    "CreateCursor", ("hCursor", NDRULONG), ("srv_hACQueue", NDRULONG), ("cli_pQMQueue", NDRULONG)
)

CACTransferBufferV1: Final = structure(
    "CACTransferBufferV1",
    ("uTransferType", NDRULONG),
    (
        ARM,
        union("Transfer", NDRULONG, {0: ("Send", _Send), 1: ("Receive", _Receive), 2: ("CreateCursor", _CreateCursor)}),
    ),
    ("pClass", pointer(NDRUSHORT)),
    ("ppMessageID", _twice(OBJECTID)),
    ("ppCorrelationID", _twice(VaryingOctets)),
    ("pSentTime", _PULONG),
    ("pArrivedTime", _PULONG),
    ("pPriority", _PUCHAR),
    ("pDelivery", _PUCHAR),
    ("pAcknowledge", _PUCHAR),
    ("pAuditing", _PUCHAR),
    ("pApplicationTag", _PULONG),
    ("ppBody", _twice(VaryingOctets)),
    ("ulBodyBufferSizeInBytes", NDRULONG),
    ("ulAllocBodyBufferInBytes", NDRULONG),
    ("pBodySize", _PULONG),
    ("ppTitle", _twice(VaryingUnits)),
    ("ulTitleBufferSizeInWCHARs", NDRULONG),
    ("pulTitleBufferSizeInWCHARs", _PULONG),
    ("ulAbsoluteTimeToQueue", NDRULONG),
    ("pulRelativeTimeToQueue", _PULONG),
    ("ulRelativeTimeToLive", NDRULONG),
    ("pulRelativeTimeToLive", _PULONG),
    ("pTrace", _PUCHAR),
    ("pulSenderIDType", _PULONG),
    ("ppSenderID", _twice(Octets)),
    ("pulSenderIDLenProp", _PULONG),
    ("pulPrivLevel", _PULONG),
    ("ulAuthLevel", NDRULONG),
    ("pAuthenticated", _PUCHAR),
    ("pulHashAlg", _PULONG),
    ("pulEncryptAlg", _PULONG),
    ("ppSenderCert", _twice(Octets)),
    ("ulSenderCertLen", NDRULONG),
    ("pulSenderCertLenProp", _PULONG),
    ("ppwcsProvName", _twice(Units)),
    ("ulProvNameLen", NDRULONG),
    ("pulAuthProvNameLenProp", _PULONG),
    ("pulProvType", _PULONG),
    ("fDefaultProvider", NDRLONG),
    ("ppSymmKeys", _twice(Octets)),
    ("ulSymmKeysSize", NDRULONG),
    ("pulSymmKeysSizeProp", _PULONG),
    ("bEncrypted", NDRUSMALL),
    ("bAuthenticated", NDRUSMALL),
    ("uSenderIDLen", NDRUSHORT),
    ("ppSignature", _twice(Octets)),
    ("ulSignatureSize", NDRULONG),
    ("pulSignatureSizeProp", _PULONG),
    ("ppSrcQMID", _twice(GUID)),
    ("pUow", pointer(XACTUOW)),
    ("ppMsgExtension", _twice(VaryingOctets)),
    ("ulMsgExtensionBufferInBytes", NDRULONG),
    ("pMsgExtensionSize", _PULONG),
    ("ppConnectorType", _twice(GUID)),
    ("pulBodyType", _PULONG),
    ("pulVersion", _PULONG),
)
CACTransferBufferV2: Final = structure(
    "CACTransferBufferV2",
    ("old", CACTransferBufferV1),
    ("pbFirstInXact", _PUCHAR),
    ("pbLastInXact", _PUCHAR),
    ("ppXactID", _twice(OBJECTID)),
)
