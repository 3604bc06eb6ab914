"""How a client asks for events, byte by byte: [MC-MQAC] 3.16.4.5 and 3.16.4.6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.interfaces import connection_points as points
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Direction, Syntax

if TYPE_CHECKING:
    from decoders.ndr.model import Interface

THIS, THAT = 32, 8
OBJREF = "4d454f57"


def values(interface: Interface, opnum: int, direction: Direction, stub: str) -> dict[str, object]:
    start = THIS if direction is Direction.IN else THAT
    (operation,) = (one for one in interface.operations if one.opnum == opnum)
    data = bytes(start) + bytes.fromhex(stub)
    decoded = decode(operation, direction, data, interface.types, Syntax.NDR, "<", start=start)
    assert decoded.problems == ()
    return decoded.values


def test_find_connection_point() -> None:
    events = "78e0d6d7cddcd011aa4b0060970debae"
    asked = values(points.CONNECTION_POINT_CONTAINER, 4, Direction.IN, events)
    assert asked == {"riid": "d7d6e078-dccd-11d0-aa4b-0060970debae"}
    told = values(points.CONNECTION_POINT_CONTAINER, 4, Direction.OUT, f"00000200 04000000 04000000 {OBJREF} 00000000")
    assert told == {"ppCP": b"MEOW", "return_value": 0}


def test_a_connection_point_that_there_is_not() -> None:
    told = values(points.CONNECTION_POINT_CONTAINER, 4, Direction.OUT, "00000000 00020480")
    assert told == {"ppCP": None, "return_value": 0x80040200}


def test_advise_and_unadvise() -> None:
    asked = values(points.CONNECTION_POINT, 5, Direction.IN, f"00000200 04000000 04000000 {OBJREF}")
    assert asked == {"pUnkSink": b"MEOW"}
    assert values(points.CONNECTION_POINT, 5, Direction.OUT, "07000000 00000000") == {
        "pdwCookie": 7,
        "return_value": 0,
    }
    assert values(points.CONNECTION_POINT, 6, Direction.IN, "07000000") == {"dwCookie": 7}


def test_connections_are_listed() -> None:
    stub = f"02000000 00000000 01000000 00000200 07000000 04000000 04000000 {OBJREF} 01000000 01000000"
    told = values(points.ENUM_CONNECTIONS, 3, Direction.OUT, stub)
    assert told == {"rgcd": [{"pUnk": b"MEOW", "dwCookie": 7}], "pcFetched": 1, "return_value": 1}


def test_connection_points_are_listed() -> None:
    stub = f"02000000 00000000 01000000 00000200 04000000 04000000 {OBJREF} 01000000 00000000"
    told = values(points.ENUM_CONNECTION_POINTS, 3, Direction.OUT, stub)
    assert told == {"ppCP": [b"MEOW"], "pcFetched": 1, "return_value": 0}
    assert values(points.ENUM_CONNECTION_POINTS, 5, Direction.IN, "") == {}
