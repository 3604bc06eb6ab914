"""The shapes that parameters of COM interfaces have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces.parameters import reference
from decoders.ndr.model import Array, Direction, InterfacePointer, Member, Operation, Parameter, Pointer, PointerKind
from decoders.oaut.types import HRESULT, IID

if TYPE_CHECKING:
    from decoders.ndr.model import Type

"""[MS-DCOM] 2.1: a COM interface is bound as version 0.0, whatever its document says."""

RIID: Final = reference(Direction.IN, "riid", IID)
"""REFIID is a pointer without attribute: the GUID stands in place."""


def out(name: str, to: Type) -> Parameter:
    return reference(Direction.OUT, name, to)


def out_interface(name: str, interface: str, iid: str | None = None, iid_is: str = "") -> Parameter:
    """`IFoo **`: one referent id, that of the interface pointer."""
    return out(name, InterfacePointer(interface, iid, iid_is))


def in_interface(name: str, interface: str, iid: str | None = None) -> Parameter:
    return Parameter(Direction.IN, Member(name, InterfacePointer(interface, iid)))


def counted(direction: Direction, name: str, of: Type, size_is: str, length_is: str | None = None) -> Parameter:
    """[size_is] T*: at the top level the pointer is [ref], so only the array is on the wire."""
    array = Array(of, size_is=size_is, length_is=length_is)
    return Parameter(direction, Member(name, Pointer(array, PointerKind.REF)))


def method(opnum: int, name: str, parameters: tuple[Parameter, ...], section: str, doc: str) -> Operation:
    """Where it goes is told by the object UUID, how it went by the HRESULT."""
    return Operation(opnum, name, parameters, HRESULT, section, doc, takes_handle_t=False)
