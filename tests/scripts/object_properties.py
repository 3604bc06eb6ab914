"""Properties of queues and queue managers as objects, which qmcomm and the directory know: [MS-MQMQ] 2.3.1, 2.3.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.msmq.variants import vt_number

if TYPE_CHECKING:
    from collections.abc import Mapping


class ObjectProperty(NamedTuple):
    name: str
    vt: int


_PREFIXES: Final = {1: "PROPID_Q_", 11: "PROPID_Q_", 2: "PROPID_QM_", 12: "PROPID_QM_"}
"""By hundreds."""
_BY_TYPE: Final[Mapping[str, Mapping[int, str]]] = {
    "VT_CLSID": {
        101: "INSTANCE",
        102: "TYPE",
        115: "QMID",
        116: "PARTITIONID",
        201: "SITE_ID",
        202: "MACHINE_ID",
        211: "PARTITIONID",
    },
    "VT_LPWSTR": {
        103: "PATHNAME",
        108: "LABEL",
        121: "FULL_PATH",
        123: "NAME_SUFFIX",
        124: "PATHNAME_DNS",
        125: "MULTICAST_ADDRESS",
        126: "ADS_PATH",
        203: "PATHNAME",
        216: "MACHINE_TYPE",
        221: "FULL_PATH",
        233: "PATHNAME_DNS",
    },
    "VT_UI1": {
        104: "JOURNAL",
        111: "AUTHENTICATE",
        113: "TRANSACTION",
        114: "SCOPE",
        219: "FOREIGN",
        227: "SERVICE_ROUTING",
        228: "SERVICE_DSSERVER",
        229: "SERVICE_DEPCLIENTS",
        242: "GROUP_IN_CLUSTER",
    },
    "VT_I2": {106: "BASEPRIORITY"},
    "VT_I4": {109: "CREATE_TIME", 110: "MODIFY_TIME", 217: "CREATE_TIME", 218: "MODIFY_TIME"},
    "VT_UI4": {
        105: "QUOTA",
        107: "JOURNAL_QUOTA",
        112: "PRIV_LEVEL",
        118: "HASHKEY",
        119: "LABEL_HASHKEY",
        210: "SERVICE",
        212: "HASHKEY",
        214: "QUOTA",
        215: "JOURNAL_QUOTA",
        220: "OS",
        237: "SECURITY_INFORMATION",
        1103: "SECURITY_INFORMATION",
    },
    "VT_BLOB": {
        117: "SEQNUM",
        206: "ADDRESS",
        213: "SEQNUM",
        234: "OBJ_SECURITY",
        238: "ENCRYPT_PKS",
        239: "SIGN_PKS",
        241: "OWNER_SID",
        1101: "SECURITY",
        1102: "OBJ_SECURITY",
        1201: "SECURITY",
        1202: "SIGN_PK",
        1203: "ENCRYPT_PK",
        1205: "UPGRADE_DACL",
    },
    "VT_VECTOR|VT_UI1": {205: "ENCRYPTION_PK", 231: "ENCRYPTION_PK_BASE", 232: "ENCRYPTION_PK_ENHANCED"},
    "VT_VECTOR|VT_CLSID": {207: "CNS", 208: "OUTFRS", 209: "INFRS", 222: "SITE_IDS"},
    "VT_VECTOR|VT_LPWSTR": {223: "OUTFRS_DN", 224: "INFRS_DN"},
}

OBJECT_PROPERTIES: Final[Mapping[int, ObjectProperty]] = {
    propid: ObjectProperty(_PREFIXES[propid // 100] + name, vt_number(vt))
    for vt, names in _BY_TYPE.items()
    for propid, name in names.items()
}
"""By number, of which no two kinds of objects have the same."""
