"""Enumerations of [MS-OAUT] that decide how values are sent: section 6, and 2.2.7 to 2.2.9."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from decoders.ndr.model import Arm, Enum, Member

if TYPE_CHECKING:
    from decoders.ndr.model import Type

VARENUM = Enum(
    "VARENUM",
    (
        ("VT_EMPTY", 0x0000),
        ("VT_NULL", 0x0001),
        ("VT_I2", 0x0002),
        ("VT_I4", 0x0003),
        ("VT_R4", 0x0004),
        ("VT_R8", 0x0005),
        ("VT_CY", 0x0006),
        ("VT_DATE", 0x0007),
        ("VT_BSTR", 0x0008),
        ("VT_DISPATCH", 0x0009),
        ("VT_ERROR", 0x000A),
        ("VT_BOOL", 0x000B),
        ("VT_VARIANT", 0x000C),
        ("VT_UNKNOWN", 0x000D),
        ("VT_DECIMAL", 0x000E),
        ("VT_I1", 0x0010),
        ("VT_UI1", 0x0011),
        ("VT_UI2", 0x0012),
        ("VT_UI4", 0x0013),
        ("VT_I8", 0x0014),
        ("VT_UI8", 0x0015),
        ("VT_INT", 0x0016),
        ("VT_UINT", 0x0017),
        ("VT_VOID", 0x0018),
        ("VT_HRESULT", 0x0019),
        ("VT_PTR", 0x001A),
        ("VT_SAFEARRAY", 0x001B),
        ("VT_CARRAY", 0x001C),
        ("VT_USERDEFINED", 0x001D),
        ("VT_LPSTR", 0x001E),
        ("VT_LPWSTR", 0x001F),
        ("VT_RECORD", 0x0024),
        ("VT_INT_PTR", 0x0025),
        ("VT_UINT_PTR", 0x0026),
        ("VT_ARRAY", 0x2000),
        ("VT_BYREF", 0x4000),
    ),
    tag="tagVARENUM",
)
VT = dict(VARENUM.members)

ADVFEATUREFLAGS = Enum(
    "ADVFEATUREFLAGS",
    (
        ("FADF_AUTO", 0x0001),
        ("FADF_STATIC", 0x0002),
        ("FADF_EMBEDDED", 0x0004),
        ("FADF_FIXEDSIZE", 0x0010),
        ("FADF_RECORD", 0x0020),
        ("FADF_HAVEIID", 0x0040),
        ("FADF_HAVEVARTYPE", 0x0080),
        ("FADF_BSTR", 0x0100),
        ("FADF_UNKNOWN", 0x0200),
        ("FADF_DISPATCH", 0x0400),
        ("FADF_VARIANT", 0x0800),
    ),
    tag="tagADVFEATUREFLAGS",
)
FADF = dict(ADVFEATUREFLAGS.members)

SF_TYPE = Enum(
    "SF_TYPE",
    (
        ("SF_ERROR", VT["VT_ERROR"]),
        ("SF_I1", VT["VT_I1"]),
        ("SF_I2", VT["VT_I2"]),
        ("SF_I4", VT["VT_I4"]),
        ("SF_I8", VT["VT_I8"]),
        ("SF_BSTR", VT["VT_BSTR"]),
        ("SF_UNKNOWN", VT["VT_UNKNOWN"]),
        ("SF_DISPATCH", VT["VT_DISPATCH"]),
        ("SF_VARIANT", VT["VT_VARIANT"]),
        ("SF_RECORD", VT["VT_RECORD"]),
        ("SF_HAVEIID", VT["VT_UNKNOWN"] | 0x8000),
    ),
    tag="tagSF_TYPE",
    v1_enum=True,
)
SF = dict(SF_TYPE.members)


def arm(labels: str, name: str, arm_type: Type | None, values: Enum) -> Arm:
    """`A, B|C` are two cases: what they come to is made from what the IDL writes."""
    written = tuple(labels.split(", "))
    numbers = dict(values.members)
    cases = tuple(reduce(or_, (numbers[part] for part in label.split("|"))) for label in written)
    return Arm(cases, None if arm_type is None else Member(name, arm_type), written)
