"""The verification trailer behind the stub of a request: [MS-RPCE] 2.2.2.13. Little-endian whatever the drep."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.bind import SyntaxId, read_syntax
from decoders.limits import MAX_VERIFICATION_BYTES

if TYPE_CHECKING:
    from decoders.dcerpc.pdus import Request

SIGNATURE: Final = bytes.fromhex("8ae3137102f43671")
_BITMASK, _PCONTEXT, _HEADER2 = 1, 2, 3
_LENGTH: Final = {_BITMASK: 4, _PCONTEXT: 40, _HEADER2: 16}
_TYPE_BITS: Final = 0x3FFF
_END: Final = 0x4000
_HEADER2_FIELDS: Final = struct.Struct("<Bxxx4sIHH")


@dataclass(frozen=True, slots=True)
class Header2:
    """Fields of the request's header, repeated where the security provider can protect them."""

    ptype: int
    drep: bytes
    call_id: int
    p_cont_id: int
    opnum: int


@dataclass(frozen=True, slots=True)
class VerificationTrailer:
    bitmask: int | None
    interface: SyntaxId | None
    transfer_syntax: SyntaxId | None
    header2: Header2 | None
    size: int
    """Bytes from the signature to the end."""


def find_verification(stub: bytes) -> VerificationTrailer | None:
    """The trailer that ends exactly where `stub`, the one of the last fragment, ends.

    Message bodies may hold the signature too, so a trailer counts only as a chain of commands that is well formed up
    to the last byte. The signature's place is a multiple of 4 from the start of the PDU, hence of the stub.
    """
    at = stub.rfind(SIGNATURE, max(0, len(stub) - MAX_VERIFICATION_BYTES))
    if at < 0 or at % 4:
        return None
    commands: dict[int, bytes] = {}
    place = at + len(SIGNATURE)
    while len(stub) - place >= 4:
        command, length = struct.unpack_from("<HH", stub, place)
        kind, end = command & _TYPE_BITS, place + 4 + length
        if kind in commands or length % 4 or length != _LENGTH.get(kind, length) or end > len(stub):
            return None
        commands[kind] = stub[place + 4 : end]
        if command & _END:
            return _trailer(commands, len(stub) - at) if end == len(stub) else None
        place = end
    return None


def _trailer(commands: dict[int, bytes], size: int) -> VerificationTrailer:
    bitmask = int.from_bytes(commands[_BITMASK], "little") if _BITMASK in commands else None
    pcontext = commands.get(_PCONTEXT)
    return VerificationTrailer(
        bitmask,
        None if pcontext is None else read_syntax(pcontext, 0, "<"),
        None if pcontext is None else read_syntax(pcontext, 20, "<"),
        Header2(*_HEADER2_FIELDS.unpack(commands[_HEADER2])) if _HEADER2 in commands else None,
        size,
    )


def repeats_header(trailer: VerificationTrailer, request: Request, drep: bytes) -> bool:
    """[MS-RPCE] 2.2.2.13.3: header2, where there is one, has the values of the request's own header."""
    own = Header2(request.header.packet_type, drep, request.header.call_id, request.p_cont_id, request.opnum)
    return trailer.header2 in (None, own)
