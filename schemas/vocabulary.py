"""The names that columns are filled with, where the enumeration they come from lies in a layer above."""

from __future__ import annotations

from typing import Final

from decoders.dcerpc.call_model import OUTCOMES, BindingSource
from decoders.dcerpc.header import MINOR_VERSIONS, RPC_VERSION, PacketType
from decoders.dcerpc.well_known import INTERFACES
from decoders.interfaces import INTERFACES as DECODED

CALL_OUTCOMES: Final = tuple(map(str, OUTCOMES))
INTERFACE_SOURCES: Final = (*map(str, BindingSource), "endpoint_mapper", "port")
DECODE_STATES: Final = ("full", "partial", "opaque")
ENDPOINT_NAMES: Final = tuple(dict.fromkeys(INTERFACES.values()))
OPERATIONS: Final = tuple(
    dict.fromkeys(operation.name for interface in DECODED.values() for operation in interface.all_operations)
)
PDU_TYPES: Final = tuple(kind.name.lower() for kind in PacketType)
RPC_VERSIONS: Final = tuple(f"{RPC_VERSION}.{minor}" for minor in MINOR_VERSIONS)

CAPTURE_FORMATS: Final = ("pcap", "pcapng")
COMPRESSIONS: Final = ("none", "gzip", "zstd")
CAPTURE_STATES: Final = ("complete", "truncated", "unreadable")
DECIDED_BY: Final = ("syn", "bind", "port", "request", "first_packet")
CHOSEN_BY: Final = ("interface", "port", "endpoint", "conflict", "scope")
CONN_STATES: Final = ("S0", "S1", "SF", "REJ", "S2", "S3", "RSTO", "RSTR", "RSTOS0", "RSTRH", "SH", "SHR", "OTH")
ENDPOINT_SOURCES: Final = (
    *("ept_map", "ept_lookup"),
    *("RemoteQMGetQMQMServerPort", "R_QMGetRTQMServerPort", "R_GetServerPort", "S_DSGetServerPort"),
    *("RemoteActivation", "RemoteGetClassObject", "RemoteCreateInstance", "ResolveOxid", "ResolveOxid2"),
)
PACKET_OUTCOMES: Final = (
    *("tcp", "ip_fragment", "not_ip", "not_tcp"),
    *("unsupported_link", "header_cut", "malformed", "too_deep"),
)
ACT_OUTCOMES: Final = ("success", "failure", "unknown")
UNDOABLE_OUTCOMES: Final = (*ACT_OUTCOMES, "aborted", "rundown")
MQAC_RECEIVES: Final = (
    *("Receive", "ReceiveCurrent"),
    *(f"Receive{which}ByLookupId" for which in ("", "Next", "Previous", "First", "Last")),
    "ReceiveByLookupIdAllowPeek",
)
MQAC_PEEKS: Final = (
    *("Peek", "PeekCurrent", "PeekNext"),
    *(f"Peek{which}ByLookupId" for which in ("", "Next", "Previous", "First", "Last")),
)
"""Methods of MSMQQueue: [MC-MQAC] 3.11.4.1."""
SEND_OPERATIONS: Final = ("QMSendMessageInternalEx", "rpc_ACSendMessageEx", "Send")
SESSION_ENDPOINTS: Final = ("qm2qm", "RemoteRead", "qmcomm", "IMSMQQueue")
SEEN_AS: Final = ("received", "peeked", "read", "sent", "moved")
MESSAGE_OPERATIONS: Final = (
    *("RemoteQMStartReceive", "RemoteQMStartReceive2", "RemoteQMStartReceiveByLookupId"),
    *("R_StartReceive", "R_StartTransactionalReceive"),
    *("QMSendMessageInternalEx", "rpc_ACSendMessageEx", "rpc_ACReceiveMessageEx"),
    *(*MQAC_RECEIVES, *MQAC_PEEKS, "Send"),
)
NAMED_BY: Final = ("open", "answer", "remote_open", "call", "messages", "object")
NAMING_DOUBTS: Final = (
    *("messages_only", "messages_differ", "open_was_closed", "numbers_differ"),
    "several_askers",
)
TRANSACTION_KINDS: Final = ("internal", "external")
TRANSACTION_OUTCOMES: Final = ("committed", "aborted", "rundown", "unknown")
SESSION_STATES: Final = ("closed", "rundown", "open_at_end", "open_not_seen")
SEVERANCES: Final = ("client_closed", "client_reset", "server_closed", "server_reset")
COM_KINDS: Final = ("method", "get", "put", "putref", "method_or_get")
COM_WAYS: Final = ("direct", "invoke")
COM_ENDS: Final = ("released", "unpinged", "pinged_out", "exporter_replaced", "open_at_end")
LEVELS: Final = ("informational", "low", "medium", "high", "critical")
PARTIES: Final = ("client", "server", "nobody")
REASONS: Final = (
    *("started_midstream", "bytes_missing", "bytes_contradict", "sealed", "bind_not_seen"),
    *("association_unknown", "request_not_captured", "response_not_captured", "not_decoded", "stub_has_more"),
    *("capture_ended", "open_not_seen", "given_earlier", "reset"),
    *("ending_unknown", "server_version_unknown", "client_version_unknown", "others_not_seen", "no_past"),
    *("several_opens", "action_unknown", "times_cross", "limit", "texts_contradict"),
)
"""Why something cannot be decided."""
