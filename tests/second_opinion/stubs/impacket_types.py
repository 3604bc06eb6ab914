"""The types of [MS-MQMQ] section 5 and SectionBuffer of [MS-MQRR] section 6 in impacket's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from impacket.dcerpc.v5.dtypes import GUID, LPWSTR
from impacket.dcerpc.v5.ndr import (
    NDR,
    NDRENUM,
    NDRHYPER,
    NDRLONG,
    NDRSHORT,
    NDRSMALL,
    NDRSTRUCT,
    NDRUHYPER,
    NDRULONG,
    NDRUSHORT,
    NDRUSMALL,
)

from tests.second_opinion.stubs.impacket_ndr import ARM, Empty, Octets, Structure, Union, counted, pointer, structure
from tests.second_opinion.stubs.impacket_ndr import union as union_of

if TYPE_CHECKING:
    from collections.abc import Mapping

VECTOR: Final = 0x1000

OBJECTID: Final = structure("OBJECTID", ("Lineage", GUID), ("Uniquifier", NDRULONG))
DL_ID: Final = structure("DL_ID", ("m_DlGuid", GUID), ("m_pwzDomain", LPWSTR))
MULTICAST_ID: Final = structure("MULTICAST_ID", ("m_address", NDRULONG), ("m_port", NDRULONG))
_QUEUES: Final[Mapping[int, tuple[str, type[NDR]]]] = {
    0: ("nothing", Empty),
    1: ("m_gPublicID", GUID),
    2: ("m_oPrivateID", OBJECTID),
    3: ("m_pDirectID", LPWSTR),
    4: ("m_gMachineID", GUID),
    5: ("m_GConnectorID", GUID),
    6: ("m_DlID", DL_ID),
    7: ("m_MulticastID", MULTICAST_ID),
    8: ("m_pDirectSubqueueID", LPWSTR),
}
QUEUE_FORMAT: Final = structure(
    "QUEUE_FORMAT",
    ("m_qft", NDRUSMALL),
    ("m_SuffixAndFlags", NDRUSMALL),
    ("m_reserved", NDRUSHORT),
    (ARM, union_of("Queue", NDRUSMALL, dict(_QUEUES))),
)


class VariantArms(Union):
    """A variant may hold variants: the arms are entered below."""

    commonHdr: ClassVar = (("tag", NDRUSHORT),)  # noqa: N815
    union: ClassVar[dict[int, tuple[str, type[NDR]]]] = {}


class PROPVARIANT(Structure):
    structure = (
        ("vt", NDRUSHORT),
        ("wReserved1", NDRUSMALL),
        ("wReserved2", NDRUSMALL),
        ("wReserved3", NDRULONG),
        ("_varUnion", VariantArms),
    )


VariantArms.union |= {
    0: ("nothing", Empty),
    1: ("nothing", Empty),
    2: ("iVal", NDRSHORT),
    3: ("lVal", NDRLONG),
    11: ("boolVal", NDRSHORT),
    16: ("cVal", NDRSMALL),
    17: ("bVal", NDRUSMALL),
    18: ("uiVal", NDRUSHORT),
    19: ("ulVal", NDRULONG),
    20: ("hVal", NDRHYPER),
    21: ("uhVal", NDRUHYPER),
    31: ("pwszVal", LPWSTR),
    65: ("blob", counted("BLOB", "c", ("cbSize", "pBlobData"))),
    72: ("puuid", pointer(GUID)),
    VECTOR | 17: ("caub", counted("CAUB", "c")),
    VECTOR | 18: ("caui", counted("CAUI", "<H")),
    VECTOR | 3: ("cal", counted("CAL", "<l")),
    VECTOR | 19: ("caul", counted("CAUL", "<L")),
    VECTOR | 21: ("cauh", counted("CAUH", "<Q")),
    VECTOR | 72: ("cauuid", counted("CACLSID", GUID)),
    VECTOR | 31: ("calpwstr", counted("CALPWSTR", LPWSTR)),
    VECTOR | 12: ("capropvar", counted("CAPROPVARIANT", PROPVARIANT)),
}

SectionBuffer: Final = structure(
    "SectionBuffer",
    ("SectionBufferType", NDRENUM),
    ("SectionSizeAlloc", NDRULONG),
    ("SectionSize", NDRULONG),
    ("pSectionBuffer", pointer(Octets)),
)


class XACTUOW(NDRSTRUCT):  # type: ignore[misc]
    structure = (("rgb", "16s"),)

    def getAlignment(self) -> int:  # noqa: N802
        return 1
