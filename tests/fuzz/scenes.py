"""Small conversations between a client and a queue manager, as PDUs: what captures are made of before they are damaged.

Every stub differs from every other, so that a wrong pair of request and response can be told from a right one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from decoders.interfaces import INTERFACES
from decoders.ndr.encoder import encode
from decoders.ndr.model import Direction, Syntax
from samples.towers import build_tower
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.builders.conversations import Ends
from tests.decoders.dcerpc import pdus
from tests.decoders.ndr.honest_values import Honest
from tests.pipelines.com import sinks, story

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder
    from tests.builders.com_talk import ComTalk

BY_NAME = {interface.name: interface for interface in INTERFACES.values()}
IDS = {name: (interface.uuid, *interface.version) for name, interface in BY_NAME.items()}
SYNTAX_IDS = {Syntax.NDR: pdus.NDR, Syntax.NDR64: pdus.NDR64}
CONC_MPX = 0x10
ANNOUNCED_PORT = 49_700


@dataclass(frozen=True, slots=True)
class Turn:
    from_client: bool
    data: bytes
    """One PDU, until somebody damages it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One conversation."""

    name: str
    turns: tuple[Turn, ...]
    ends: Ends
    joined: bool
    """The handshake and the bind were not captured."""


class Script:
    """Turns as they are thought of; each step returns self."""

    def __init__(self, name: str, interface: str, syntax: Syntax = Syntax.NDR, order: ByteOrder = "<") -> None:
        self.interface, self.syntax, self.order = interface, syntax, order
        self.turns: list[Turn] = []
        self._rng = random.Random(name)
        self._opnums: dict[int, int] = {}

    def say(self, *data: bytes) -> Script:
        self.turns += [Turn(True, one) for one in data]
        return self

    def answer(self, *data: bytes) -> Script:
        self.turns += [Turn(False, one) for one in data]
        return self

    def bind(self, kind: int = pdus.BIND, auth: pdus.Auth | None = None, first_id: int = 0) -> Script:
        transfer = SYNTAX_IDS[self.syntax]
        contexts = (IDS[self.interface], (transfer,))
        self.say(pdus.bind(contexts, order=self.order, kind=kind, first_id=first_id, auth=auth))
        return self.answer(pdus.ack((0, 0, transfer), order=self.order, kind=kind + 1, auth=auth))

    def ask(self, opnum: int, call_id: int = 1, ctx: int = 0, pieces: int = 1, **more: Any) -> Script:  # noqa: ANN401
        self._opnums[call_id] = opnum
        stub = self.stub(opnum, Direction.IN) + more.pop("after", b"")
        flags = more.pop("flags", 0)
        return self.say(*(
            pdus.request(piece, self.order, opnum, call_id=call_id, ctx=ctx, flags=place | flags, **more)
            for piece, place in _pieces(stub, pieces)
        ))  # fmt: skip

    def reply(self, call_id: int = 1, ctx: int = 0, pieces: int = 1, **more: Any) -> Script:  # noqa: ANN401
        stub = self.stub(self._opnums[call_id], Direction.OUT)
        return self.answer(*(
            pdus.response(piece, self.order, call_id=call_id, ctx=ctx, flags=place, **more)
            for piece, place in _pieces(stub, pieces)
        ))  # fmt: skip

    def stub(self, opnum: int, direction: Direction) -> bytes:
        interface = BY_NAME[self.interface]
        operation = interface.operations[opnum]
        values = Honest(interface.types, self._rng).members(operation.on_the_wire(direction))
        return encode(operation, direction, values, interface.types, self.syntax, self.order)


def _pieces(stub: bytes, number: int) -> list[tuple[bytes, int]]:
    """Fragments with their flags; those but the last are multiples of 8 bytes."""
    size = max(8, len(stub) // number // 8 * 8)
    cuts = [size * piece for piece in range(number)] + [len(stub)]
    flags = [pdus.ONLY] if number == 1 else [pdus.FIRST] + [pdus.MIDDLE] * (number - 2) + [pdus.LAST]
    return [(stub[cuts[n] : cuts[n + 1]], flags[n]) for n in range(number)]


def _calls(name: str, interface: str = "qm2qm", syntax: Syntax = Syntax.NDR, order: ByteOrder = "<") -> Script:
    return Script(name, interface, syntax, order).bind()


def _small() -> Script:
    return _calls("small").ask(6).reply()


def _fragments() -> Script:
    return _calls("fragments").ask(0, pieces=2).reply(pieces=3).ask(9, 2, pieces=3).reply(2, pieces=2)


def _interleaved() -> Script:
    script = _calls("interleaved")
    for call_id, opnum in ((2, 0), (3, 1), (4, 5)):
        script.ask(opnum, call_id, flags=CONC_MPX, pieces=2 if opnum == 0 else 1)
    return script.reply(4).reply(2, pieces=2).reply(3)


def _reused() -> Script:
    """One call id for all, as clients do that have one call under way."""
    script = _calls("reused")
    for opnum in (3, 2, 6, 5, 4, 6):
        script.ask(opnum).reply()
    return script


def _altered() -> Script:
    script = _calls("altered").ask(7, 2).reply(2)
    script.interface = "qmmgmt"
    script.bind(pdus.ALTER, first_id=1)
    return script.ask(1, 3, ctx=1).reply(3, ctx=1).ask(0, 4, ctx=1).reply(4, ctx=1)


def _troubled() -> Script:
    script = _calls("troubled").ask(6).answer(pdus.fault(call_id=1)).ask(0, 2).say(pdus.pdu(pdus.CO_CANCEL, call_id=2))
    script.answer(pdus.fault(0x1C00000D, call_id=2, extended=b"\x01\x10\x08\0" + bytes(28)))
    script.ask(5, 3).say(pdus.pdu(pdus.ORPHANED, call_id=3)).ask(4, 4).reply(4)
    return script.answer(pdus.pdu(pdus.SHUTDOWN), pdus.pdu(pdus.BIND_NAK, b"\x04\0\x01\x05\0\0", call_id=9))


def _signed() -> Script:
    negotiate = b"NTLMSSP\0\x01\0\0\0" + bytes(24)
    script = Script("signed", "qm2qm").bind(auth=pdus.Auth(negotiate))
    script.say(pdus.pdu(pdus.AUTH3, bytes(4), auth=pdus.Auth(b"NTLMSSP\0\x03\0\0\0" + bytes(52))))
    script.ask(6, auth=pdus.Auth(pad=8)).reply(auth=pdus.Auth(pad=12))
    return script.ask(5, 2, auth=pdus.Auth(level=6, pad=4)).reply(2, auth=pdus.Auth(level=6, pad=12))


def _verified() -> Script:
    trailer = pdus.verification(pdus.pcontext(IDS["qm2qm"], pdus.NDR), pdus.header2(opnum=6))
    script = Script("verified", "qm2qm")
    return script.ask(6, after=trailer).reply().ask(5, 2).reply(2)


def _mapped() -> Script:
    script = _calls("mapped", "epm").ask(3)
    tower = build_tower((IDS["qm2qm"][0], "1.0"), ANNOUNCED_PORT, p.SERVER)
    values = {
        "entry_handle": None,
        "num_towers": 1,
        "ITowers": [{"tower_length": len(tower), "tower_octet_string": tower}],
        "status": 0,
    }
    epm = BY_NAME["epm"]
    stub = encode(epm.operations[3], Direction.OUT, values, epm.types, Syntax.NDR, "<")
    return script.answer(pdus.response(stub)).ask(2, 2).reply(2)


def _scene(name: str, script: Script, *, server_port: int = 2103, joined: bool = False, six: bool = False) -> Scene:
    ends = Ends(50_000, server_port)
    if six:
        ends = replace(ends, client=p.CLIENT6, server=p.SERVER6)
    return Scene(name, tuple(script.turns), ends, joined)


def _of_com(name: str, talk: ComTalk) -> Scene:
    turns = tuple(Turn(one.from_client, one.payload) for one in talk.packets if one.payload)
    # The same first port for all: which scene of a capture it is adds to it.
    return Scene(name, turns, replace(talk.talk.ends, port=50_000), joined=False)


OF_COM = (
    _of_com("activation", story.activation(c.QUEUE_INFO)),
    _of_com("activation, big endian", story.activation(c.QUEUE_INFO, order=">")),
    _of_com("object", story.whole_life(also=(c.I_QUEUE_INFO,))),
    _of_com("sink", sinks.called_back()),
)

SCENES = (
    _scene("small", _small()),
    _scene("fragments", _fragments()),
    _scene("interleaved", _interleaved()),
    _scene("reused", _reused()),
    _scene("altered", _altered()),
    _scene("troubled", _troubled()),
    _scene("signed", _signed()),
    _scene("verified", _verified(), joined=True),
    _scene("mapped", _mapped(), server_port=135),
    _scene("announced", _calls("announced").ask(7).reply(), server_port=ANNOUNCED_PORT),
    _scene("big endian", _calls("big endian", order=">").ask(2).reply().ask(10, 2, pieces=2).reply(2, pieces=2)),
    _scene("ndr64", _calls("ndr64", syntax=Syntax.NDR64).ask(2).reply().ask(9, 2).reply(2, pieces=3), six=True),
    _scene("managed", _calls("managed", "qmmgmt").ask(0).reply().ask(1, 2).reply(2), six=True),
    *OF_COM,
)
