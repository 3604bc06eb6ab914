"""Every interface that is decoded: a new one is a line in the registry, a file of declarations and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces import (
    activation,
    class_factory,
    connection_points,
    dispatch,
    dscomm,
    dscomm2,
    enum_variant,
    epm,
    mqac,
    mqmq,
    object_exporter,
    qm2qm,
    qmcomm,
    qmcomm2,
    qmmgmt,
    remote_scm_activator,
    remote_unknown,
    remote_unknown2,
    remoteread,
    type_info,
)
from decoders.oaut import declarations
from decoders.registry import BY_NAME, REGISTRY, registered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Interface, Operation, Type

_REGISTERED: Final = (
    epm.INTERFACE,
    qm2qm.INTERFACE,
    qmmgmt.INTERFACE,
    qmcomm.INTERFACE,
    qmcomm2.INTERFACE,
    remoteread.INTERFACE,
    dscomm.INTERFACE,
    dscomm2.INTERFACE,
    object_exporter.INTERFACE,
    activation.INTERFACE,
    remote_scm_activator.INTERFACE,
    remote_unknown.INTERFACE,
    remote_unknown2.INTERFACE,
    class_factory.INTERFACE,
    dispatch.INTERFACE,
    type_info.INTERFACE,
    enum_variant.INTERFACE,
    *connection_points.INTERFACES,
    *mqac.INTERFACES,
)

INTERFACES: Final[Mapping[str, Interface]] = {interface.uuid: interface for interface in _REGISTERED}

IMPORTED: Final[Mapping[str, Mapping[str, Type]]] = {"ms-mqmq.idl": mqmq.TYPES, "ms-oaut.idl": declarations.TYPES}
"""Types that an interface's own IDL does not declare, by the file it imports."""

_OPERATIONS: Final[Mapping[tuple[str, int, bool], Operation]] = {
    (interface.uuid, operation.opnum, callback): operation
    for interface in _REGISTERED
    for callback, operations in ((False, interface.operations), (True, interface.callbacks))
    for operation in operations
}


def interface_of(uuid: str, version: str) -> Interface | None:
    """The declaration; None: there is none, or it is that of another major version."""
    known = registered(uuid, version)
    return None if known is None else INTERFACES.get(known.uuid)


def operation_of(interface_uuid: str, opnum: int, *, callback: bool = False) -> Operation | None:
    """`callback`: the server asks, and the opnum is one of those counted apart."""
    return _OPERATIONS.get((interface_uuid, opnum, callback))


def declaring(interface_uuid: str, opnum: int) -> str | None:
    """Which interface declares the operation: itself, or one that it is derived from. None: nobody does."""
    known = REGISTRY.get(interface_uuid)
    while known is not None:
        if (known.uuid, opnum, False) in _OPERATIONS:
            return known.uuid
        known = BY_NAME.get(known.base)
    return None
