"""How a client asks for an object's events: [MC-MQAC] 3.16.4.5, 3.16.4.6, and the enumerators of its section 6."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces.com_parameters import (
    RIID,
    counted,
    in_interface,
    method,
    out,
    out_interface,
)
from decoders.interfaces.parameters import value
from decoders.ndr.model import Direction, Interface, InterfacePointer, Member, Struct
from decoders.oaut.types import DWORD, IID, IID_IUNKNOWN, IUNKNOWN, ULONG
from decoders.registry import BY_NAME

if TYPE_CHECKING:
    from decoders.ndr.model import Operation, Type

IID_CONTAINER: Final = "b196b284-bab4-101a-b69c-00aa00341d07"
IID_ENUM_POINTS: Final = "b196b285-bab4-101a-b69c-00aa00341d07"
IID_POINT: Final = "b196b286-bab4-101a-b69c-00aa00341d07"
IID_ENUM_CONNECTIONS: Final = "b196b287-bab4-101a-b69c-00aa00341d07"

CONNECTDATA = Struct("CONNECTDATA", (Member("pUnk", IUNKNOWN), Member("dwCookie", DWORD)), tag="tagCONNECTDATA")


def _enumerator(name: str, iid: str, array: str, of: Type) -> tuple[Operation, ...]:
    fetched = counted(Direction.OUT, array, of, "cConnections", "*pcFetched")
    wanted = value("cConnections", ULONG)
    return (
        method(3, "Next", (wanted, fetched, out("pcFetched", ULONG)), "6", "Gets the next elements."),
        method(4, "Skip", (wanted,), "6", "Passes over elements."),
        method(5, "Reset", (), "6", "Begins again."),
        method(6, "Clone", (out_interface("ppEnum", name, iid),), "6", "Gets another enumerator at the same place."),
    )


CONNECTION_POINT: Final = Interface(
    **BY_NAME["IConnectionPoint"].identity,
    doc="One kind of events of an object, and those who want them.",
    operations=(
        method(3, "GetConnectionInterface", (out("pIID", IID),), "3.16.4.5.1", "Asks which events these are."),
        method(
            4,
            "GetConnectionPointContainer",
            (out_interface("ppCPC", "IConnectionPointContainer", IID_CONTAINER),),
            "3.16.4.5.2",
            "Gets the object that has the events.",
        ),
        method(
            5,
            "Advise",
            (in_interface("pUnkSink", "IUnknown", IID_IUNKNOWN), out("pdwCookie", DWORD)),
            "3.16.4.5.3",
            "Hands over the client's object that is to be called.",
        ),
        method(6, "Unadvise", (value("dwCookie", DWORD),), "3.16.4.5.4", "Takes it back."),
        method(
            7,
            "EnumConnections",
            (out_interface("ppEnum", "IEnumConnections", IID_ENUM_CONNECTIONS),),
            "3.16.4.5.5",
            "Gets a list of those who are called.",
        ),
    ),
    types={},
)

CONNECTION_POINT_CONTAINER: Final = Interface(
    **BY_NAME["IConnectionPointContainer"].identity,
    doc="The kinds of events that an object has.",
    operations=(
        method(
            3,
            "EnumConnectionPoints",
            (out_interface("ppEnum", "IEnumConnectionPoints", IID_ENUM_POINTS),),
            "3.16.4.6.1",
            "Gets a list of them.",
        ),
        method(
            4,
            "FindConnectionPoint",
            (RIID, out_interface("ppCP", "IConnectionPoint", IID_POINT)),
            "3.16.4.6.2",
            "Gets the one of an interface.",
        ),
    ),
    types={},
)

ENUM_CONNECTIONS: Final = Interface(
    **BY_NAME["IEnumConnections"].identity,
    doc="Lists those who are called at a kind of events.",
    operations=_enumerator("IEnumConnections", IID_ENUM_CONNECTIONS, "rgcd", CONNECTDATA),
    types={"CONNECTDATA": CONNECTDATA},
)

ENUM_CONNECTION_POINTS: Final = Interface(
    **BY_NAME["IEnumConnectionPoints"].identity,
    doc="Lists the kinds of events of an object.",
    operations=_enumerator(
        "IEnumConnectionPoints", IID_ENUM_POINTS, "ppCP", InterfacePointer("IConnectionPoint", IID_POINT)
    ),
    types={},
)

INTERFACES: Final = (CONNECTION_POINT, CONNECTION_POINT_CONTAINER, ENUM_CONNECTIONS, ENUM_CONNECTION_POINTS)
