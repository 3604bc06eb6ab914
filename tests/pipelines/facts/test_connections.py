"""Connections as facts: who ended them, and what their binds say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.facts.model import ConnectionFact, Ending, Moment
from pipelines.facts.stored_form import from_row, renumbered, to_row
from tests.builders.conversations import Ends, Talk, frames, without, write_pcap
from tests.decoders.dcerpc import pdus
from tests.local import Local
from tests.scripts.player import capture, play, write
from tests.scripts.tape import START_US

if TYPE_CHECKING:
    from pathlib import Path


def connections(path: Path) -> list[ConnectionFact]:
    facts = [from_row(row) for row in Local(path).facts]
    return sorted((one for one in facts if isinstance(one, ConnectionFact)), key=lambda one: one.began)


@pytest.mark.parametrize(
    ("end", "by", "endings"),
    [
        ("close", "client", [("client", "fin"), ("server", "fin")]),
        ("close c by server", "server", [("server", "fin"), ("client", "fin")]),
        ("reset c", "client", [("client", "reset")]),
        ("reset by server", "server", [("server", "reset")]),
        ("wait 1s", None, []),
    ],
)
def test_who_ended_is_told(tmp_path: Path, end: str, by: str | None, endings: list[tuple[str, str]]) -> None:
    (fact,) = connections(capture(tmp_path, f"connect auth none\nRemoteQMPurgeQueue\n{end}"))
    assert (fact.ended_by, [(one.side, one.how) for one in fact.endings]) == (by, endings)
    assert fact.closed is bool(endings)
    at = START_US + 8_000
    assert fact.ended_at == (Moment(at * 1_000, 0, 9) if endings else None)


@pytest.mark.parametrize("end", ["close", "close by server"])
def test_nobody_is_named_where_a_packet_of_the_end_is_missing(tmp_path: Path, end: str) -> None:
    """Of the two FINs either may be missing: the other one never says that its own side was first unless it was."""
    packets = play(f"connect auth none\nRemoteQMPurgeQueue\n{end}")
    truth = "server" if "server" in end else "client"
    for gone in range(len(packets)):
        path = tmp_path / f"{gone}.pcap"
        write(path, packets[:gone] + packets[gone + 1 :])
        (fact,) = connections(path)
        assert fact.ended_by in (truth, None)


def test_captures_are_renumbered_in_endings(tmp_path: Path) -> None:
    (fact,) = connections(capture(tmp_path, "connect auth none\nRemoteQMPurgeQueue\nreset by server"))
    row = renumbered(to_row(fact), {0: 7})
    (ending,) = fact.endings
    again = from_row(row)
    assert isinstance(again, ConnectionFact)
    assert again.endings == (Ending("server", "reset", ending.at._replace(file=7)),)


def test_binds_say_what_they_are(tmp_path: Path) -> None:
    (fact,) = connections(capture(tmp_path, "connect\nRemoteQMPurgeQueue"))
    (bind,) = fact.binds
    assert (bind.kind, bind.asked_group, bind.group, bind.answer) == ("bind", 0, 0x1001, "accepted")


def test_the_answer_to_an_alter_context_is_no_answer_to_the_bind(tmp_path: Path) -> None:
    """The bind_ack is missing, and the alter_context has the bind's call id."""
    talk = Talk(Ends(50_000)).open().say(pdus.bind((pdus.QM2QM, (pdus.NDR,))))
    talk.say(pdus.bind((pdus.SAMR, (pdus.NDR,)), kind=pdus.ALTER, first_id=1, group=0x77))
    talk.answer(pdus.ack((0, 0, pdus.NDR), kind=pdus.ALTER_RESP))
    path = tmp_path / "alter.pcap"
    write_pcap(path, [one for packet in talk.packets for one in frames(talk.ends, packet)])
    (fact,) = connections(path)
    assert [(one.kind, one.asked_group, one.group, one.answer) for one in fact.binds] == [
        ("bind", 0, None, None),
        ("alter_context", 0x77, 0xABCD, "accepted"),
    ]


def binds_of(folder: Path, talk: Talk, *gone: int) -> list[tuple[str, str | None, str | None]]:
    path = folder / "binds.pcap"
    write_pcap(path, [one for packet in without(talk.packets, *gone) for one in frames(talk.ends, packet)])
    (fact,) = connections(path)
    return [(one.kind, one.answer, one.reason) for one in fact.binds]


def bound() -> Talk:
    return Talk(Ends(50_000)).open().say(pdus.bind((pdus.QM2QM, (pdus.NDR,))))


ACK = pdus.ack((0, 0, pdus.NDR))
ALTER = pdus.bind((pdus.SAMR, (pdus.NDR,)), kind=pdus.ALTER, first_id=1, call_id=2)
ALTERED = pdus.ack((0, 0, pdus.NDR), kind=pdus.ALTER_RESP, call_id=2)


def test_a_fault_refuses_an_alter_context(tmp_path: Path) -> None:
    talk = bound().answer(ACK).say(ALTER).answer(pdus.fault(5, call_id=2))
    assert binds_of(tmp_path, talk) == [("bind", "accepted", None), ("alter_context", "refused", "ERROR_ACCESS_DENIED")]


def test_an_answer_that_was_cut_refuses_nothing(tmp_path: Path) -> None:
    talk = bound().answer(ACK[:-20]).answer(ACK[-20:]).say(pdus.request(bytes(4), opnum=7, call_id=2))
    talk.answer(pdus.response(bytes(4), call_id=2))
    assert binds_of(tmp_path, talk) == [("bind", "accepted", None)]
    assert binds_of(tmp_path, talk, 5) == [("bind", None, None)]


def test_an_answer_that_comes_out_late_is_that_of_the_earlier_leg(tmp_path: Path) -> None:
    """The bind_ack was captured behind both legs, and holds back the answer to the first, which came in between."""
    talk = bound().answer(ACK).say(ALTER).answer(ALTERED).say(ALTER)
    ack = next(at for at, packet in enumerate(talk.packets) if packet.payload == ACK)
    talk.packets.append(talk.packets.pop(ack))
    assert [answer for _, answer, _ in binds_of(tmp_path, talk)][1:] == ["accepted", None]
