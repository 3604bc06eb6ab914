"""What well-behaved peers say where a script does not: qm2qm, and the table of all operations."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from tests.scripts import (
    activation,
    com,
    connection_points,
    directory,
    management,
    mapper,
    qmcomm,
    qmcomm2,
    remote_read,
)
from tests.scripts.constants import ACTIONS
from tests.scripts.identities import LICENCE
from tests.scripts.messages import (
    ARRIVED_BEFORE,
    BODY_BYTES,
    LOOKUP_ID,
    described,
    message,
    receives,
    sequential_id,
)
from tests.scripts.recipes import Recipe, World, fails, plain
from tests.scripts.statements import ScriptError
from tests.scripts.words import handle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.scripts.stubs import Flat


def _open_queue(given: Flat, _: World) -> Flat:
    queue = given.get("hQueue", 7)
    return {"pLicGuid": LICENCE, "dwMQS": 0, "hQueue": queue, "pQueue": queue, "dwpContext": queue, **given}


def _cancel(given: Flat, world: World) -> Flat:
    queue = given.get("hQueue", 7)
    return {"hQueue": queue, "pQueue": queue, "dwRequestID": world.last_request_id, **given}


def _start(action: int) -> Callable[[Flat, World], Flat]:
    def request(given: Flat, world: World) -> Flat:
        queue = given.get("hRemoteQueue", 7)
        flat = {
            **dict.fromkeys(("hCursor", "ulTimeout", "Reserved", "dwArriveTime", "eAckNack", "SequentialId"), 0),
            "LookupId": LOOKUP_ID,
            "hRemoteQueue": queue,
            "dwQueue": queue,
            "ulAction": action,
            "dwRequestID": world.request_id(given.get("dwRequestID")),
            "@nth": world.starts,
        }
        world.starts += 1
        return {**flat, **given, **_buffered(given, None)}

    return request


def _started(given: Flat, asked: Flat, world: World) -> Flat:
    if fails(given):
        nothing = {"pphContext": None, "SequentialId": 0}
        return {**asked, **nothing, **given, **_buffered(given, None, size=asked["dwSize"])}
    action = asked["ulAction"]
    sequential = sequential_id(asked["@nth"], action, asked["LookupId"] if "@lookup" in asked else None)
    found = {
        "pphContext": handle("R") if receives(action) else None,
        "Reserved": 1,
        "dwArriveTime": world.seconds - ARRIVED_BEFORE,
        "SequentialId": sequential,
    }
    return {**asked, **found, **given, **_buffered(given, message(BODY_BYTES, sequential), sequential)}


def _by_lookup_id(given: Flat, world: World) -> Flat:
    return {**_start(ACTIONS["LOOKUP_RECEIVE_CURRENT"])(given, world), "@lookup": True}


def _buffered(given: Flat, otherwise: bytes | None, seed: int = 0, size: int = 0) -> Flat:
    """Whichever way lpBuffer and dwSize are given; `size` is that of no buffer."""
    octets = given.get("lpBuffer", given.get("buffer", otherwise))
    if "message" in given or ("destination" in given and otherwise is not None):
        wanted = described(given, seed)
        octets = wanted and message(*wanted)
    if octets is not None and "packet_size" in given:
        octets = octets[:8] + struct.pack("<I", given["packet_size"]) + octets[12:]
    return {
        "lpBuffer": octets,
        "dwSize": given.get("dwSize", size if octets is None else len(octets)),
        **_descriptor(given),
    }


def _descriptor(given: Flat) -> Flat:
    if given.get("descriptor") is not None:
        raise ScriptError("'descriptor' can be null, nothing else")
    return {"lpRemoteReadDesc": None, "pRemoteReadDesc": None} if "descriptor" in given else {}


_BUFFER: Final = frozenset(("message", "destination", "buffer", "packet_size", "descriptor"))


def _reading(request: Callable[[Flat, World], Flat]) -> Recipe:
    return Recipe(request, _started, left=_BUFFER, right=_BUFFER)


_RECIPES: Final[Mapping[str, Recipe]] = {
    "RemoteQMStartReceive": _reading(_start(ACTIONS["RECEIVE"])),
    "RemoteQMEndReceive": plain({"pphContext": handle("R"), "dwAck": 2}, {"pphContext": None}),
    "RemoteQMOpenQueue": plain(_open_queue, {"phContext": handle("S")}, {"phContext": None}),
    "RemoteQMCloseQueue": plain({"pphContext": handle("S")}, {"pphContext": None}),
    "RemoteQMCloseCursor": plain({"hQueue": 7, "hCursor": 3}),
    "RemoteQMCancelReceive": plain(_cancel),
    "RemoteQMPurgeQueue": plain({"hQueue": 7}),
    "RemoteQMGetQMQMServerPort": plain({"dwPortType": 1}, {"return_value": 2105}),
    "RemoteQmGetVersion": plain({}, {"pMajor": 6, "pMinor": 1, "pBuildNumber": 7601}),
    "RemoteQMStartReceive2": _reading(_start(ACTIONS["RECEIVE"])),
    "RemoteQMStartReceiveByLookupId": _reading(_by_lookup_id),
}
RECIPES: Final[Mapping[str, tuple[str, Recipe]]] = {
    name: (interface, recipe)
    for interface, recipes in (
        ("qm2qm", _RECIPES),
        ("qmmgmt", management.RECIPES),
        ("epm", mapper.RECIPES),
        ("qmcomm", qmcomm.RECIPES),
        ("qmcomm2", qmcomm2.RECIPES),
        ("RemoteRead", remote_read.RECIPES),
        ("dscomm", directory.RECIPES),
        ("dscomm2", directory.MORE_RECIPES),
        ("IRemoteSCMActivator", activation.RECIPES),
        ("IObjectExporter", activation.RESOLVER_RECIPES),
        ("IRemUnknown", com.REMOTE_UNKNOWN),
        ("IClassFactory", com.CLASS_FACTORY),
        ("IDispatch", com.DISPATCH),
        ("IConnectionPointContainer", connection_points.CONTAINER),
        ("IConnectionPoint", connection_points.POINT),
    )
    for name, recipe in recipes.items()
}
"""Operation to its interface and what is said by default."""
