"""scapy's and scapy-rpc's definitions of the interfaces that we declare as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msrpcs import ms_mqds, ms_mqmp, ms_mqmr, ms_mqqp, ms_mqrr
from scapy.layers.msrpce.raw import ept

from decoders.interfaces import dscomm, dscomm2, epm, qm2qm, qmcomm, qmcomm2, qmmgmt, remoteread
from decoders.ndr.counts import compared_with
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Array, Direction, Pointer, Syntax
from tests.second_opinion.stubs.scapy_values import Speaker, number_pointers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from scapy.packet import Packet

    from decoders.ndr.interpreter import ByteOrder, Decoded
    from decoders.ndr.model import Interface, Operation, Type

MODULES: Final = (
    (qm2qm.INTERFACE, ms_mqqp),
    (qmmgmt.INTERFACE, ms_mqmr),
    (epm.INTERFACE, ept),
    (qmcomm.INTERFACE, ms_mqmp),
    (qmcomm2.INTERFACE, ms_mqmp),
    (remoteread.INTERFACE, ms_mqrr),
    (dscomm.INTERFACE, ms_mqds),
    (dscomm2.INTERFACE, ms_mqds),
)
ENCODINGS: Final[tuple[tuple[Syntax, ByteOrder], ...]] = (
    (Syntax.NDR, "<"),
    (Syntax.NDR, ">"),
    # NDR64 is little endian: [MS-RPCE] 2.2.5.
    (Syntax.NDR64, "<"),
)


@dataclass(frozen=True, slots=True)
class Call:
    """One direction of an operation in one encoding, in scapy and here."""

    interface: Interface
    module: ModuleType
    operation: Operation
    direction: Direction
    syntax: Syntax
    order: ByteOrder

    def __str__(self) -> str:
        return f"{self.operation.name}-{self.direction.name}-{self.syntax}{self.order}"

    @property
    def _speaker(self) -> Speaker:
        return Speaker(self.module, self.interface.types, self.order)

    def _packet(self, *stub: bytes, count: int | None, **fields: object) -> Packet:
        suffix = "_Request" if self.direction is Direction.IN else "_Response"
        made = getattr(self.module, self.operation.name + suffix)
        endian = "little" if self.order == "<" else "big"
        asked = {} if count is None else {"request_packet": self._request(count)}
        packet: Packet = made(*stub, ndr64=self.syntax is Syntax.NDR64, ndrendian=endian, **asked, **fields)
        return packet

    def _request(self, count: int) -> Packet:
        """Which alone says how long an array of the response is."""
        sizes = {size: count for _, size in self._sized_by_the_request}
        request: Packet = getattr(self.module, f"{self.operation.name}_Request")(**sizes)
        return request

    @property
    def _sized_by_the_request(self) -> list[tuple[str, str]]:
        """An array of the response, and the parameter with its size; no operation has more than one such array."""
        sent = {member.name: _behind_pointers(member.type) for member in self.operation.on_the_wire(self.direction)}
        sizes = [(name, compared_with(of.size_is)) for name, of in sent.items() if isinstance(of, Array)]
        return [(name, size) for name, size in sizes if isinstance(size, str) and size not in sent]

    def count(self, values: Mapping[str, Any]) -> int | None:
        """What the request would have had to ask for."""
        for name, _ in self._sized_by_the_request:
            given = values[name] or ""
            return len(given.encode("utf-16-le")) // 2 if isinstance(given, str) else len(given)
        return None

    def encoded(self, values: Mapping[str, Any], fill: int = 0) -> bytes:
        types = self.interface.types
        return encode(self.operation, self.direction, values, types, self.syntax, self.order, fill=fill)

    def decoded(self, stub: bytes) -> Decoded:
        return decode(self.operation, self.direction, stub, self.interface.types, self.syntax, self.order)

    def dissected(self, stub: bytes, count: int | None = None) -> tuple[dict[str, Any], bytes]:
        """What scapy reads, and what it leaves over. `count`: elements of the array that the request sized."""
        packet = self._packet(stub, count=count)
        return self._speaker.values(self.operation.on_the_wire(self.direction), packet), bytes(packet.payload)

    def packet(self, values: Mapping[str, Any], count: int | None = None, *, numbered: bool = True) -> Packet:
        fields = self._speaker.fields(self.operation.on_the_wire(self.direction), values)
        packet = self._packet(count=count, **fields)
        if numbered:
            number_pointers(packet)
        return packet

    def built(self, values: Mapping[str, Any], count: int | None = None, *, numbered: bool = True) -> bytes:
        return bytes(self.packet(values, count, numbered=numbered))


def _behind_pointers(declared: Type) -> Type:
    return _behind_pointers(declared.to) if isinstance(declared, Pointer) else declared


def call(name: str, direction: Direction, syntax: Syntax = Syntax.NDR, order: ByteOrder = "<") -> Call:
    """As we declare it."""
    ((interface, module, operation),) = (
        (interface, module, operation)
        for interface, module in MODULES
        for operation in interface.all_operations
        if operation.name == name
    )
    return Call(interface, module, operation, direction, syntax, order)
