"""impacket's NDR, mended where differences.toml says so, and the shapes that MSMQ's structures have."""

from __future__ import annotations

from typing import ClassVar, Final

from impacket.dcerpc.v5.ndr import (
    NDR,
    NDRPOINTER,
    NDRSTRUCT,
    NDRULONG,
    NDRUNION,
    NDRUniConformantArray,
    NDRUniConformantVaryingArray,
)

Members = tuple[tuple[str, type[NDR]], ...]
ARM: Final = "u"
"""An unnamed union's name."""


class Union(NDRUNION):  # type: ignore[misc]
    # impacket-union-arm
    notAlign: ClassVar = True  # noqa: N815
    # The tag has the size that the IDL gives it, in NDR64 too.
    commonHdr64: ClassVar = ()  # noqa: N815

    def getAlignment(self) -> int:  # noqa: N802
        tag: int = self.fields["tag"].getAlignment()
        return max(tag, self.arms_alignment()) if self._isNDR64 else tag

    def arms_alignment(self) -> int:
        of = type(self), self._isNDR64
        if of not in _LARGEST:
            _LARGEST[of] = max(arm(isNDR64=self._isNDR64).getAlignment() for _, arm in self.union.values())
        return _LARGEST[of]


_LARGEST: Final[dict[tuple[type, bool], int]] = {}
"""Alignment of all arms, by union and syntax: making every arm takes its time."""


class Empty(NDR):  # type: ignore[misc]
    """An arm without a member."""

    align = 1


class Structure(NDRSTRUCT):  # type: ignore[misc]
    def getAlignment(self) -> int:  # noqa: N802
        # impacket-structure-alignment
        unions = [field.arms_alignment() for field in self.fields.values() if isinstance(field, Union)]
        own: int = super().getAlignment()
        return max(own, *unions, 1)

    def getData(self, soFar: int = 0) -> bytes:  # noqa: N802, N803
        raw: bytes = super().getData(soFar)
        return raw + bytes(self._gap(soFar + len(raw)))

    def fromString(self, data: bytes, offset: int = 0) -> int:  # noqa: N802
        size: int = super().fromString(data, offset)
        return size + self._gap(offset + size)

    def _gap(self, end: int) -> int:
        # structure-gap
        return -end % self.getAlignment() if self._isNDR64 else 0


class _Parameter:
    """An array as parameter."""

    _isNDR64: bool  # noqa: N815

    def getData(self, soFar: int = 0) -> bytes:  # noqa: N802, N803
        # impacket-array-parameter
        raw: bytes = super().getData(soFar + (8 if self._isNDR64 else 4))  # type: ignore[misc]
        return raw


class Octets(NDRUniConformantArray):  # type: ignore[misc]
    item = "c"


class VaryingOctets(NDRUniConformantVaryingArray):  # type: ignore[misc]
    item = "c"


class Units(NDRUniConformantArray):  # type: ignore[misc]
    item = "<H"


class VaryingUnits(NDRUniConformantVaryingArray):  # type: ignore[misc]
    item = "<H"


def array(item: type[NDR] | str) -> type[NDR]:
    return type("Array", (NDRUniConformantArray,), {"item": item})


def varying_parameter(item: type[NDR]) -> type[NDR]:
    return type("Parameter", (_Parameter, NDRUniConformantVaryingArray), {"item": item})


def pointer(to: type[NDR]) -> type[NDR]:
    return type(f"P{to.__name__}", (NDRPOINTER,), {"referent": (("Data", to),)})


def structure(name: str, *members: tuple[str, type[NDR]]) -> type[NDR]:
    return type(name, (Structure,), {"structure": members})


def counted(name: str, item: type[NDR] | str, members: tuple[str, str] = ("cElems", "pElems")) -> type[NDR]:
    """CAUB and its kin."""
    return structure(name, (members[0], NDRULONG), (members[1], pointer(array(item))))


def union(name: str, tag: type[NDR], arms: dict[int, tuple[str, type[NDR]]]) -> type[NDR]:
    return type(name, (Union,), {"commonHdr": (("tag", tag),), "union": arms})
