"""Our declarations with what scapy-rpc declares otherwise, so that what surrounds it can be compared all the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from decoders.ndr.base_types import DWORD, USHORT
from decoders.ndr.model import Array, Pointer, PointerKind, String

if TYPE_CHECKING:
    from decoders.ndr.model import Member, Operation

VOID: Final = (
    "RemoteQmGetVersion",
    "R_QMCloseRemoteQueueContext",
    "R_OpenQueue",
    "R_OpenQueueForMove",
    "S_DSEndDeleteNotification",
)
"""Of the interfaces that scapy-rpc has; scapy's own endpoint mapper is right about this."""
_RETURNS: Final = dict.fromkeys((*VOID, "S_DSIsServerGC"), DWORD)
_UNIQUE_ARRAYS: Final = "R_QMSetObjectProperties"


def as_scapy_declares(operation: Operation) -> Operation:
    parameters = tuple(
        replace(parameter, member=_member(operation, parameter.member)) for parameter in operation.parameters
    )
    return replace(operation, parameters=parameters, returns=_RETURNS.get(operation.name, operation.returns))


def _member(operation: Operation, member: Member) -> Member:
    match member.type:
        case Pointer(to=String(written=False)) as pointer:
            return replace(member, type=replace(pointer, to=USHORT))
        case Pointer(to=Array()) as pointer if operation.name == _UNIQUE_ARRAYS:
            return replace(member, type=replace(pointer, kind=PointerKind.REF))
    return member
