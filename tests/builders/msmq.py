"""Stubs and whole calls of the declared interfaces, for conversations that mean something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from decoders.dcerpc.bind import SyntaxId
from decoders.interfaces import INTERFACES, operation_of
from decoders.msmq.towers import build_tower
from decoders.ndr.encoder import encode
from decoders.ndr.model import Direction, Syntax
from tests.builders import rpc

if TYPE_CHECKING:
    from tests.builders.conversations import Talk

QMMGMT = "41208ee0-e970-11d1-9b9e-00e02c064c39"
HANDLE = "0b0a0908-0706-0504-0302-010000000001"
SUCCESS = 0
Values = dict[str, Any]


def stub(
    interface: str,
    opnum: int,
    direction: Direction,
    values: Values,
    syntax: Syntax = Syntax.NDR,
    *,
    callback: bool = False,
) -> bytes:
    operation = operation_of(interface, opnum, callback=callback)
    assert operation is not None
    return encode(operation, direction, values, INTERFACES[interface].types, syntax, "<", fill=0xCD)


def descriptor(message: bytes | None = None, **values: int) -> Values:
    """REMOTEREADDESC."""
    names = ("hRemoteQueue", "hCursor", "ulAction", "ulTimeout", "dwSize", "dwQueue", "dwRequestID", "Reserved")
    numbers = dict.fromkeys((*names, "dwArriveTime", "eAckNack"), 0)
    numbers |= {"hRemoteQueue": 7, "dwQueue": 7, "dwRequestID": 1, "dwSize": len(message or b"")} | values
    return {**numbers, "lpBuffer": message}


def call(talk: Talk, interface: str, opnum: int, request: Values, response: Values, call_id: int = 1) -> Talk:
    """One request in one PDU and its answer."""
    asked, answered = (
        stub(interface, opnum, direction, values)
        for direction, values in ((Direction.IN, request), (Direction.OUT, response))
    )
    return talk.say(rpc.request(asked, opnum, call_id)).answer(rpc.response(answered, call_id))


def receive(talk: Talk, message: bytes, call_id: int = 1) -> Talk:
    """RemoteQMStartReceive."""
    answer = {"pphContext": HANDLE, "lpRemoteReadDesc": descriptor(message), "return_value": SUCCESS}
    return call(talk, rpc.QM2QM, 0, {"lpRemoteReadDesc": descriptor()}, answer, call_id)


def purge(talk: Talk, call_id: int = 1) -> Talk:
    return call(talk, rpc.QM2QM, 6, {"hQueue": 7}, {"return_value": SUCCESS}, call_id)


def server_port(talk: Talk, port: int, call_id: int = 1) -> Talk:
    """RemoteQMGetQMQMServerPort, IP_READ."""
    return call(talk, rpc.QM2QM, 7, {"dwPortType": 1}, {"return_value": port}, call_id)


def map_endpoint(talk: Talk, interface: str, port: int, host: str, call_id: int = 1) -> Talk:
    """ept_map."""
    octets = build_tower(SyntaxId(interface, 1, 0), SyntaxId(rpc.NDR, 2, 0), port=port, host=host)
    asked = build_tower(SyntaxId(interface, 1, 0), SyntaxId(rpc.NDR, 2, 0))
    request = {"obj": None, "map_tower": _tower(asked), "entry_handle": None, "max_towers": 4}
    answer = {"entry_handle": None, "num_towers": 1, "ITowers": [_tower(octets)], "status": SUCCESS}
    return call(talk, rpc.EPM, 3, request, answer, call_id)


def bound(talk: Talk, interface: str) -> Talk:
    return talk.open().say(rpc.bind(interface)).answer(rpc.bind_ack())


def _tower(octets: bytes) -> Values:
    return {"tower_length": len(octets), "tower_octet_string": octets}
