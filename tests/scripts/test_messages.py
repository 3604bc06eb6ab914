"""One message in three forms: as qm2qm's packet, as RemoteRead's sections, as qmcomm2's properties."""

from __future__ import annotations

from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from decoders.msmq.message import Form, Section, facts_of, facts_of_properties, from_sections, parse_message
from decoders.ndr.model import Direction
from tests.scripts.messages import body, message, sections
from tests.scripts.qmcomm2 import RECIPES
from tests.scripts.recipes import World
from tests.scripts.stubs import Flat, built
from tests.scripts.words import Message

SIZES = st.integers(0, 5_000)
SEEDS = st.integers(0, (1 << 32) - 1)
ELSEWHERE = {"sections", "came_from", "complete", "body_sha256"}
"""What depends on the way it came."""


def in_sections(size: int, seed: int, most: int) -> list[Section]:
    return [
        Section(one["SectionBufferType"], one["SectionSizeAlloc"], one["pSectionBuffer"])
        for one in sections(size, seed, most)
    ]


def as_properties(size: int, seed: int) -> Flat:
    recipe, world = RECIPES["rpc_ACReceiveMessageEx"], World()
    asked = recipe.request({}, world)
    answered = recipe.response({"message": Message(size, seed)}, asked, world)
    values: Flat = built("qmcomm2", "rpc_ACReceiveMessageEx", Direction.OUT, answered)["ptb"]
    return values


@given(SIZES, SEEDS, SIZES)
def test_sections_are_the_packet(size: int, seed: int, most: int) -> None:
    whole = parse_message(message(size, seed), Form.MQQP)
    found = from_sections(in_sections(size, seed, most))
    assert whole.problems == found.problems == ()
    assert (found.complete, found.sections) == ((True, 1) if most >= size else (False, 2))
    assert found.properties_header is not None
    assert found.properties_header.MessageBody == body(size, seed)[:most]
    one, other = asdict(facts_of(whole)), asdict(facts_of(found))
    assert {name for name in one if one[name] != other[name]} <= ELSEWHERE


@given(SIZES, SEEDS)
def test_properties_are_those_of_the_packet(size: int, seed: int) -> None:
    packet = facts_of(parse_message(message(size, seed), Form.MQQP))
    properties = facts_of_properties(as_properties(size, seed))
    assert properties.complete
    asked = {name: value for name, value in asdict(properties).items() if value not in (None, ())}
    assert asked.keys() >= {"message_id", "label", "sent_time", "body_sha256", "destination_queue", "source_qm"}
    assert asked.items() <= asdict(packet).items()
