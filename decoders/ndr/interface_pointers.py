"""What an interface pointer points to: MInterfacePointer, [MS-DCOM] 2.2.14, a count and an OBJREF's bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from decoders.ndr.model import CutObjref, ObjrefBytes

if TYPE_CHECKING:
    from decoders.ndr.layout import Layout
    from decoders.ndr.reader import Container, Key, Place, Reader, Step

COUNT_BYTES: Final = 4
"""Of ulCntData."""


def marshaled(layout: Layout, byte_order: str) -> Step:
    """max_count stands in front of the structure, ulCntData in it; both count abData."""
    word, mask = layout.word, layout.word - 1
    unpack_from = struct.Struct(f"{byte_order}{layout.word_format}I").unpack_from

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        at = (reader.at + mask) & ~mask
        begin = at + word + COUNT_BYTES
        if begin > reader.size:
            reader.cut(place, key, at, begin - at)
        most, count = unpack_from(reader.data, at)
        reader.at = begin
        if count != most:
            reader.report("ndr-count-differs", place, key, at, f"{most} on the wire, ulCntData is {count}")
        end = begin + most
        if end > reader.size:
            if not reader.whole:
                container[key] = CutObjref(reader.data[begin:])
            reader.cut(place, key, begin, most)
        container[key] = ObjrefBytes(reader.data[begin:end])
        reader.at = end

    return step
