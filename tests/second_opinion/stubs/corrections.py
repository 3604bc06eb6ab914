"""What is mended in scapy while the rest is compared; differences.toml has each under the name given here."""

# scapy has no annotations there.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, Final

from msrpcs import ms_mqds, ms_mqmp, ms_mqmr
from scapy.compat import plain_str
from scapy.fields import (
    Field,
    MultipleTypeField,
    PacketListField,
    StrFieldUtf16,
    StrFixedLenField,
    StrNullFieldUtf16,
)
from scapy.layers.dcerpc import (
    NDRAlign,
    NDRInt3264Field,
    NDRUnion,
    _NDRConfField,
    _NDRPacketListField,
    _NDRUnionField,
    _NDRUtf16,
    _NDRVarField,
)
from scapy.packet import Packet

from tests.second_opinion.stubs.second_pointers import pointers_to_arrays, pointers_to_pointers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.second_opinion.stubs.second_pointers import Change

_ORDER: Final = {"big": ">", "little": "<"}


def _read_union(self: Any, pkt: Packet, s: bytes) -> tuple[bytes, NDRUnion]:  # noqa: ANN401 - a field of scapy
    remain, tag = _tag(self, pkt).getfield(pkt, s)
    remain, _ = _arm_gap(self).getfield(pkt, remain)
    chosen, _ = MultipleTypeField._find_fld_pkt_val(self, pkt, NDRUnion(tag=tag))
    remain, value = chosen.getfield(pkt, remain)
    return remain, NDRUnion(tag=tag, value=value, ndr64=pkt.ndr64, ndrendian=pkt.ndrendian, _parent=pkt)


def _write_union(self: Any, pkt: Packet, s: bytes, val: NDRUnion) -> bytes:  # noqa: ANN401
    if isinstance(val.value, Packet):
        val.value.ndr64, val.value.ndrendian = pkt.ndr64, pkt.ndrendian
    s = _tag(self, pkt).addfield(pkt, s, val.tag)
    s = _arm_gap(self).addfield(pkt, s, b"")
    written: bytes = MultipleTypeField.addfield(self, pkt, s, val)
    return written


def _tag(union: Any, pkt: Packet) -> NDRAlign:  # noqa: ANN401
    return NDRAlign(Field("", 0, fmt=_ORDER[pkt.ndrendian] + union.switch_fmt[pkt.ndr64]), align=union.align)


def _arm_gap(union: Any) -> NDRAlign:  # noqa: ANN401
    return NDRAlign(StrFixedLenField("", b"", length=0), align=(1, union.align[1]))


def _write_elements(self: Any, pkt: Packet, s: bytes, val: list[Packet]) -> bytes:  # noqa: ANN401
    for element in val:
        s = self.fld.addfield(pkt, s, element) if isinstance(self, _NDRPacketListField) else s + self.i2m(pkt, element)
    return s


def _characters(_field: object, _pkt: Packet, x: str | bytes) -> int:
    return len(plain_str(x).encode("utf-16-le")) // 2 + 1


def _read_conformant(self: Any, pkt: Packet, s: bytes) -> Any:  # noqa: ANN401
    if self.conformant_in_struct or isinstance(self, _NDRVarField):
        return _THEIRS(self, pkt, s)
    _, max_count = NDRInt3264Field("", 0).getfield(pkt, s)
    sized = copy(self)
    setattr(sized, "count_from" if self.COUNT_FROM else "length_from", lambda _: max_count)
    return _THEIRS(sized, pkt, s)


_THEIRS: Final = _NDRConfField.getfield
_CORRECTIONS: Final[dict[str, tuple[Change, ...]]] = {
    "union-arm-gap": ((_NDRUnionField, "getfield", _read_union), (_NDRUnionField, "addfield", _write_union)),
    "element-gap": ((PacketListField, "addfield", _write_elements),),
    "string-count": ((StrNullFieldUtf16, "i2len", _characters),),
    "string-byte-order": ((StrFieldUtf16, "h2i", _NDRUtf16.h2i), (StrFieldUtf16, "i2h", _NDRUtf16.i2h)),
    "variants-in-variants": tuple(
        (module.CAPROPVARIANT.fields_desc[1].fld, "handles_deferred", True) for module in (ms_mqmr, ms_mqmp, ms_mqds)
    ),
    "size-behind-array": ((_NDRConfField, "getfield", _read_conformant),),
    "pointer-to-pointer": tuple(pointers_to_pointers()),
    "pointer-to-array": tuple(pointers_to_arrays()),
}
CORRECTED: Final = frozenset(_CORRECTIONS)


@contextmanager
def corrected(but: str | None = None) -> Iterator[None]:
    """All of them, or all but one."""
    with ExitStack() as mended:
        for name, changes in _CORRECTIONS.items():
            for owner, attribute, mending in changes if name != but else ():
                # unittest.mock asks a container of fields for what it has just taken away, and never comes back.
                mended.callback(setattr, owner, attribute, getattr(owner, attribute))
                setattr(owner, attribute, mending)
        yield
