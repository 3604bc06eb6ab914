"""As much of ASN.1's encoding ([X.690] 8.1, 10.1) as security tokens need: definite lengths, tags below 31."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.errors import Malformed, Truncated
from decoders.limits import MAX_DER_ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

INTEGER, BIT_STRING, OCTET_STRING, OID, ENUMERATED, SEQUENCE = 0x02, 0x03, 0x04, 0x06, 0x0A, 0x30
CONTEXT, APPLICATION = 0xA0, 0x60
"""Added to the number of a tag, constructed as all of these are here."""
_LONG_FORM: Final = 0x80
_HIGH_TAG: Final = 0x1F
_MOST_LENGTH_BYTES: Final = 4
_MOST_INTEGER_BYTES: Final = 9
"""Of 64 bits, with a leading zero."""
_MOST_OID_BYTES: Final = 64


class Element(NamedTuple):
    tag: int
    content: bytes
    end: int
    """Offset behind it."""


def read_element(data: bytes, at: int = 0) -> Element:
    """Raises Truncated or Malformed."""
    if len(data) - at < 2:
        raise Truncated("the bytes end inside a tag or length", len(data))
    tag, length = data[at], data[at + 1]
    here = at + 2
    if tag & _HIGH_TAG == _HIGH_TAG:
        raise Malformed(f"tag 0x{tag:02X} has more than one byte", at)
    if length & _LONG_FORM:
        size = length & ~_LONG_FORM
        if not 0 < size <= _MOST_LENGTH_BYTES:
            raise Malformed(f"a length of {size} bytes", at + 1)
        if len(data) - here < size:
            raise Truncated("the bytes end inside a length", len(data))
        length = int.from_bytes(data[here : here + size], "big")
        here += size
    if length > len(data) - here:
        raise Truncated(f"{len(data) - here} bytes of {length}", len(data))
    return Element(tag, data[here : here + length], here + length)


def elements(data: bytes) -> Iterator[Element]:
    """Those that stand one after the other."""
    at = 0
    for _ in range(MAX_DER_ELEMENTS):
        if at >= len(data):
            return
        found = read_element(data, at)
        yield found
        at = found.end
    if at < len(data):
        raise Malformed(f"more than {MAX_DER_ELEMENTS} elements", at)


def content_of(data: bytes, tag: int) -> bytes:
    """Of the one element that `data` begins with, which has to have this tag."""
    if not data or data[0] != tag:
        raise Malformed(f"no element with tag 0x{tag:02X}")
    return read_element(data).content


def members(data: bytes) -> dict[int, bytes]:
    """Of a SEQUENCE whose members have explicit tags: what is inside each, by the tag's number."""
    sequence = content_of(data, SEQUENCE)
    return {one.tag - CONTEXT: one.content for one in elements(sequence) if one.tag & ~_HIGH_TAG == CONTEXT}


def integer(data: bytes, tag: int = INTEGER) -> int:
    content = content_of(data, tag)
    if not 0 < len(content) <= _MOST_INTEGER_BYTES:
        raise Malformed(f"an integer of {len(content)} bytes")
    return int.from_bytes(content, "big", signed=True)


def object_identifier(content: bytes) -> str:
    """In dots."""
    if not 0 < len(content) <= _MOST_OID_BYTES or content[-1] & _LONG_FORM:
        raise Malformed("an object identifier that does not end")
    arcs: list[int] = []
    value = 0
    for byte in content:
        value = value << 7 | byte & ~_LONG_FORM
        if not byte & _LONG_FORM:
            arcs.append(value)
            value = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, (first, arcs[0] - 40 * first, *arcs[1:])))
