"""Messages that RemoteRead sends in part."""

from __future__ import annotations

import hashlib
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.msmq.message import Form, Message, Section, facts_of, from_sections, parse_message
from decoders.ndr.model import CutBytes
from tests.builders.messages import (
    MessageParts,
    Srmp,
    Trailers,
    build_message,
    build_sections,
)
from tests.decoders.msmq.message.strategies import MESSAGES

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"
BODY = b"0123456789abc"
TRAILERS = Trailers(subqueue="late", aborts=2, moves=3, dead_letter="DIRECT=OS:d")


def options(parts: MessageParts) -> dict[str, object]:
    return {field.name: getattr(parts, field.name) for field in fields(parts)}


def without_sections(message: Message) -> Message:
    return replace(message, sections=1, missing_body=0)


@pytest.mark.parametrize("most", range(len(BODY)))
def test_a_part_of_the_body_and_all_that_follows_it(most: int) -> None:
    sections = build_sections(most, label="label", body=BODY, debug=GUID, trailers=TRAILERS)
    assert [section.kind for section in sections] == [1, 2]
    message = from_sections(sections)
    assert (message.problems, message.sections, message.missing_body) == ((), 2, len(BODY) - most)
    assert not message.complete
    assert message.properties_header is not None
    assert isinstance(message.properties_header.MessageBody, CutBytes)
    assert message.properties_header.MessageBody == BODY[:most]
    assert message.debug_header is not None
    assert message.debug_header.QueueIdentifier == GUID
    facts = facts_of(message)
    assert (facts.complete, facts.sections, facts.body_size, facts.body_sha256) == (False, 2, 13, None)
    assert (facts.subqueue, facts.abort_count, facts.move_count) == ("late", 2, 3)
    assert facts.dead_letter_queue == "DIRECT=OS:d"


def test_all_of_the_body() -> None:
    sections = build_sections(len(BODY), body=BODY, trailers=TRAILERS)
    assert [section.kind for section in sections] == [0]
    message = from_sections(sections)
    assert (message.problems, message.complete, message.sections) == ((), True, 1)
    facts = facts_of(message)
    assert (facts.sections, facts.body_sha256) == (1, hashlib.sha256(BODY).hexdigest())


def test_nothing_follows_the_body() -> None:
    message = from_sections(build_sections(4, body=BODY))
    assert (message.problems, message.sections, message.missing_body) == ((), 1, 9)
    assert message.properties_header is not None
    assert message.properties_header.MessageBody == BODY[:4]


def test_padding_may_be_counted_in_the_first_section() -> None:
    first, second = build_sections(4, body=BODY, trailers=TRAILERS)
    padding = -first.size_alloc % 4
    assert padding
    message = from_sections([replace(first, size_alloc=first.size_alloc + padding), second])
    assert message.problems == ()
    assert message.subqueue_header is not None


@pytest.mark.parametrize("most", [0, 3, 15, 16, 20])
def test_a_part_of_the_compound_message(most: int) -> None:
    """Not even its sizes are there where fewer than 16 bytes of it are."""
    srmp = Srmp("<envelope/>", b"POST / HTTP/1.1 body", 16, 4)
    sections = build_sections(most, srmp=srmp, soap=("a", "b"), trailers=TRAILERS, body=b"odd")
    assert [section.kind for section in sections] == [3, 4]
    message = from_sections(sections)
    assert (message.problems, message.complete) == ((), False)
    assert (message.compound_message_header is None) == (most < 16)
    assert message.soap_header is not None
    assert message.subqueue_header is not None
    assert message.subqueue_header.SubqueueName == "late"


def test_the_body_of_a_message_over_http_is_in_its_compound_message() -> None:
    srmp = Srmp("<envelope/>", b"POST / HTTP/1.1 body and the rest", 16, 4)
    whole = facts_of(from_sections(build_sections(100, srmp=srmp)))
    cut_behind = facts_of(from_sections(build_sections(16 + 22, srmp=srmp)))
    cut_inside = facts_of(from_sections(build_sections(16 + 18, srmp=srmp)))
    not_there = facts_of(from_sections(build_sections(0, srmp=srmp)))
    digest = hashlib.sha256(b"body").hexdigest()
    assert [(facts.body_size, facts.body_sha256) for facts in (whole, cut_behind, cut_inside, not_there)] == [
        (4, digest),
        (4, digest),
        (4, None),
        (None, None),
    ]
    assert [facts.complete for facts in (whole, cut_behind, cut_inside, not_there)] == [True, False, False, False]


@given(MESSAGES, st.integers(0, 60))
def test_sections_say_what_the_packet_says_but_the_body(parts: MessageParts, most: int) -> None:
    # Where a SessionHeader would be is not said; stored messages have none.
    parts = replace(parts, session=None)
    whole, message = parse_message(parts.packet(), Form.MQRR), from_sections(build_sections(most, **options(parts)))
    assert message.problems == ()
    if message.complete:
        assert message == whole
        return
    if parts.srmp is None:
        assert message.properties_header is not None
        assert message.properties_header.MessageBody == parts.body[:most]
        message = replace(message, properties_header=whole.properties_header)
    else:
        message = replace(message, compound_message_header=whole.compound_message_header)
    assert without_sections(message) == whole


@given(MESSAGES, st.integers(0, 60))
def test_the_place_of_what_is_missing_follows_from_the_sizes(parts: MessageParts, most: int) -> None:
    parts = replace(parts, session=None, srmp=None)
    sections = build_sections(most, **options(parts))
    data = b"".join(section.data or b"" for section in sections)
    missing = sections[0].size_alloc - len(sections[0].data or b"")
    message = parse_message(data, Form.MQRR, missing_body=missing)
    assert without_sections(message) == without_sections(from_sections(sections))


def test_a_section_that_was_not_captured_to_its_end() -> None:
    first, second = build_sections(9, body=BODY, trailers=TRAILERS)
    assert first.data is not None
    assert second.data is not None
    cut = from_sections([replace(first, data=CutBytes(first.data[:-2]))])
    assert [problem.code for problem in cut.problems] == ["message-cut"]
    assert cut.properties_header is not None
    assert cut.properties_header.MessageBody == BODY[:7]
    cut = from_sections([first, replace(second, data=CutBytes(second.data[:20]))])
    assert [problem.code for problem in cut.problems] == ["message-cut"]
    assert cut.extension_header is not None
    assert cut.subqueue_header is None


WHOLE = build_message(body=BODY)


@pytest.mark.parametrize(
    ("sections", "problems"),
    [
        ([], 1),
        ([Section(0, len(WHOLE) + 4, WHOLE)], 1),
        ([Section(0, len(WHOLE), WHOLE), Section(2, 4, b"rest")], 1),
        ([Section(2, len(WHOLE), WHOLE)], 1),
        ([Section(1, len(WHOLE) - 4, WHOLE)], 1),
        ([Section(1, len(WHOLE), WHOLE), Section(4, 0, b"")], 1),
        ([Section(1, len(WHOLE), WHOLE), Section(2, 4, b"abc")], 1),
        ([Section(1, len(WHOLE), WHOLE)] * 9, 1),
        ([Section(0, 5, None)], 1),
    ],
)
def test_sections_that_do_not_fit(sections: list[Section], problems: int) -> None:
    message = from_sections(sections)
    assert [problem.code for problem in message.problems].count("message-sections") == problems
    if sections and sections[0].data is not None:
        assert message.properties_header is not None
        assert message.properties_header.MessageBody == BODY


def test_more_left_out_than_the_body_has() -> None:
    message = parse_message(WHOLE, Form.MQRR, missing_body=50)
    assert "message-sections" in [problem.code for problem in message.problems]
    first = build_sections(4, body=BODY)[0]
    message = from_sections([replace(first, size_alloc=first.size_alloc + 50)])
    assert [problem.code for problem in message.problems][:1] == ["message-sections"]
