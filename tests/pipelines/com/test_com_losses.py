"""One packet missing or cut anywhere: rows stay or go or get doubt, and the accounting closes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.builders.conversations import frames, resplit, write_pcap
from tests.builders.renewed import renewed
from tests.decoders.dcom.captured import paths
from tests.local import Local
from tests.pipelines.com import sinks
from tests.pipelines.com import story as s
from tests.pipelines.com.losses import PCAP, Truth, check, records_of, shortened

if TYPE_CHECKING:
    from pathlib import Path

    from tests.builders.com_talk import ComTalk
    from tests.builders.conversations import Ends, Packet

Placed = list[tuple["Ends", "Packet"]]


def lives() -> list[ComTalk]:
    return [s.activation(), s.whole_life(), s.restarted(), s.pinged(removed=[77])]


def sunk() -> list[ComTalk]:
    return [s.activation(), sinks.advised(sinks.sink()), sinks.resolved(), sinks.called_back()]


STORIES = {"lives": lives, "sink": sunk}


def packets_of(talks: list[ComTalk], size: int) -> Placed:
    return [(talk.talk.ends, packet) for talk in talks for packet in resplit(talk.packets, size)]


def written(path: Path, placed: Placed) -> Path:
    write_pcap(path, [frame for ends, packet in placed for frame in frames(ends, packet)])
    return path


@pytest.fixture(params=STORIES)
def placed(request: pytest.FixtureRequest) -> Placed:
    """In segments that PDUs cross."""
    return packets_of(STORIES[request.param](), 300)


@pytest.fixture
def truth(placed: Placed, tmp_path: Path) -> Truth:
    return Truth.of(Local(written(tmp_path / "whole.pcap", placed), choice=s.RPC))


def test_one_packet_missing(placed: Placed, truth: Truth, tmp_path: Path) -> None:
    path = tmp_path / "rest.pcap"
    doubts = set()
    for place in range(len(placed)):
        calls, _ = check(truth, written(path, placed[:place] + placed[place + 1 :]))
        doubts |= {call["doubt"] for call in calls}
    assert doubts == {None, "open_not_seen"}


def test_the_beginning_missing(placed: Placed, truth: Truth, tmp_path: Path) -> None:
    for place in range(1, len(placed)):
        check(truth, written(tmp_path / "rest.pcap", placed[place:]))


def test_the_end_missing(placed: Placed, truth: Truth, tmp_path: Path) -> None:
    most = 0
    for place in range(1, len(placed)):
        calls, _ = check(truth, written(tmp_path / "rest.pcap", placed[:place]))
        assert len(calls) >= most
        most = len(calls)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_one_packet_cut(placed: Placed, truth: Truth, tmp_path: Path, share: float) -> None:
    """By the snap length."""
    for place, (ends, packet) in enumerate(placed):
        if packet.payload:
            cut = replace(packet, cut=len(packet.payload) - int(share * len(packet.payload)))
            check(truth, written(tmp_path / "cut.pcap", [*placed[:place], (ends, cut), *placed[place + 1 :]]))


def test_a_file_cut_at_any_byte(tmp_path: Path) -> None:
    placed = packets_of([s.activation()], 10_000)
    data = written(tmp_path / "whole.pcap", placed).read_bytes()
    truth = Truth.of(Local(tmp_path / "whole.pcap", choice=s.RPC))
    path = tmp_path / "cut.pcap"
    for end in range(24, len(data), 3):
        check(truth, renewed(path, data[:end]))


OF_COM = ("elcabezzonn", "Security", "suricata-verify__tests_dcerpc_dcerpc-ctxids")
REAL = [path for path in paths() if path.name.startswith(OF_COM) and path.read_bytes()[:4] == PCAP]
EVERY = 23


@pytest.mark.skipif(not REAL, reason="the captures are not there")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name[:40])
def test_real_captures_with_one_packet_missing_or_cut(path: Path, tmp_path: Path) -> None:
    """Some of the packets, since all of them would take minutes."""
    truth = Truth.of(Local(path, choice=s.RPC))
    data = path.read_bytes()
    head, records = data[:24], records_of(data)
    rest = tmp_path / "rest.pcap"
    for place in range(0, len(records), EVERY):
        for changed in (b"", shortened(records[place])):
            check(truth, renewed(rest, head + b"".join((*records[:place], changed, *records[place + 1 :]))))
