"""scapy-rpc's arrays behind two pointers, as size_is(,n) has them: what is mended, field by field."""

# scapy has no annotations there.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msrpcs import ms_mqds, ms_mqmp, ms_mqrr
from scapy.layers.dcerpc import (
    NDRByteField,
    NDRConfFieldListField,
    NDRConfPacketListField,
    NDRConfStrLenField,
    NDRConfVarFieldListField,
    NDRConfVarPacketListField,
    NDRConfVarStrLenField,
    NDRFieldListField,
    NDRFullPointerField,
    NDRShortField,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from scapy.layers.dcerpc import NDRPacket

Change: TypeAlias = tuple[object, str, object]
"""What is patched: an object, its attribute, the new value."""

_STRUCTURES: Final = (ms_mqmp.Receive_sub1, ms_mqmp.CACTransferBufferV1, ms_mqmp.CACTransferBufferV2)
_RESPONSES: Final = (
    (ms_mqrr, "R_StartReceive", "ppPacketSections"),
    (ms_mqrr, "R_StartTransactionalReceive", "ppPacketSections"),
    (ms_mqds, "S_DSGetComputerSites", "ppguidSites"),
)


def pointers_to_pointers() -> Iterator[Change]:
    """The second is not embedded in anything: its referent follows it."""
    for structure in _STRUCTURES:
        for field in structure.fields_desc:
            if isinstance(field, NDRFullPointerField) and isinstance(field.fld, NDRFullPointerField):
                yield field.fld, "EMBEDDED", False


def pointers_to_arrays() -> Iterator[Change]:
    for structure in _STRUCTURES:
        for field in structure.fields_desc:
            if isinstance(field, NDRFullPointerField) and isinstance(field.fld, NDRFieldListField):
                yield field, "fld", NDRFullPointerField(_array(field.fld))
    for module, operation, name in _RESPONSES:
        yield module, f"{operation}_Response", _response(module, operation, name)


def _array(listed: Any) -> Any:  # noqa: ANN401 - a field of scapy
    """One array of what the pointers of theirs point to."""
    name, octets = listed.name, isinstance(listed.field.fld, NDRByteField)
    if isinstance(listed, NDRConfVarFieldListField):
        return NDRConfVarStrLenField(name, "") if octets else NDRConfVarFieldListField(name, [], NDRShortField("", 0))
    if octets:
        return NDRConfStrLenField(name, "", size_is=listed.count_from)
    return NDRConfFieldListField(name, [], NDRShortField("", 0), size_is=listed.count_from)


def _response(module: ModuleType, operation: str, name: str) -> type[NDRPacket]:
    theirs: type[NDRPacket] = getattr(module, f"{operation}_Response")
    fields: list[Any] = []
    field: Any
    for field in theirs.fields_desc:
        if field.name != name:
            fields.append(field)
        elif isinstance(field, NDRConfVarPacketListField):
            fields.append(NDRFullPointerField(NDRConfVarPacketListField(name, [], field.cls)))
        else:
            sections = NDRConfPacketListField(name, [], field.cls, size_is=field.count_from)
            fields.append(NDRFullPointerField(sections))
    made: Any = type(theirs)
    mended: type[NDRPacket] = made(theirs.__name__, (theirs,), {"fields_desc": fields})
    return mended
