"""[string]: [C706] 14.3.4, [MS-RPCE] 2.2.4.1.1 and 2.2.5.3.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.ndr.layout import WIDE_BYTES
from decoders.ndr.texts import narrow_text, wide_text

if TYPE_CHECKING:
    from decoders.ndr.counts import Count
    from decoders.ndr.model import String
    from decoders.ndr.reader import Container, Key, Place, Reader, Step


def string(declared: String, count: Count, byte_order: str) -> Step:
    width = declared.of.size
    terminator = bytes(width)

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        size = count(reader, container, key, place) * width
        at = reader.at
        end = at + size
        if end > reader.size:
            reader.cut(place, key, at, size)
        raw = reader.data[at:end]
        reader.at = end
        if raw[-width:] == terminator:
            raw = raw[:-width]
        else:
            reader.report(
                "ndr-string-unterminated", place, key, at, f"{size // width} characters, the last is not null"
            )
        container[key] = wide_text(raw, byte_order) if width == 2 else narrow_text(raw)

    return step


def buffer(count: Count, byte_order: str) -> Step:
    """An array of wchar_t. Its size is the buffer's: the text may end before."""

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        size = count(reader, container, key, place) * WIDE_BYTES
        at = reader.at + -reader.at % WIDE_BYTES
        end = at + size
        if end > reader.size and size:
            reader.cut(place, key, at, size)
        container[key] = wide_text(reader.data[at:end], byte_order).rstrip("\0")
        reader.at = min(end, reader.size)

    return step


def string_or_character(declared: String, string: Step, byte_order: str) -> Step:
    """For String.written=False: a stub that ends one character further holds just that, as the IDL declares."""
    width = declared.of.size

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        at = reader.at + -reader.at % width
        # Of a stub whose end was not captured nobody knows what the bytes left would have been.
        if not reader.whole or at + width != reader.size:
            string(reader, container, key, place)
            return
        raw = reader.data[at : at + width]
        reader.at = at + width
        container[key] = wide_text(raw, byte_order) if width == 2 else narrow_text(raw)

    return step
