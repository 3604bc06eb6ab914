"""Stubs of RemoteRead: a message in sections."""

from __future__ import annotations

import pytest

from decoders.interfaces import remoteread
from decoders.ndr.model import Direction, Syntax
from tests.decoders.interfaces.wire import decoded, read, words

INTERFACE = remoteread.INTERFACE
IN, OUT = Direction.IN, Direction.OUT
FIRST, SECOND = b"headers and a cut body", b"trailers"

NDR = (
    words(1_700_000_000, 0)
    + words(77, size=8)
    + words(2, 0x20000, 2)
    + words(1, 40, len(FIRST), 0x20004)
    + words(2, len(SECOND), len(SECOND), 0x20008)
    + words(len(FIRST))
    + FIRST
    + bytes(-len(FIRST) % 4)
    + words(len(SECOND))
    + SECOND
    + words(0)
)
NDR64 = (
    words(1_700_000_000, 0)
    + words(77, size=8)
    + words(2, 0)
    + words(0x20000, 2, size=8)
    + words(1, 40, len(FIRST), 0)
    + words(0x20004, size=8)
    + words(2, len(SECOND), len(SECOND), 0)
    + words(0x20008, len(FIRST), size=8)
    + FIRST
    + bytes(-len(FIRST) % 8)
    + words(len(SECOND), size=8)
    + SECOND
    + words(0)
)


@pytest.mark.parametrize(("syntax", "stub"), [(Syntax.NDR, NDR), (Syntax.NDR64, NDR64)])
def test_a_message_in_two_sections(syntax: Syntax, stub: bytes) -> None:
    values = read(INTERFACE, 7, OUT, stub, syntax)
    assert (values["pSequenceId"], values["pdwNumberOfSections"], values["return_value"]) == (77, 2, 0)
    assert values["ppPacketSections"] == [
        {
            "SectionBufferType": 1,
            "SectionSizeAlloc": 40,
            "SectionSize": len(FIRST),
            "pSectionBuffer": FIRST,
        },
        {
            "SectionBufferType": 2,
            "SectionSizeAlloc": len(SECOND),
            "SectionSize": len(SECOND),
            "pSectionBuffer": SECOND,
        },
    ]


def test_no_message() -> None:
    values = read(INTERFACE, 7, OUT, words(0, 0) + bytes(8) + words(0, 0, 0xC00E001B))
    assert (values["ppPacketSections"], values["return_value"]) == (None, 0xC00E001B)


def test_sections_are_counted_twice() -> None:
    found = decoded(INTERFACE, 7, OUT, NDR.replace(words(2, 0x20000, 2), words(3, 0x20000, 2)))
    assert [(problem.code, problem.path) for problem in found.problems] == [("ndr-count-differs", "ppPacketSections")]


def test_numbers_of_one_byte_stand_close_together() -> None:
    queue = bytes.fromhex("03 00 0000 03 000000 00000000")
    stub = queue + words(1, 0) + bytes(16) + words(0) + bytes.fromhex("06 03 8025") + words(0xFFFFFFFF)
    values = read(INTERFACE, 2, IN, stub)
    assert (values["Major"], values["Minor"], values["BuildNumber"], values["fWorkgroup"]) == (6, 3, 9600, -1)


def test_the_port_is_all_that_is_answered() -> None:
    assert read(INTERFACE, 0, IN, b"") == {}
    assert read(INTERFACE, 0, OUT, words(2103)) == {"return_value": 2103}
