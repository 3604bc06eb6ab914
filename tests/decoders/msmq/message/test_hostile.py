"""Cut, damaged and forged packets: nothing raises, nothing is made up, nothing takes long."""

from __future__ import annotations

import struct
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.msmq.message import PROBLEMS, Form, Message, Section, facts_of, from_sections, parse_message
from decoders.ndr.model import CutBytes
from tests.builders.messages import (
    MessageParts,
    Queue,
    Security,
    Several,
    Srmp,
    Trailers,
    Transaction,
    build_message,
    build_sections,
    direct,
    pad,
)
from tests.decoders.msmq.message.strategies import GUIDS, MESSAGES
from tests.timing import quickest

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"
FULL: dict[str, Any] = {
    "transaction": Transaction(connector=GUID),
    "security": Security(key=b"k" * 9, signature=b"s" * 5, certificate=b"c" * 7, provider=(1, "provider")),
    "admin": Queue(6, GUID, 7),
    "response": direct("OS:b"),
    "connector": GUID,
    "label": "label",
    "extension": b"ext",
    "body": b"a body of some bytes",
    "allocated": 24,
    "debug": GUID,
    "srmp": Srmp("<envelope/>", b"POST / HTTP/1.1", 5, 3),
    "soap": ("header", "body"),
    "several": Several(((1, GUID), (2, GUID, 3), (3, "OS:a"), (6, GUID)), ((3, "OS:c"),), (), b"signature"),
    "trailers": Trailers(subqueue="late", dead_letter="DIRECT=OS:d"),
}
LIMIT_SECONDS = 0.05


def headers_of(message: Message) -> dict[str, Any]:
    return {field.name: getattr(message, field.name) for field in fields(message) if field.name.endswith("_header")}


def check_nothing_made_up(cut: Message, whole: Message) -> None:
    """Each member is the whole message's, or the beginning of it, or not there."""
    for name, header in headers_of(cut).items():
        full = headers_of(whole)[name]
        for field in fields(header) if header is not None else ():
            value, expected = getattr(header, field.name), getattr(full, field.name)
            if isinstance(value, CutBytes):
                assert expected.startswith(value), (name, field.name)
            else:
                assert value is None or value == expected, (name, field.name)


@pytest.mark.parametrize("form", list(Form))
def test_cut_at_every_byte(form: Form) -> None:
    packet = build_message(**FULL)
    whole = parse_message(packet, form)
    assert whole.problems == ()
    assert [name for name, header in headers_of(whole).items() if header is None] == ["session_header"]
    for size in range(len(packet)):
        cut = parse_message(packet[:size], form)
        assert [problem.code for problem in cut.problems] == ["message-cut"], size
        assert not cut.complete
        assert cut.problems[0].offset <= size
        check_nothing_made_up(cut, whole)
        facts_of(cut)


@given(MESSAGES, st.data())
def test_cut_anywhere(parts: MessageParts, data: st.DataObject) -> None:
    packet = parts.packet()
    whole = parse_message(packet, Form.MQRR)
    told = len(packet) - (16 if parts.session else 0)
    cut = parse_message(packet[: data.draw(st.integers(0, told - 1))], Form.MQRR)
    assert [problem.code for problem in cut.problems] == ["message-cut"]
    check_nothing_made_up(cut, whole)


def check_readable(message: Message) -> None:
    assert all(problem.code in PROBLEMS for problem in message.problems)
    facts = facts_of(message)
    for field in fields(facts):
        value = getattr(facts, field.name)
        if isinstance(value, str):
            value.encode()


@given(MESSAGES, st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 7)), max_size=8), st.sampled_from(Form))
def test_flipped_bits(parts: MessageParts, flips: list[tuple[int, int]], form: Form) -> None:
    packet = bytearray(parts.packet())
    for at, bit in flips:
        packet[at % len(packet)] ^= 1 << bit
    check_readable(parse_message(bytes(packet), form))


@given(MESSAGES, st.integers(0, 1 << 20), st.sampled_from([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF]))
def test_any_field_may_be_a_hostile_length(parts: MessageParts, at: int, value: int) -> None:
    packet = parts.packet()
    at = at % (len(packet) // 4) * 4
    check_readable(parse_message(packet[:at] + struct.pack("<I", value) + packet[at + 4 :], Form.MQRR))


@given(st.binary(max_size=400), st.sampled_from(Form), st.integers(-5, 1 << 33))
def test_any_bytes(data: bytes, form: Form, missing: int) -> None:
    check_readable(parse_message(data, form, missing_body=missing))
    head = build_message()[:16]
    check_readable(parse_message(head[:8] + struct.pack("<I", 16 + len(data)) + head[12:] + data, form))


@given(
    st.lists(
        st.builds(Section, st.integers(0, 5), st.integers(0, 1 << 32), st.none() | st.binary(max_size=200)), max_size=4
    )
)
def test_any_sections(sections: list[Section]) -> None:
    check_readable(from_sections(sections))


@given(MESSAGES, st.integers(0, 60), st.lists(st.integers(-300, 300), min_size=4, max_size=4), GUIDS)
def test_sections_with_wrong_sizes(parts: MessageParts, most: int, errors: list[int], body: str) -> None:
    options = {field.name: getattr(parts, field.name) for field in fields(parts)} | {"body": body.encode()}
    sections = build_sections(most, **options)
    wrong = [
        Section(section.kind, max(section.size_alloc + error, 0), (section.data or b"")[: error or None])
        for section, error in zip(sections, errors, strict=False)
    ]
    check_readable(from_sections(wrong))


def of_size(raw: bytes, size: int = 4 << 20) -> bytes:
    """PacketSize and bytes of the largest packet."""
    return raw[:8] + struct.pack("<I", size) + raw[12:].ljust(size - 12, b"\0")


def many_names(element: bytes) -> bytes:
    packet = build_message(several=Several(((3, "x"),)))
    at = packet.index(struct.pack("<HHI", 0x64, 0, 1)) - 4
    names = element * (1_300_000 // len(element))
    block = b"".join(
        pad(struct.pack("<IHHI", 12 + len(names), identifier, 0, 0xFFFFFFFF) + names)
        for identifier in (0x64, 0xC8, 0x12C)
    )
    return of_size(packet[:at] + block)


SURROGATES = "\ud800" * 4_000
HEAVY = {
    "largest body": lambda: build_message(body=bytes(4_194_000)),
    "largest body, twice read": lambda: build_message(body=bytes(4_000_000), allocated=4_100_000, debug=GUID)[:-20],
    "a million empty names": lambda: many_names(b"\x03\0\0\0"),
    "surrogates in names": lambda: many_names(b"\x03\0" + b"\x00\xd8" * 4_000 + b"\0\0"),
    "a name without end": lambda: many_names(b"\x03\0" + b"\x01\x00\x00\x01" * 300_000),
    "surrogates everywhere": lambda: build_message(
        destination=direct(SURROGATES),
        admin=direct(SURROGATES),
        response=direct(SURROGATES),
        security=Security(provider=(1, SURROGATES)),
        trailers=Trailers(dead_letter=SURROGATES),
    ),
    "null characters beside the boundary": lambda: build_message(
        security=Security(provider=(1, "\u0001\u0100" * 1_000_000))
    ),
    "largest envelope": lambda: build_message(srmp=Srmp("x" * 2_000_000, b"")),
    "largest compound message": lambda: build_message(srmp=Srmp("", bytes(4_000_000), 0, 4_000_000)),
}


@pytest.mark.parametrize("name", HEAVY)
def test_no_message_takes_long(name: str) -> None:
    packet = HEAVY[name]()
    _, seconds = quickest(lambda: facts_of(parse_message(packet, Form.MQRR)), LIMIT_SECONDS)
    assert seconds < LIMIT_SECONDS
