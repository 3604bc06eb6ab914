"""qmmgmt, the interface of [MS-MQMR] section 6, with QUEUE_FORMAT and PROPVARIANT of [MS-MQMQ] section 5."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from impacket.dcerpc.v5.dtypes import GUID, WSTR
from impacket.dcerpc.v5.ndr import (
    NDR,
    NDRCALL,
    NDRENUM,
    NDRHYPER,
    NDRLONG,
    NDRPOINTER,
    NDRSHORT,
    NDRSTRUCT,
    NDRUHYPER,
    NDRULONG,
    NDRUSHORT,
    NDRUSMALL,
    NDRUniConformantArray,
)

from samples.ndr_base import Empty, TightUnion, TopLevelArray

if TYPE_CHECKING:
    from collections.abc import Sequence

QMMGMT = ("41208ee0-e970-11d1-9b9e-00e02c064c39", "1.0")

MGMT_MACHINE, MGMT_QUEUE, MGMT_SESSION = 1, 2, 3
QUEUE_FORMAT_TYPE_DIRECT = 3
VT_NULL, VT_I4, VT_BOOL, VT_VARIANT = 1, 3, 11, 12
VT_UI4, VT_I8, VT_UI8, VT_LPWSTR, VT_BLOB, VT_CLSID, VT_VECTOR = 19, 20, 21, 31, 65, 72, 0x1000


class LPWSTR(NDRPOINTER):  # type: ignore[misc]
    referent = (("Data", WSTR),)


class DirectOrOther(TightUnion):
    """The unnamed union of QUEUE_FORMAT; the tag has the type of m_qft, one byte."""

    commonHdr = (("tag", NDRUSMALL),)  # noqa: N815
    union: ClassVar = {0: ("none", Empty), 1: ("m_gPublicID", GUID), 3: ("m_pDirectID", LPWSTR)}


class QUEUE_FORMAT(NDRSTRUCT):  # type: ignore[misc]  # noqa: N801
    structure = (
        ("m_qft", NDRUSMALL),
        ("m_SuffixAndFlags", NDRUSMALL),
        ("m_reserved", NDRUSHORT),
        ("u", DirectOrOther),
    )

    def getAlignment(self) -> int:  # noqa: N802
        """4 because a pointer is among the arms; impacket counts the tag only."""
        return 4


class PQUEUE_FORMAT(NDRPOINTER):  # type: ignore[misc]  # noqa: N801
    referent = (("Data", QUEUE_FORMAT),)


class QueueOrMachine(TightUnion):
    """The unnamed union of MGMT_OBJECT; an enum is two bytes, so is the tag."""

    union: ClassVar = {
        MGMT_MACHINE: ("Reserved1", NDRULONG),
        MGMT_QUEUE: ("pQueueFormat", PQUEUE_FORMAT),
        MGMT_SESSION: ("Reserved2", NDRULONG),
    }


class MGMT_OBJECT(NDRSTRUCT):  # type: ignore[misc]  # noqa: N801
    structure = (("type", NDRENUM), ("u", QueueOrMachine))

    def getAlignment(self) -> int:  # noqa: N802
        """4 because a pointer is among the arms; impacket counts the tag only."""
        return 4


class PropVariantUnion(TightUnion):
    """Arms are entered below, where the vectors are known."""

    union: ClassVar[dict[int, tuple[str, type]]] = {}


class PROPVARIANT(NDRSTRUCT):  # type: ignore[misc]
    structure = (
        ("vt", NDRUSHORT),
        ("wReserved1", NDRUSMALL),
        ("wReserved2", NDRUSMALL),
        ("wReserved3", NDRULONG),
        ("_varUnion", PropVariantUnion),
    )

    def getAlignment(self) -> int:  # noqa: N802
        """8 because of the arms hVal and uhVal, whichever arm is sent; impacket counts the tag only."""
        return 8


def counted(name: str, element: type | str, members: tuple[str, str] = ("cElems", "pElems")) -> type:
    """CAUL and its kin: a count and a unique pointer to a conformant array."""
    array = type(f"{name}_ARRAY", (NDRUniConformantArray,), {"item": element})
    pointer = type(f"P{name}", (NDRPOINTER,), {"referent": (("Data", array),)})
    return type(name, (NDRSTRUCT,), {"structure": ((members[0], NDRULONG), (members[1], pointer))})


class PGUID(NDRPOINTER):  # type: ignore[misc]
    referent = (("Data", GUID),)


PropVariantUnion.union.update(
    {
        VT_NULL: ("none", Empty),
        VT_I4: ("lVal", NDRLONG),
        VT_BOOL: ("boolVal", NDRSHORT),
        VT_UI4: ("ulVal", NDRULONG),
        VT_I8: ("hVal", NDRHYPER),
        VT_UI8: ("uhVal", NDRUHYPER),
        VT_LPWSTR: ("pwszVal", LPWSTR),
        VT_BLOB: ("blob", counted("BLOB", "c", ("cbSize", "pBlobData"))),
        VT_CLSID: ("puuid", PGUID),
        VT_VECTOR | VT_I4: ("cal", counted("CAL", NDRLONG)),
        VT_VECTOR | VT_UI4: ("caul", counted("CAUL", NDRULONG)),
        VT_VECTOR | VT_UI8: ("cauh", counted("CAUH", NDRUHYPER)),
        VT_VECTOR | VT_LPWSTR: ("calpwstr", counted("CALPWSTR", LPWSTR)),
        VT_VECTOR | VT_CLSID: ("cauuid", counted("CACLSID", GUID)),
        VT_VECTOR | VT_VARIANT: ("capropvar", counted("CAPROPVARIANT", PROPVARIANT)),
    }
)


class ULONG_ARRAY(TopLevelArray):  # noqa: N801
    item = NDRULONG


class PROPVARIANT_ARRAY(TopLevelArray):  # noqa: N801
    item = PROPVARIANT


class R_QMMgmtGetInfo(NDRCALL):  # type: ignore[misc]  # noqa: N801
    opnum = 0
    structure = (
        ("pObjectFormat", MGMT_OBJECT),
        ("cp", NDRULONG),
        ("aProp", ULONG_ARRAY),
        ("apVar", PROPVARIANT_ARRAY),
    )


class R_QMMgmtGetInfoResponse(NDRCALL):  # type: ignore[misc]  # noqa: N801
    structure = (("apVar", PROPVARIANT_ARRAY), ("return_value", NDRULONG))


class R_QMMgmtAction(NDRCALL):  # type: ignore[misc]  # noqa: N801
    """The IDL of section 6 leaves out [string]; servers read lpwszAction as a conformant-varying string."""

    opnum = 1
    structure = (("pObjectFormat", MGMT_OBJECT), ("lpwszAction", WSTR))


class R_QMMgmtActionResponse(NDRCALL):  # type: ignore[misc]  # noqa: N801
    structure = (("return_value", NDRULONG),)


def machine() -> MGMT_OBJECT:
    target = MGMT_OBJECT()
    target["type"] = MGMT_MACHINE
    target["u"]["tag"] = MGMT_MACHINE
    return target


def direct_queue(name: str) -> MGMT_OBJECT:
    """MGMT_QUEUE with the part of the format name after `DIRECT=`."""
    target = MGMT_OBJECT()
    target["type"] = MGMT_QUEUE
    target["u"]["tag"] = MGMT_QUEUE
    queue = QUEUE_FORMAT()
    queue["m_qft"] = QUEUE_FORMAT_TYPE_DIRECT
    queue["u"]["tag"] = QUEUE_FORMAT_TYPE_DIRECT
    queue["u"]["m_pDirectID"] = f"{name}\0"
    target["u"].fields["pQueueFormat"].fields["Data"] = queue
    return target


def variant(vt: int, value: int | str | bytes | None = None) -> PROPVARIANT:
    result, arm = _arm(vt)
    if vt == VT_BLOB and isinstance(value, bytes):
        _fill(arm, value)
    elif value is not None:
        arm["Data"] = terminated(value)
    return result


def vector(vt: int, values: Sequence[int | str | bytes | PROPVARIANT]) -> PROPVARIANT:
    result, arm = _arm(VT_VECTOR | vt)
    kind = arm.fields["pElems"].fields["Data"].item
    _fill(arm, [each if isinstance(each, PROPVARIANT) else element(kind, each) for each in values])
    return result


def element(kind: type[NDR], value: int | str | bytes) -> NDR:
    result = kind()
    result["Data"] = terminated(value)
    return result


def terminated(value: int | str | bytes) -> int | str | bytes:
    """A string of the wire counts its terminator; impacket adds none."""
    return value + "\0" if isinstance(value, str) else value


def _arm(vt: int) -> tuple[PROPVARIANT, NDR]:
    result = PROPVARIANT()
    result["vt"] = vt
    result["_varUnion"]["tag"] = vt
    return result, result["_varUnion"].fields[PropVariantUnion.union[vt][0]]


def _fill(arm: NDR, values: bytes | list[NDR]) -> None:
    (count, _), (pointer, _) = arm.structure
    arm[count] = len(values)
    arm.fields[pointer].fields["Data"]["Data"] = values
