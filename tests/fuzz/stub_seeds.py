"""Stubs before anybody damages them: every declared operation, both directions, both syntaxes, both byte orders."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from decoders.interfaces import INTERFACES, mqmq
from decoders.ndr.counts import compared_with
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import ByteOrder
from decoders.ndr.layout import is_octets
from decoders.ndr.model import Array, Direction, Interface, InterfacePointer, ObjrefBytes, Operation, Syntax, Type
from samples.towers import build_tower
from tests.decoders.msmq.values import variant
from tests.decoders.ndr.honest_values import Honest
from tests.fuzz.com_seeds import referent

if TYPE_CHECKING:
    import random

    from decoders.ndr.model import Member

VECTOR = "VT_VECTOR|VT_VARIANT"
DEEPEST = 40
"""Vectors within vectors: some beyond MAX_NDR_DEPTH."""


class Wire(NamedTuple):
    interface: Interface
    operation: Operation
    direction: Direction
    syntax: Syntax
    byte_order: ByteOrder

    @property
    def name(self) -> str:
        side = "request" if self.direction is Direction.IN else "response"
        return f"{self.interface.name} {self.operation.name} {side} {self.syntax} {self.byte_order}"

    @property
    def members(self) -> tuple[Member, ...]:
        return self.operation.on_the_wire(self.direction)

    def encode(self, values: dict[str, Any], fill: int) -> bytes:
        return encode(
            self.operation, self.direction, values, self.interface.types, self.syntax, self.byte_order, fill=fill
        )


WIRES = tuple(
    Wire(interface, operation, direction, syntax, order)
    for syntax, order, interface in product(Syntax, get_args(ByteOrder), INTERFACES.values())
    for operation, direction in product(interface.all_operations, (Direction.IN, Direction.OUT))
)
BY_NAME = {wire.name: wire for wire in WIRES}


class Lively(Honest):
    """Honest values, with towers and references where bytes stand and vectors of variants within themselves."""

    of_dcom = False
    """Bytes are mostly those of references."""

    def _value(self, declared: Type, member: Member | None = None) -> Any:  # noqa: ANN401 - a decoded value
        if isinstance(self._resolved(declared), InterfacePointer) and self._rng.random() < 0.8:
            return ObjrefBytes(referent(self._rng))
        return super()._value(declared, member)

    def _array(self, declared: Array) -> bytes | str | list[Any]:
        rng, element = self._rng, self._resolved(declared.of)
        free = declared.bound is None and not isinstance(compared_with(declared.size_is), int)
        if is_octets(element) and free and self.of_dcom and rng.random() < 0.8:
            return referent(rng)
        if is_octets(element) and free and rng.random() < 0.4:
            tower = build_tower((rng.choice(list(INTERFACES)), "1.0"), rng.getrandbits(16), "10.0.0.2")
            return tower[: rng.choice((len(tower), rng.randrange(len(tower))))]
        if any(element is outer for outer in self._open):
            return [] if len(self._open) > 4 else [self._value(element) for _ in range(rng.choice((0, 1, 2)))]
        if element is mqmq.PROPVARIANT:
            return [rng.choice(_VARIANTS)(self, element) for _ in range(rng.choice((1, 2, 7)))]
        return super()._array(declared)


def _any(honest: Lively, element: Type) -> Any:  # noqa: ANN401 - a decoded value
    return honest._value(element)


def _chain(honest: Lively, _: Type) -> Any:  # noqa: ANN401
    inner: Any = variant("VT_UI4", 7)
    for _level in range(honest._rng.choice((2, 3, 4, 5, 31, 32, 33, DEEPEST))):
        inner = variant(VECTOR, [inner])
    return inner


def _sources(honest: Lively, _: Type) -> Any:  # noqa: ANN401
    """PROPID_MGMT_QUEUE_EOD_SOURCE_INFO, [MS-MQMQ] 2.3.12.24."""
    number = honest._rng.randrange(4)
    columns = {
        "LPWSTR": ["DIRECT=OS:a\\q"] * number,
        "CLSID": ["ae0c5671-f190-12ce-ae10-00dd0114290f"] * number,
        "UI8": [2**63] * number,
        "UI4": [7] * number,
        "I4": [-1] * number,
    }
    kinds = ("LPWSTR", "CLSID", "UI8", "UI4", "I4", "UI4")
    return variant(VECTOR, [variant(f"VT_VECTOR|VT_{kind}", columns[kind]) for kind in kinds])


def _history(honest: Lively, _: Type) -> Any:  # noqa: ANN401
    """PROPID_MGMT_QUEUE_CONNECTION_HISTORY, [MS-MQMQ] 2.3.12.25."""
    number = honest._rng.randrange(4)
    lists = [variant("VT_VECTOR|VT_LPWSTR", ["10.0.0.2"] * (row + 1)) for row in range(number)]
    numbers = [variant(f"VT_VECTOR|VT_{kind}", [0] * number) for kind in ("UI4", "I4", "I4")]
    return variant(VECTOR, [*numbers, variant(VECTOR, lists)])


def _sequence(honest: Lively, _: Type) -> Any:  # noqa: ANN401
    return variant("VT_BLOB", honest._rng.randbytes(honest._rng.choice((16, 16, 15, 0))))


_VARIANTS = (_any, _any, _any, _chain, _sources, _history, _sequence)


def seeds(wire: Wire, rng: random.Random, number: int) -> list[bytes]:
    lively = Lively(wire.interface.types, rng)
    lively.of_dcom = "MInterfacePointer" in wire.interface.types
    return [wire.encode(lively.members(wire.members), rng.choice((0, 0xFF, 0xEE, 0x01))) for _ in range(number)]
