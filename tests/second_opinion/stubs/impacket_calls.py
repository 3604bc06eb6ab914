"""impacket's endpoint mapper, and the calls of MSMQ that scapy-rpc is least able to speak, in impacket's words."""

from __future__ import annotations

from typing import Final

from impacket.dcerpc.v5 import epm
from impacket.dcerpc.v5.dtypes import GUID, LPWSTR, WSTR
from impacket.dcerpc.v5.ndr import NDR, NDRCALL, NDRUHYPER, NDRULONG

from decoders.ndr.model import Direction
from tests.second_opinion.stubs.impacket_ndr import Octets, array, pointer, varying_parameter
from tests.second_opinion.stubs.impacket_transfer import CACTransferBufferV2
from tests.second_opinion.stubs.impacket_types import OBJECTID, PROPVARIANT, QUEUE_FORMAT, SectionBuffer

_HANDLE: Final = epm.ept_lookup_handle_t


def _call(name: str, *members: tuple[str, type[NDR]]) -> type[NDRCALL]:
    return type(name, (NDRCALL,), {"structure": members})


_REMOTE_NAME: Final = ("lplpRemoteQueueName", pointer(LPWSTR))
_RESULT: Final = ("return_value", NDRULONG)
_SIGNATURE: Final = (("pbServerSignature", Octets), ("pdwServerSignatureSize", NDRULONG))

CALLS: Final[dict[tuple[str, Direction], type[NDRCALL]]] = {
    ("ept_lookup", Direction.IN): epm.ept_lookup,
    ("ept_lookup", Direction.OUT): epm.ept_lookupResponse,
    ("ept_map", Direction.IN): epm.ept_map,
    ("ept_map", Direction.OUT): epm.ept_mapResponse,
    # impacket does not declare it; of its own types.
    ("ept_lookup_handle_free", Direction.IN): _call("Free", ("entry_handle", _HANDLE)),
    ("ept_lookup_handle_free", Direction.OUT): _call("Freed", ("entry_handle", _HANDLE), ("status", epm.error_status)),
    ("R_QMOpenRemoteQueue", Direction.IN): _call(
        "Open",
        ("pQueueFormat", pointer(QUEUE_FORMAT)),
        ("dwCallingProcessID", NDRULONG),
        ("dwDesiredAccess", NDRULONG),
        ("dwShareMode", NDRULONG),
        ("pLicGuid", GUID),
        ("dwMQS", NDRULONG),
    ),
    ("R_QMOpenRemoteQueue", Direction.OUT): _call(
        "Opened",
        ("pphContext", _HANDLE),
        ("pdwContext", NDRULONG),
        ("dwpQueue", NDRULONG),
        ("phQueue", NDRULONG),
        _RESULT,
    ),
    ("rpc_QMOpenQueueInternal", Direction.IN): _call(
        "OpenInternal",
        ("pQueueFormat", QUEUE_FORMAT),
        ("dwDesiredAccess", NDRULONG),
        ("dwShareMode", NDRULONG),
        ("hRemoteQueue", NDRULONG),
        _REMOTE_NAME,
        ("dwpQueue", NDRULONG),
        ("pLicGuid", GUID),
        ("lpClientName", WSTR),
        ("dwRemoteProtocol", NDRULONG),
        ("dwpRemoteContext", NDRULONG),
    ),
    ("rpc_QMOpenQueueInternal", Direction.OUT): _call(
        "OpenedInternal", _REMOTE_NAME, ("pdwQMContext", NDRULONG), ("phQueue", _HANDLE), _RESULT
    ),
    ("rpc_ACSendMessageEx", Direction.IN): _call(
        "Send", ("hQueue", _HANDLE), ("ptb", CACTransferBufferV2), ("pMessageID", pointer(OBJECTID))
    ),
    ("rpc_ACSendMessageEx", Direction.OUT): _call("Sent", ("pMessageID", pointer(OBJECTID)), _RESULT),
    ("rpc_ACReceiveMessageEx", Direction.IN): _call("Receive", ("hQMContext", NDRULONG), ("ptb", CACTransferBufferV2)),
    ("rpc_ACReceiveMessageEx", Direction.OUT): _call("Received", ("ptb", CACTransferBufferV2), _RESULT),
    ("R_StartReceive", Direction.IN): _call(
        "Start",
        ("phContext", _HANDLE),
        ("LookupId", NDRUHYPER),
        ("hCursor", NDRULONG),
        ("ulAction", NDRULONG),
        ("ulTimeout", NDRULONG),
        ("dwRequestId", NDRULONG),
        ("dwMaxBodySize", NDRULONG),
        ("dwMaxCompoundMessageSize", NDRULONG),
    ),
    ("R_StartReceive", Direction.OUT): _call(
        "Started",
        ("pdwArriveTime", NDRULONG),
        ("pSequenceId", NDRUHYPER),
        ("pdwNumberOfSections", NDRULONG),
        ("ppPacketSections", pointer(array(SectionBuffer))),
        _RESULT,
    ),
    ("S_DSLookupNext", Direction.IN): _call(
        "Next",
        ("Handle", _HANDLE),
        ("dwSize", NDRULONG),
        ("phServerAuth", _HANDLE),
        ("pdwServerSignatureSize", NDRULONG),
    ),
    ("S_DSLookupNext", Direction.OUT): _call(
        "Found", ("dwOutSize", NDRULONG), ("pbBuffer", varying_parameter(PROPVARIANT)), *_SIGNATURE, _RESULT
    ),
}
