"""sec_trailer and authentication token at the end of a PDU: [MS-RPCE] 2.2.2.11, [C706] 13.2.6.1."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from decoders.dcerpc.header import PduHeader

TRAILER_BYTES: Final = 8
PRIVACY: Final = 6
Claims: TypeAlias = tuple[int, int, int]
"""auth_type, auth_level, auth_context_id."""
_FIELDS: Final = {"<": struct.Struct("<BBBBI"), ">": struct.Struct(">BBBBI")}


@dataclass(frozen=True, slots=True)
class SecurityTrailer:
    auth_type: int
    auth_level: int
    auth_pad_length: int
    auth_reserved: int
    auth_context_id: int
    token: bytes
    opened: bool = False
    """The body was unsealed."""
    verified: bool | None = None
    """Whether the token, a signature, fits; None where that could not be checked."""

    @property
    def claims(self) -> Claims:
        return self.auth_type, self.auth_level, self.auth_context_id

    @property
    def seals(self) -> bool:
        """The body in front of it is encrypted on the wire."""
        return self.auth_level == PRIVACY and bool(self.token)


class Body(NamedTuple):
    """Where the body of a PDU ends, and what follows it."""

    end: int
    """Offset behind the body, authentication padding left out."""
    security: SecurityTrailer | None
    problem: str | None = None
    """What contradicts itself. The body then reaches as far as nothing contradicts."""


def split_body(data: bytes, header: PduHeader, fixed: int) -> Body:
    """`fixed`: bytes of the header and the fields that must be in front of any trailer."""
    size = len(data)
    if not header.auth_length:
        return Body(size, None)
    at = size - header.auth_length - TRAILER_BYTES
    if at < fixed:
        room = size - fixed
        return Body(size, None, f"auth_length {header.auth_length} and its trailer do not fit into {room} bytes")
    auth_type, level, pad, reserved, context_id = _FIELDS[header.byte_order].unpack_from(data, at)
    security = SecurityTrailer(auth_type, level, pad, reserved, context_id, data[at + TRAILER_BYTES :])
    if pad > at - fixed:
        return Body(at, security, f"auth_pad_length {pad} is more than the {at - fixed} bytes of the body")
    return Body(at - pad, security)
