"""Answers and requests of real packets: what was missed between the two leaves an answer alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builders.conversations import Ends, Packet, Talk, frames, without, write_pcap
from tests.decoders.dcerpc import pdus as d
from tests.local import Local

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

OPENING = 5
OLD, REUSED, ANSWER = OPENING, OPENING + 1, OPENING + 2


def outcomes(folder: Path, talk: Talk, packets: Sequence[Packet]) -> list[tuple[int, str]]:
    path = folder / "talk.pcap"
    write_pcap(path, [one for packet in packets for one in frames(talk.ends, packet)])
    found = Local(path)
    assert found.imbalances() == []
    return sorted((call["call_id"], call["outcome"]) for call in found.tables["calls"])


def conversation(*, then: bool) -> Talk:
    """An old call that nobody answers, another with its id, and the answer to that; then, perhaps, a third call."""
    talk = Talk(Ends(50_000)).open().say(d.bind((d.QM2QM, (d.NDR,)))).answer(d.bind_ack())
    talk.say(d.request(bytes(16), opnum=7, call_id=2)).say(d.request(bytes(20), opnum=8, call_id=2))
    talk.answer(d.response(bytes(4), call_id=2))
    return talk.say(d.request(bytes(16), opnum=7, call_id=3)).answer(d.response(bytes(4), call_id=3)) if then else talk


@pytest.mark.parametrize("then", [True, False])
def test_a_request_that_is_missing_gives_its_answer_to_no_older_one(tmp_path: Path, then: bool) -> None:
    talk = conversation(then=then)
    later = [(3, "answered")] if then else []
    assert outcomes(tmp_path, talk, talk.packets) == [(2, "answered"), (2, "unanswered"), *later]
    seen = outcomes(tmp_path, talk, without(talk.packets, REUSED))
    assert seen == [(2, "unanswered"), (2, "unasked"), *later]


@pytest.mark.parametrize("then", [True, False])
def test_a_request_captured_late_takes_its_answer(tmp_path: Path, then: bool) -> None:
    """Taps reorder: the request comes after its answer, and another after that."""
    talk = conversation(then=then)
    moved = [*talk.packets]
    moved[OLD], moved[REUSED], moved[ANSWER] = moved[REUSED], moved[OLD], moved[ANSWER]
    assert outcomes(tmp_path, talk, moved) == outcomes(tmp_path, talk, talk.packets)
