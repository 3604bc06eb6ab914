"""Conversations of DCOM: what a client and an object resolver or exporter say to each other, in any byte order.

talk = ComTalk(Ends(50_000, 49_700)).bind(DISPATCH)
talk.orpc(DISPATCH, "Invoke", ipid(1), invoked(7), returned())
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from decoders.dcom.orpc import write_implicit
from decoders.interfaces import INTERFACES, declaring, operation_of
from decoders.ndr.encoder import encode
from decoders.ndr.model import Direction, Syntax
from tests.builders import com_values as c
from tests.builders.conversations import Talk, frames
from tests.decoders.dcerpc import pdus

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Operation
    from tests.builders.conversations import Ends, Frame, Packet

Values = dict[str, Any]
COM_VERSION = 0
SEALED = pdus.Auth(bytes(16), level=6)
REFUSED = 2
_MOST_OPNUMS = 128


class ComTalk:
    """Each step returns self. A context id is dealt for every interface bound, anew if `first` says so."""

    def __init__(self, ends: Ends, order: ByteOrder = "<", syntax: Syntax = Syntax.NDR) -> None:
        self.talk = Talk(ends).open()
        self._syntax = syntax
        self.order: ByteOrder = order
        self._contexts: dict[str, int] = {}
        self._call = 1

    @property
    def packets(self) -> list[Packet]:
        return self.talk.packets

    @property
    def frames(self) -> list[Frame]:
        return [frame for packet in self.packets for frame in frames(self.talk.ends, packet)]

    def bind(self, *iids: str, first: int | None = None, refused: bool = False, version: int = COM_VERSION) -> ComTalk:
        """The first one binds, later ones alter the context. `first`: the first context id."""
        again = bool(self._contexts)
        start = len(self._contexts) if first is None else first
        self._contexts = {iid: ctx for iid, ctx in self._contexts.items() if ctx < start}
        self._contexts |= {iid: number for number, iid in enumerate(iids, start)}
        transfer = pdus.NDR64 if self._syntax is Syntax.NDR64 else pdus.NDR
        proposed = [((iid, version, 0), (transfer,)) for iid in iids]
        answer = (REFUSED, 1, (c.NULL, 0, 0)) if refused else (0, 0, transfer)
        kinds = (pdus.ALTER, pdus.ALTER_RESP) if again else (pdus.BIND, pdus.BIND_ACK)
        ids = {"order": self.order, "call_id": self._next()}
        self.talk.say(pdus.bind(*proposed, kind=kinds[0], first_id=start, **ids))  # type: ignore[arg-type]
        self.talk.answer(pdus.ack(*[answer] * len(iids), kind=kinds[1], **ids))  # type: ignore[arg-type]
        return self

    def native(self, uuid: str, name: str, asked: Values, answered: Values) -> ComTalk:
        """A call of the object resolver."""
        operation = _named(uuid, name)
        stubs = (self._stub(uuid, operation, *one) for one in ((Direction.IN, asked), (Direction.OUT, answered)))
        return self.raw(uuid, operation.opnum, *stubs)

    def orpc(
        self,
        uuid: str,
        name: str,
        of: str,
        asked: Values,
        answered: Values | None,
        *,
        this: Values | None = None,
        that: Values | None = None,
        behind: bytes = b"",
    ) -> ComTalk:
        """A call of an object. None: nobody answers. `behind`: bytes after the last parameter, both ways."""
        operation = _named(uuid, name)
        before = write_implicit(Direction.IN, this or c.this(), self.order)
        asks = self._stub(uuid, operation, Direction.IN, asked, before) + behind
        tells = None
        if answered is not None:
            before = write_implicit(Direction.OUT, that or c.that(), self.order)
            values = {"return_value": 0} | answered
            tells = self._stub(uuid, operation, Direction.OUT, values, before) + behind
        return self.raw(uuid, operation.opnum, asks, tells, of=of)

    def raw(
        self, uuid: str, opnum: int, asks: bytes, tells: bytes | None, *, of: str | None = None, sealed: bool = False
    ) -> ComTalk:
        """Stubs as they are."""
        auth, call_id, ctx = SEALED if sealed else None, self._next(), self._contexts[uuid]
        ids = {"call_id": call_id, "ctx": ctx, "auth": auth}
        self.talk.say(pdus.request(asks, self.order, opnum, object_uuid=of, **ids))  # type: ignore[arg-type]
        if tells is not None:
            self.talk.answer(pdus.response(tells, self.order, **ids))  # type: ignore[arg-type]
        return self

    def refused(self, uuid: str, name: str, of: str, asked: Values, status: int) -> ComTalk:
        """A fault answers."""
        operation = _named(uuid, name)
        before = write_implicit(Direction.IN, c.this(), self.order)
        return self.fault(uuid, operation.opnum, of, self._stub(uuid, operation, Direction.IN, asked, before), status)

    def fault(self, uuid: str, opnum: int, of: str, asks: bytes, status: int) -> ComTalk:
        self.raw(uuid, opnum, asks, None, of=of)
        self.talk.answer(pdus.fault(status, self.order, call_id=self._call - 1, ctx=self._contexts[uuid]))
        return self

    def close(self) -> ComTalk:
        self.talk.close()
        return self

    def _next(self) -> int:
        self._call += 1
        return self._call - 1

    def _stub(
        self, uuid: str, operation: Operation, direction: Direction, values: Values, before: bytes = b""
    ) -> bytes:
        types = INTERFACES[declaring(uuid, operation.opnum) or uuid].types
        return encode(operation, direction, values, types, self._syntax, self.order, before=before)


def answer_stub(uuid: str, name: str, values: Values, *, native: bool = False) -> bytes:
    """Of a response, for a server that has its own way to send it."""
    operation = _named(uuid, name)
    types = INTERFACES[declaring(uuid, operation.opnum) or uuid].types
    before = b"" if native else write_implicit(Direction.OUT, c.that(), "<")
    return encode(operation, Direction.OUT, {"return_value": 0} | values, types, Syntax.NDR, "<", before=before)


def _named(uuid: str, name: str) -> Operation:
    """Of the interface or of one that it is derived from."""
    declared = (declaring(uuid, opnum) for opnum in range(_MOST_OPNUMS))
    found = (operation_of(one, opnum) for opnum, one in enumerate(declared) if one is not None)
    return next(one for one in found if one is not None and one.name == name)
