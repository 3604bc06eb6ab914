"""scapy's and scapy-rpc's definitions of the interfaces that we declare as well."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from msrpcs import ms_mqmr, ms_mqqp
from scapy.layers.msrpce.raw import ept

from decoders.interfaces import epm, qm2qm, qmmgmt
from decoders.ndr.base_types import DWORD, USHORT
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Direction, Member, Operation, Pointer, PointerKind, Syntax
from tests.second_opinion.stubs.scapy_values import Speaker, number_pointers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from scapy.packet import Packet

    from decoders.ndr.interpreter import ByteOrder, Decoded
    from decoders.ndr.model import Interface

MODULES: Final = ((qm2qm.INTERFACE, ms_mqqp), (qmmgmt.INTERFACE, ms_mqmr), (epm.INTERFACE, ept))
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
        # Only the request says how long apVar is.
        asked = {} if count is None else {"request_packet": ms_mqmr.R_QMMgmtGetInfo_Request(cp=count)}
        packet: Packet = made(*stub, ndr64=self.syntax is Syntax.NDR64, ndrendian=endian, **asked, **fields)
        return packet

    def encoded(self, values: Mapping[str, Any], fill: int = 0) -> bytes:
        types = self.interface.types
        return encode(self.operation, self.direction, values, types, self.syntax, self.order, fill=fill)

    def decoded(self, stub: bytes) -> Decoded:
        return decode(self.operation, self.direction, stub, self.interface.types, self.syntax, self.order)

    def dissected(self, stub: bytes, count: int | None = None) -> tuple[dict[str, Any], bytes]:
        """What scapy reads, and what it leaves over. `count`: elements of apVar in a response."""
        packet = self._packet(stub, count=count)
        return self._speaker.values(self.operation.on_the_wire(self.direction), packet), bytes(packet.payload)

    def built(self, values: Mapping[str, Any], count: int | None = None, *, numbered: bool = True) -> bytes:
        fields = self._speaker.fields(self.operation.on_the_wire(self.direction), values)
        packet = self._packet(count=count, **fields)
        if numbered:
            number_pointers(packet)
        return bytes(packet)


def call(name: str, direction: Direction, syntax: Syntax = Syntax.NDR, order: ByteOrder = "<") -> Call:
    """As we declare it."""
    ((interface, module, operation),) = (
        (interface, module, operation)
        for interface, module in MODULES
        for operation in interface.operations
        if operation.name == name
    )
    return Call(interface, module, operation, direction, syntax, order)


def as_scapy_declares(operation: Operation) -> Operation:
    """So that what surrounds a difference of declaration can be compared all the same."""
    match operation.name:
        case "RemoteQmGetVersion":
            return replace(operation, returns=DWORD)
        case "R_QMMgmtAction":
            *others, action = operation.parameters
            one = Member(action.member.name, Pointer(USHORT, PointerKind.REF))
            return replace(operation, parameters=(*others, replace(action, member=one)))
    return operation
