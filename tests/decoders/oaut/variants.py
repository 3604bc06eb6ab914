"""VARIANTs on the wire and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import Decoded, decode
from decoders.ndr.model import Direction, Member, Named, Syntax
from decoders.oaut.declarations import TYPES
from tests.decoders.ndr.operations import request

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

ALONE: Final = request(Member("v", Named("VARIANT")))


def sent(variant: object, syntax: Syntax = Syntax.NDR, order: ByteOrder = "<") -> bytes:
    return encode(ALONE, Direction.IN, {"v": variant}, TYPES, syntax, order)


def read(stub: bytes, syntax: Syntax = Syntax.NDR, order: ByteOrder = "<") -> Decoded:
    return decode(ALONE, Direction.IN, stub, TYPES, syntax, order)


def variant_of(stub: str, order: ByteOrder = "<") -> Any:  # noqa: ANN401 - a decoded variant
    """Of hex without fault."""
    decoded = read(bytes.fromhex(stub), order=order)
    assert decoded.problems == ()
    assert decoded.complete
    assert decoded.consumed == len(bytes.fromhex(stub))
    return decoded.values["v"]
