"""Every interface that is decoded: a new one is a file of declarations and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces import epm, mqmq, qm2qm, qmmgmt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Interface, Operation, Type

_REGISTERED: Final = (
    epm.INTERFACE,
    qm2qm.INTERFACE,
    qmmgmt.INTERFACE,
)

INTERFACES: Final[Mapping[str, Interface]] = {interface.uuid: interface for interface in _REGISTERED}

IMPORTED: Final[Mapping[str, Mapping[str, Type]]] = {"ms-mqmq.idl": mqmq.TYPES}
"""Types that an interface's own IDL does not declare, by the file it imports."""

_OPERATIONS: Final[Mapping[tuple[str, int], Operation]] = {
    (interface.uuid, operation.opnum): operation for interface in _REGISTERED for operation in interface.operations
}


def operation_of(interface_uuid: str, opnum: int) -> Operation | None:
    return _OPERATIONS.get((interface_uuid, opnum))
