"""Names of numbers, as scripts may use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces import mqds, mqmp, mqmq, qm2qm, qmmgmt, remoteread
from decoders.msmq.properties import PROPERTIES
from decoders.status.ept import EPT
from decoders.status.hresult import HRESULT_NAMES
from decoders.status.mq import MQ
from decoders.status.nca import NCA
from decoders.status.ntstatus import NTSTATUS
from tests.scripts.object_properties import OBJECT_PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Mapping

ACTIONS: Final = {
    "RECEIVE": 0x0000_0000,
    "PEEK_CURRENT": 0x8000_0000,
    "PEEK_NEXT": 0x8000_0001,
    "LOOKUP_PEEK_CURRENT": 0x4000_0010,
    "LOOKUP_PEEK_NEXT": 0x4000_0011,
    "LOOKUP_PEEK_PREV": 0x4000_0012,
    "LOOKUP_RECEIVE_CURRENT": 0x4000_0020,
    "LOOKUP_RECEIVE_NEXT": 0x4000_0021,
    "LOOKUP_RECEIVE_PREV": 0x4000_0022,
}
"""[MS-MQQP] 2.2.2.1, without MQ_ACTION_ and MQ_."""

ACCESS: Final = {
    "MQ_RECEIVE_ACCESS": 0x01,
    "MQ_SEND_ACCESS": 0x02,
    "MQ_MOVE_ACCESS": 0x04,
    "MQ_PEEK_ACCESS": 0x20,
    "MQ_ADMIN_ACCESS": 0x80,
    "MQ_DENY_NONE": 0,
    "MQ_DENY_RECEIVE_SHARE": 1,
}
"""[MS-MQMP] 3.1.4.17 and [MS-MQRR] 3.1.4.11."""

SECURITY_INFORMATION: Final = {
    "OWNER_SECURITY_INFORMATION": 0x1,
    "GROUP_SECURITY_INFORMATION": 0x2,
    "DACL_SECURITY_INFORMATION": 0x4,
    "SACL_SECURITY_INFORMATION": 0x8,
    "MQDS_KEYX_PUBLIC_KEY": 0x4000_0000,
    "MQDS_SIGN_PUBLIC_KEY": 0x8000_0000,
}
"""[MS-MQMQ] 2.2.3 and [MS-MQDS] 3.1.4.11."""

_OBJECT_TYPES: Final = ("QUEUE", "MACHINE", "SITE", "DELETEDOBJECT", "CN", "ENTERPRISE", "USER", "ROUTINGLINK")
_ENUMS: Final = (
    qm2qm.REMOTEREADACK,
    qmmgmt.MgmtObjectType,
    mqmq.QUEUE_FORMAT_TYPE,
    mqmq.VARENUM,
    mqmp.TRANSFER_TYPE,
    remoteread.SectionType,
)
_CODES: Final = NCA | EPT | NTSTATUS | HRESULT_NAMES | MQ

CONSTANTS: Final[Mapping[str, int]] = {
    "INFINITE": 0xFFFF_FFFF,
    "SEC_I_CONTINUE_NEEDED": 0x0009_0312,
    "MQMSG_CLASS_NACK_RECEIVE_REJECTED": 0xC004,
    **{name: code for code, name in _CODES.items()},
    **ACTIONS,
    **ACCESS,
    **SECURITY_INFORMATION,
    **{f"MQDS_{name}": number for number, name in enumerate(_OBJECT_TYPES, 1)},
    **{name: number for enum in _ENUMS for name, number in enum.members},
    **{constant.name: constant.value for constant in (*mqds.RELATIONS, *mqds.SORT_ORDERS)},
    **{entry.name: entry.propid for entry in PROPERTIES.values()},
    **{entry.name: propid for propid, entry in OBJECT_PROPERTIES.items()},
}
