"""IDispatch: [MS-OAUT] 3.1. Opnums 3 to 6 of every dual interface are these too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from decoders.interfaces.com_parameters import RIID, counted, method, out, out_interface
from decoders.interfaces.parameters import reference, value
from decoders.ndr.model import Constant, Direction, Interface, Named
from decoders.oaut.declarations import DISPPARAMS, EXCEPINFO, TYPES
from decoders.oaut.types import DISPID, DWORD, LCID, LPOLESTR, UINT
from decoders.registry import BY_NAME

if TYPE_CHECKING:
    from decoders.ndr.model import Parameter

IID_ITYPEINFO: Final = "00020401-0000-0000-c000-000000000046"
_IN, _OUT = Direction.IN, Direction.OUT


def _any(parameter: Parameter) -> Parameter:
    """It may be a message's body: which member is called, only the object tells."""
    return replace(parameter, member=replace(parameter.member, payload=True))


OPERATIONS: Final = (
    method(
        3,
        "GetTypeInfoCount",
        (out("pctinfo", UINT),),
        "3.1.4.1",
        "Asks whether the object can describe itself.",
    ),
    method(
        4,
        "GetTypeInfo",
        (value("iTInfo", UINT), value("lcid", LCID), out_interface("ppTInfo", "ITypeInfo", IID_ITYPEINFO)),
        "3.1.4.2",
        "Gets the description of the object's members.",
    ),
    method(
        5,
        "GetIDsOfNames",
        (
            RIID,
            counted(_IN, "rgszNames", LPOLESTR, "cNames"),
            value("cNames", UINT, (0, 16384)),
            value("lcid", LCID),
            counted(_OUT, "rgDispId", DISPID, "cNames"),
        ),
        "3.1.4.3",
        "Asks for the numbers of a member and its arguments by their names.",
    ),
    method(
        6,
        "Invoke",
        (
            value("dispIdMember", DISPID),
            RIID,
            value("lcid", LCID),
            value("dwFlags", DWORD),
            reference(_IN, "pDispParams", DISPPARAMS),
            _any(out("pVarResult", Named("VARIANT"))),
            out("pExcepInfo", EXCEPINFO),
            out("pArgErr", UINT),
            value("cVarRef", UINT),
            counted(_IN, "rgVarRefIdx", UINT, "cVarRef"),
            _any(counted(_IN | _OUT, "rgVarRef", Named("VARIANT"), "cVarRef")),
        ),
        "3.1.4.4",
        "Calls a method, or reads or writes a property, by its number.",
    ),
)

INTERFACE: Final = Interface(
    **BY_NAME["IDispatch"].identity,
    doc="Calls an object's methods and properties by number, for clients that learn its members as they run.",
    operations=OPERATIONS,
    types=TYPES,
    constants=(
        Constant("DISPATCH_METHOD", DWORD, 0x00000001),
        Constant("DISPATCH_PROPERTYGET", DWORD, 0x00000002),
        Constant("DISPATCH_PROPERTYPUT", DWORD, 0x00000004),
        Constant("DISPATCH_PROPERTYPUTREF", DWORD, 0x00000008),
        Constant("DISPATCH_zeroVarResult", DWORD, 0x00020000),
        Constant("DISPATCH_zeroExcepInfo", DWORD, 0x00040000),
        Constant("DISPATCH_zeroArgErr", DWORD, 0x00080000),
        Constant("DISPID_VALUE", DISPID, 0),
        Constant("DISPID_UNKNOWN", DISPID, -1),
        Constant("DISPID_PROPERTYPUT", DISPID, -3),
        Constant("DISPID_NEWENUM", DISPID, -4),
    ),
)
