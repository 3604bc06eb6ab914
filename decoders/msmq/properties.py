"""Properties that R_QMMgmtGetInfo asks for. The same number is one thing of a machine and another of a queue."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from decoders.interfaces.qmmgmt import MgmtObjectType
from decoders.msmq.variants import vt_number

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Property:
    name: str
    propid: int
    vt_name: str
    section: str
    """Of [MS-MQMQ]."""
    values: tuple[str, ...] = ()
    """The only texts it may hold; empty where any will do."""
    meanings: Mapping[int, str] = field(default_factory=dict, hash=False)
    """What its numbers are called, where they are."""

    @property
    def vt(self) -> int:
        return vt_number(self.vt_name)


_MACHINE: Final = (
    Property("PROPID_MGMT_MSMQ_ACTIVEQUEUES", 1, "VT_VECTOR|VT_LPWSTR", "2.3.11.1"),
    Property("PROPID_MGMT_MSMQ_PRIVATEQ", 2, "VT_VECTOR|VT_LPWSTR", "2.3.11.2"),
    Property("PROPID_MGMT_MSMQ_DSSERVER", 3, "VT_LPWSTR", "2.3.11.3"),
    Property("PROPID_MGMT_MSMQ_CONNECTED", 4, "VT_LPWSTR", "2.3.11.4", ("CONNECTED", "DISCONNECTED")),
    Property("PROPID_MGMT_MSMQ_TYPE", 5, "VT_LPWSTR", "2.3.11.5"),
    Property("PROPID_MGMT_MSMQ_BYTES_IN_ALL_QUEUES", 6, "VT_I8", "2.3.11.6"),
)

# [MS-MQMR] 3.1.4.1 calls SUBQUEUE_NAMES a vector of VT_VARIANT; the document that defines it decides.
_QUEUE: Final = (
    Property("PROPID_MGMT_QUEUE_PATHNAME", 1, "VT_LPWSTR", "2.3.12.1"),
    Property("PROPID_MGMT_QUEUE_FORMATNAME", 2, "VT_LPWSTR", "2.3.12.2"),
    Property(
        "PROPID_MGMT_QUEUE_TYPE", 3, "VT_LPWSTR", "2.3.12.3", ("PUBLIC", "PRIVATE", "MACHINE", "CONNECTOR", "MULTICAST")
    ),
    Property("PROPID_MGMT_QUEUE_LOCATION", 4, "VT_LPWSTR", "2.3.12.4", ("LOCAL", "REMOTE")),
    Property("PROPID_MGMT_QUEUE_XACT", 5, "VT_LPWSTR", "2.3.12.5", ("UNKNOWN", "YES", "NO")),
    Property("PROPID_MGMT_QUEUE_FOREIGN", 6, "VT_LPWSTR", "2.3.12.6", ("UNKNOWN", "YES", "NO")),
    Property("PROPID_MGMT_QUEUE_MESSAGE_COUNT", 7, "VT_UI4", "2.3.12.7"),
    Property("PROPID_MGMT_QUEUE_BYTES_IN_QUEUE", 8, "VT_UI4", "2.3.12.8"),
    Property("PROPID_MGMT_QUEUE_JOURNAL_MESSAGE_COUNT", 9, "VT_UI4", "2.3.12.9"),
    Property("PROPID_MGMT_QUEUE_BYTES_IN_JOURNAL", 10, "VT_UI4", "2.3.12.10"),
    Property(
        "PROPID_MGMT_QUEUE_STATE",
        11,
        "VT_LPWSTR",
        "2.3.12.11",
        (
            "LOCAL CONNECTION",
            "INACTIVE",
            "WAITING",
            "NEED VALIDATION",
            "ONHOLD",
            "CONNECTED",
            "DISCONNECTING",
            "DISCONNECTED",
            # [MS-MQMR] 3.1.4.1 only.
            "LOCKED",
        ),
    ),
    Property("PROPID_MGMT_QUEUE_NEXTHOPS", 12, "VT_VECTOR|VT_LPWSTR", "2.3.12.12"),
    Property("PROPID_MGMT_QUEUE_EOD_LAST_ACK", 13, "VT_BLOB", "2.3.12.13"),
    Property("PROPID_MGMT_QUEUE_EOD_LAST_ACK_TIME", 14, "VT_I4", "2.3.12.14"),
    Property("PROPID_MGMT_QUEUE_EOD_LAST_ACK_COUNT", 15, "VT_UI4", "2.3.12.15"),
    Property("PROPID_MGMT_QUEUE_EOD_FIRST_NON_ACK", 16, "VT_BLOB", "2.3.12.16"),
    Property("PROPID_MGMT_QUEUE_EOD_LAST_NON_ACK", 17, "VT_BLOB", "2.3.12.17"),
    Property("PROPID_MGMT_QUEUE_EOD_NEXT_SEQ", 18, "VT_BLOB", "2.3.12.18"),
    Property("PROPID_MGMT_QUEUE_EOD_NO_READ_COUNT", 19, "VT_UI4", "2.3.12.19"),
    Property("PROPID_MGMT_QUEUE_EOD_NO_ACK_COUNT", 20, "VT_UI4", "2.3.12.20"),
    Property("PROPID_MGMT_QUEUE_EOD_RESEND_TIME", 21, "VT_I4", "2.3.12.21"),
    Property("PROPID_MGMT_QUEUE_EOD_RESEND_INTERVAL", 22, "VT_UI4", "2.3.12.22"),
    Property("PROPID_MGMT_QUEUE_EOD_RESEND_COUNT", 23, "VT_UI4", "2.3.12.23"),
    Property("PROPID_MGMT_QUEUE_EOD_SOURCE_INFO", 24, "VT_VECTOR|VT_VARIANT", "2.3.12.24"),
    Property("PROPID_MGMT_QUEUE_CONNECTION_HISTORY", 25, "VT_VECTOR|VT_VARIANT", "2.3.12.25"),
    Property("PROPID_MGMT_QUEUE_SUBQUEUE_COUNT", 26, "VT_UI4", "2.3.12.26"),
    Property("PROPID_MGMT_QUEUE_SUBQUEUE_NAMES", 27, "VT_VECTOR|VT_LPWSTR", "2.3.12.27"),
)

_TYPES: Final = dict(MgmtObjectType.members)

PROPERTIES: Final[Mapping[tuple[int, int], Property]] = {
    (_TYPES[object_type], entry.propid): entry
    for object_type, entries in (("MGMT_MACHINE", _MACHINE), ("MGMT_QUEUE", _QUEUE))
    for entry in entries
}
"""By MGMT_OBJECT.type and property identifier. A session has none."""


def property_name(object_type: int, propid: int) -> str | None:
    entry = PROPERTIES.get((object_type, propid))
    return None if entry is None else entry.name
