"""What decoding a stub costs: impacket's NDR and our interpreter over the same bytes."""

from __future__ import annotations

import gc
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from impacket.dcerpc.v5 import epm as impacket_epm

from decoders.dcerpc.bind import SyntaxId
from decoders.interfaces import INTERFACES
from decoders.msmq.towers import build_tower
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Direction, Syntax
from pipelines.calls.batches import MAX_CALLS_HELD
from samples import mgmt_ndr, msmq_ndr

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.ndr.model import Interface, Operation

BATCH: Final = MAX_CALLS_HELD
"""As many as a run decodes together."""
IMPACKET_STUBS: Final = 200
MESSAGE_BYTES: Final = 400
INTERPRETER_TARGET: Final = 3.0
_NDR: Final = SyntaxId("8a885d04-1ceb-11c9-9fe8-08002b104860", 2, 0)
_QM2QM: Final = SyntaxId("1088a980-eae5-11d0-8d9b-00a02453c337", 1, 0)
_HANDLE: Final = "0b0a0908-0706-0504-0302-010000000001"
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Timed:
    name: str
    octets: int
    impacket_us: float | None
    interpreter_us: float

    @property
    def times_impacket(self) -> float | None:
        return None if self.impacket_us is None else self.impacket_us / self.interpreter_us


def _descriptor(rng: random.Random, message: bytes | None) -> Values:
    names = ("hRemoteQueue", "hCursor", "ulAction", "ulTimeout", "dwQueue", "dwRequestID", "Reserved", "dwArriveTime")
    numbers = {name: rng.getrandbits(32) for name in names}
    return numbers | {"dwSize": len(message or b""), "eAckNack": rng.randrange(3), "lpBuffer": message}


def _descriptor2(rng: random.Random, message: bytes | None) -> Values:
    return {"pRemoteReadDesc": _descriptor(rng, message), "SequentialId": rng.getrandbits(56)}


def _tower(rng: random.Random) -> Values:
    octets = build_tower(_QM2QM, _NDR, port=rng.randrange(1024, 65536), host="192.0.2.10")
    return {"tower_length": len(octets), "tower_octet_string": octets}


_MAKERS: Final[dict[str, Callable[[random.Random, Direction], Any]]] = {
    "lpRemoteReadDesc": lambda rng, way: _descriptor(rng, _message(rng, way)),
    "lpRemoteReadDesc2": lambda rng, way: _descriptor2(rng, _message(rng, way)),
    "pphContext": lambda _, __: _HANDLE,
    "phContext": lambda _, __: _HANDLE,
    "pLicGuid": lambda _, __: _HANDLE,
    "dwAck": lambda rng, _: rng.randrange(1, 3),
    "dwMQS": lambda rng, _: rng.randrange(17),
    "dwPortType": lambda rng, _: rng.randrange(4),
    "LookupId": lambda rng, _: rng.getrandbits(64),
    "pMajor": lambda _, __: 6,
    "pMinor": lambda _, __: 1,
    "pBuildNumber": lambda _, __: 7601,
    "entry_handle": lambda _, __: None,
    "obj": lambda _, __: None,
    "map_tower": lambda rng, _: _tower(rng),
    "max_towers": lambda _, __: 4,
    "num_towers": lambda _, __: 2,
    "ITowers": lambda rng, _: [_tower(rng), _tower(rng)],
    "pObjectFormat": lambda _, __: {
        "type": 2,
        "pQueueFormat": {"m_qft": 3, "m_SuffixAndFlags": 0, "m_reserved": 0, "m_pDirectID": "OS:srv01\\private$\\q"},
    },
    "lpwszAction": lambda _, __: "PAUSE",
    "cp": lambda _, __: 2,
    "aProp": lambda _, __: [7, 11],
    "apVar": lambda _, __: [_variant(19, ulVal=7), _variant(31, pwszVal="CONNECTED")],
    "object": lambda _, __: None,
    "Ifid": lambda _, __: None,
    "max_ents": lambda _, __: 4,
    "num_ents": lambda _, __: 2,
    "entries": lambda rng, _: [_entry(rng), _entry(rng)],
}
"""Values of the parameters measured; any other is a 32-bit number."""


def _variant(vt: int, **arm: object) -> Values:
    return {"vt": vt, "wReserved1": 0, "wReserved2": 0, "wReserved3": 0, "_varUnion": arm}


def _entry(rng: random.Random) -> Values:
    return {"object": _HANDLE, "tower": _tower(rng), "annotation": "Message Queuing"}


def _number(rng: random.Random, _: Direction) -> int:
    return rng.getrandbits(32)


def _message(rng: random.Random, direction: Direction) -> bytes | None:
    return rng.randbytes(MESSAGE_BYTES) if direction is Direction.OUT else None


def receive_stubs(rng: random.Random) -> tuple[bytes, bytes]:
    """Request and response of one RemoteQMStartReceive."""
    interface = next(one for one in INTERFACES.values() if one.name == "qm2qm")
    receive = interface.operations[0]
    request = {"lpRemoteReadDesc": _descriptor(rng, None)}
    answer = {
        "pphContext": _HANDLE,
        "lpRemoteReadDesc": _descriptor(rng, _message(rng, Direction.OUT)),
        "return_value": 0,
    }
    both = ((Direction.IN, request), (Direction.OUT, answer))
    asked, answered = (encode(receive, way, values, interface.types, Syntax.NDR, "<") for way, values in both)
    return asked, answered


def time_stubs(repeat: int, batch: int = BATCH) -> list[Timed]:
    found = []
    for interface, operation, direction in _measured():
        for syntax in Syntax:
            found.append(_time(interface, operation, direction, syntax, repeat, batch))
    return found


def _measured() -> list[tuple[Interface, Operation, Direction]]:
    chosen = {"qm2qm": None, "epm": {"ept_lookup", "ept_map"}, "qmmgmt": None}
    return [
        (interface, operation, direction)
        for interface in INTERFACES.values()
        for operation in interface.operations
        for direction in (Direction.IN, Direction.OUT)
        if interface.name in chosen and operation.name in (chosen[interface.name] or {operation.name})
        if operation.on_the_wire(direction)
    ]


def _time(
    interface: Interface, operation: Operation, direction: Direction, syntax: Syntax, repeat: int, batch: int
) -> Timed:
    rng = random.Random(operation.opnum)
    members = operation.on_the_wire(direction)
    makers = [(one.name, _MAKERS.get(one.name, _number)) for one in members]
    values = [{name: make(rng, direction) for name, make in makers} for _ in range(batch)]
    stubs = [encode(operation, direction, one, interface.types, syntax, "<") for one in values]
    decode = compile_decoder(operation, direction, interface.types, syntax, "<")
    theirs = _impacket(operation, direction)
    few = stubs[:IMPACKET_STUBS]
    impacket_us = None
    if theirs is not None and syntax is Syntax.NDR:
        impacket_us = _best(lambda: [theirs(stub) for stub in few], repeat) / len(few) * 1e6
    side = "request" if direction is Direction.IN else "response"
    return Timed(
        f"{operation.name} {side}, {syntax}",
        len(stubs[0]),
        impacket_us,
        _best(lambda: [decode(stub) for stub in stubs], repeat) / batch * 1e6,
    )


def _impacket(operation: Operation, direction: Direction) -> Callable[[bytes], object] | None:
    name = operation.name if direction is Direction.IN else f"{operation.name}Response"
    for module in (msmq_ndr, mgmt_ndr, impacket_epm):
        if hasattr(module, name):
            made: Callable[[bytes], object] = getattr(module, name)
            return made
    return None


def _best(run: Callable[[], object], repeat: int) -> float:
    taken = []
    for _ in range(repeat):
        gc.collect()
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def stub_table(timed: list[Timed]) -> str:
    head = ("stub", "bytes", "impacket us", "interpreter us", "x impacket")
    rows = [
        (
            one.name,
            str(one.octets),
            "-" if one.impacket_us is None else f"{one.impacket_us:.1f}",
            f"{one.interpreter_us:.2f}",
            "-" if one.times_impacket is None else f"{one.times_impacket:.1f}",
        )
        for one in timed
    ]
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    return "\n".join("  ".join(map(_justified, row, widths, range(len(row)))) for row in (head, *rows))


def _justified(text: str, width: int, column: int) -> str:
    return text.rjust(width) if column else text.ljust(width)


def stub_verdict(timed: list[Timed]) -> str:
    slowest = min((one for one in timed if one.times_impacket), key=lambda one: one.times_impacket or 0)
    return _sentence("interpreter", slowest.times_impacket or 0, "impacket", slowest.name, INTERPRETER_TARGET)


def _sentence(who: str, times: float, whom: str, where: str, target: float) -> str:
    met = "met" if times >= target else "missed"
    return f"{who}: at least {times:.1f} times as fast as {whom} ({where}; target {target:.0f}): {met}"
