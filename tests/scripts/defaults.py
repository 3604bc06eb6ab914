"""What well-behaved peers say where a script does not: qm2qm, and the table of all operations."""

from __future__ import annotations

import random
import struct
import uuid
from typing import TYPE_CHECKING, Final

from samples.user_message import Message as UserMessage
from tests.scripts import management, mapper
from tests.scripts.recipes import Recipe, World, fails, plain
from tests.scripts.statements import ScriptError
from tests.scripts.words import ACTIONS, Message, handle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.scripts.stubs import Flat

LICENCE: Final = "11111111-2222-3333-4444-555555555555"
LOOKUP_ID: Final = 0x1401
SENT: Final = 1_767_596_400
"""An hour before the capture begins: 2026-01-05 07:00 UTC."""
_SEQUENTIAL: Final = (1 << 56) - 1
_RECEIVES: Final = frozenset(code for name, code in ACTIONS.items() if "RECEIVE" in name)
_NEIGHBOUR: Final = {
    code: {"CURRENT": 0, "NEXT": 1, "PREV": -1}[name.rpartition("_")[2]]
    for name, code in ACTIONS.items()
    if name.startswith("LOOKUP")
}
_ARRIVED_BEFORE: Final = 60
_BODY_BYTES: Final = 100


def message(body: int, seed: int) -> bytes:
    """A UserMessage packet; equal where both numbers are."""
    content = random.Random(f"message {seed}").randbytes(body)
    sent = UserMessage(number=seed & 0xFFFF_FFFF, label="order", body=content, sent=SENT, lookup_id=seed)
    return sent.packet(uuid.UUID(handle("BRANCH7")), "DIRECT=OS:hq\\private$\\orders")


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
    sequential = _sequential_id(asked)
    found = {
        "pphContext": handle("R") if asked["ulAction"] in _RECEIVES else None,
        "Reserved": 1,
        "dwArriveTime": world.seconds - _ARRIVED_BEFORE,
        "SequentialId": sequential,
    }
    return {**asked, **found, **given, **_buffered(given, message(_BODY_BYTES, sequential), sequential)}


def _sequential_id(asked: Flat) -> int:
    neighbour = _NEIGHBOUR.get(asked["ulAction"])
    if neighbour is None or "@lookup" not in asked:
        return int(LOOKUP_ID + asked["@nth"])
    return int(asked["LookupId"] + neighbour) & _SEQUENTIAL


def _by_lookup_id(given: Flat, world: World) -> Flat:
    return {**_start(ACTIONS["LOOKUP_RECEIVE_CURRENT"])(given, world), "@lookup": True}


def _buffered(given: Flat, otherwise: bytes | None, seed: int = 0, size: int = 0) -> Flat:
    """Whichever way lpBuffer and dwSize are given; `size` is that of no buffer."""
    octets = given.get("lpBuffer", given.get("buffer", otherwise))
    if "message" in given:
        described: Message | None = given["message"]
        octets = described and message(described.body, seed if described.seed is None else described.seed)
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


_BUFFER: Final = frozenset(("message", "buffer", "packet_size", "descriptor"))


def _reading(request: Callable[[Flat, World], Flat]) -> Recipe:
    return Recipe(request, _started, left=_BUFFER, right=_BUFFER)


RECIPES: Final[Mapping[str, tuple[str, Recipe]]] = {
    **{
        name: ("qm2qm", recipe)
        for name, recipe in {
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
        }.items()
    },
    **{name: ("qmmgmt", recipe) for name, recipe in management.RECIPES.items()},
    **{name: ("epm", recipe) for name, recipe in mapper.RECIPES.items()},
}
"""Operation to its interface and what is said by default."""
