"""The types that MSMQ's RPC interfaces share: [MS-MQMQ] section 5, which they import as ms-mqmq.idl."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from decoders.ndr.base_types import (
    DTYP_LONG,
    DTYP_SHORT,
    DWORD,
    GUID,
    LARGE_INTEGER,
    LONG,
    SIGNED_CHAR,
    UCHAR,
    ULARGE_INTEGER,
    ULONG,
    UNSIGNED_CHAR,
    UNSIGNED_LONG,
    UNSIGNED_SHORT,
    USHORT,
    WCHAR,
)
from decoders.ndr.model import Arm, Array, Enum, Member, Named, Pointer, Scalar, String, Struct, Type, Union

if TYPE_CHECKING:
    from collections.abc import Mapping

PROPID = Scalar("PROPID", 4)
VARIANT_BOOL = Scalar("VARIANT_BOOL", 2, signed=True)
VARTYPE = Scalar("VARTYPE", 2)

XACTUOW = Struct("XACTUOW", (Member("rgb", Array(UNSIGNED_CHAR, bound=16)),))

BLOB = Struct(
    "BLOB",
    (Member("cbSize", UNSIGNED_LONG), Member("pBlobData", Pointer(Array(UNSIGNED_CHAR, size_is="cbSize")))),
    tag="tagBLOB",
)


def _counted(name: str, of: Type) -> Struct:
    return Struct(
        name,
        (Member("cElems", UNSIGNED_LONG), Member("pElems", Pointer(Array(of, size_is="cElems")))),
        tag=f"tag{name}",
    )


CAUB = _counted("CAUB", UNSIGNED_CHAR)
CAUI = _counted("CAUI", UNSIGNED_SHORT)
CAL = _counted("CAL", LONG)
CAUL = _counted("CAUL", UNSIGNED_LONG)
CAUH = _counted("CAUH", ULARGE_INTEGER)
CACLSID = _counted("CACLSID", GUID)
CALPWSTR = _counted("CALPWSTR", Pointer(String(WCHAR)))
CAPROPVARIANT = _counted("CAPROPVARIANT", Named("PROPVARIANT"))

VARENUM = Enum(
    "VARENUM",
    (
        ("VT_EMPTY", 0),
        ("VT_NULL", 1),
        ("VT_I2", 2),
        ("VT_I4", 3),
        ("VT_BOOL", 11),
        ("VT_VARIANT", 12),
        ("VT_I1", 16),
        ("VT_UI1", 17),
        ("VT_UI2", 18),
        ("VT_UI4", 19),
        ("VT_I8", 20),
        ("VT_UI8", 21),
        ("VT_LPWSTR", 31),
        ("VT_BLOB", 65),
        ("VT_CLSID", 72),
        ("VT_VECTOR", 0x1000),
    ),
)

QUEUE_FORMAT_TYPE = Enum(
    "QUEUE_FORMAT_TYPE",
    (
        ("QUEUE_FORMAT_TYPE_UNKNOWN", 0),
        ("QUEUE_FORMAT_TYPE_PUBLIC", 1),
        ("QUEUE_FORMAT_TYPE_PRIVATE", 2),
        ("QUEUE_FORMAT_TYPE_DIRECT", 3),
        ("QUEUE_FORMAT_TYPE_MACHINE", 4),
        ("QUEUE_FORMAT_TYPE_CONNECTOR", 5),
        ("QUEUE_FORMAT_TYPE_DL", 6),
        ("QUEUE_FORMAT_TYPE_MULTICAST", 7),
        ("QUEUE_FORMAT_TYPE_SUBQUEUE", 8),
    ),
    tag="__QUEUE_FORMAT_TYPE",
)


def _arm(labels: tuple[str, ...], member: Member | None, values: Enum) -> Arm:
    """`A|B` is one case: the cases and their labels cannot disagree when one is made from the other."""
    numbers = dict(values.members)
    cases = (reduce(or_, (numbers[name] for name in label.split("|"))) for label in labels)
    return Arm(tuple(cases), member, labels)


def _variant(label: str, name: str, arm_type: Type) -> Arm:
    return _arm((label,), Member(name, arm_type), VARENUM)


PROPVARIANT = Struct(
    "tag_inner_PROPVARIANT",
    (
        Member("vt", VARTYPE),
        Member("wReserved1", UCHAR),
        Member("wReserved2", UCHAR),
        Member("wReserved3", ULONG),
        Member(
            "_varUnion",
            Union(
                "",
                VARTYPE,
                (
                    _arm(("VT_EMPTY", "VT_NULL"), None, VARENUM),
                    _variant("VT_I1", "cVal", SIGNED_CHAR),
                    _variant("VT_UI1", "bVal", UCHAR),
                    _variant("VT_I2", "iVal", DTYP_SHORT),
                    _variant("VT_UI2", "uiVal", USHORT),
                    _variant("VT_I4", "lVal", DTYP_LONG),
                    _variant("VT_UI4", "ulVal", ULONG),
                    _variant("VT_I8", "hVal", LARGE_INTEGER),
                    _variant("VT_UI8", "uhVal", ULARGE_INTEGER),
                    _variant("VT_BOOL", "boolVal", VARIANT_BOOL),
                    _variant("VT_CLSID", "puuid", Pointer(GUID)),
                    _variant("VT_BLOB", "blob", BLOB),
                    _variant("VT_LPWSTR", "pwszVal", Pointer(String(WCHAR))),
                    _variant("VT_VECTOR|VT_UI1", "caub", CAUB),
                    _variant("VT_VECTOR|VT_UI2", "caui", CAUI),
                    _variant("VT_VECTOR|VT_I4", "cal", CAL),
                    _variant("VT_VECTOR|VT_UI4", "caul", CAUL),
                    _variant("VT_VECTOR|VT_UI8", "cauh", CAUH),
                    _variant("VT_VECTOR|VT_CLSID", "cauuid", CACLSID),
                    _variant("VT_VECTOR|VT_LPWSTR", "calpwstr", CALPWSTR),
                    _variant("VT_VECTOR|VT_VARIANT", "capropvar", CAPROPVARIANT),
                ),
            ),
            switch_is="vt",
        ),
    ),
    tag="_tag_inner_PROPVARIANT",
)

DL_ID = Struct("DL_ID", (Member("m_DlGuid", GUID), Member("m_pwzDomain", Pointer(String(WCHAR)))), tag="_DL_ID")
MULTICAST_ID = Struct("MULTICAST_ID", (Member("m_address", ULONG), Member("m_port", ULONG)), tag="_MULTICAST_ID")
OBJECTID = Struct("OBJECTID", (Member("Lineage", GUID), Member("Uniquifier", DWORD)), tag="_OBJECTID")


def _queue(kind: str, member: Member | None) -> Arm:
    return _arm((f"QUEUE_FORMAT_TYPE_{kind}",), member, QUEUE_FORMAT_TYPE)


QUEUE_FORMAT = Struct(
    "QUEUE_FORMAT",
    (
        Member("m_qft", UNSIGNED_CHAR),
        Member("m_SuffixAndFlags", UNSIGNED_CHAR),
        Member("m_reserved", UNSIGNED_SHORT),
        Member(
            "",
            Union(
                "",
                UNSIGNED_CHAR,
                (
                    _queue("UNKNOWN", None),
                    _queue("PUBLIC", Member("m_gPublicID", GUID)),
                    _queue("PRIVATE", Member("m_oPrivateID", OBJECTID)),
                    _queue("DIRECT", Member("m_pDirectID", Pointer(String(WCHAR)))),
                    _queue("MACHINE", Member("m_gMachineID", GUID)),
                    _queue("CONNECTOR", Member("m_GConnectorID", GUID)),
                    _queue("DL", Member("m_DlID", DL_ID)),
                    _queue("MULTICAST", Member("m_MulticastID", MULTICAST_ID)),
                    _queue("SUBQUEUE", Member("m_pDirectSubqueueID", Pointer(String(WCHAR)))),
                ),
            ),
            switch_is="m_qft",
        ),
    ),
    tag="__QUEUE_FORMAT",
)

TYPES: Final[Mapping[str, Type]] = {
    "PROPVARIANT": PROPVARIANT,
    "PROPID": PROPID,
    "VARIANT_BOOL": VARIANT_BOOL,
    "XACTUOW": XACTUOW,
    "BLOB": BLOB,
    "CAUB": CAUB,
    "CAUI": CAUI,
    "CAL": CAL,
    "CAUL": CAUL,
    "CAUH": CAUH,
    "CACLSID": CACLSID,
    "CALPWSTR": CALPWSTR,
    "CAPROPVARIANT": CAPROPVARIANT,
    "VARENUM": VARENUM,
    "VARTYPE": VARTYPE,
    "tag_inner_PROPVARIANT": PROPVARIANT,
    "DL_ID": DL_ID,
    "MULTICAST_ID": MULTICAST_ID,
    "OBJECTID": OBJECTID,
    "QUEUE_FORMAT_TYPE": QUEUE_FORMAT_TYPE,
    "QUEUE_FORMAT": QUEUE_FORMAT,
}
"""PROPVARIANT comes first and again under its own name: CAPROPVARIANT needs it before it can be declared."""
