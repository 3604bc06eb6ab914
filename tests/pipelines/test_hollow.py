"""Connections of which nothing but their ends was captured: no doubt where it is seen that no byte passed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipelines.captures.selection import Selection
from tests.builders.conversations import ACK, FIN, RST, SYN, Ends, Packet, Talk
from tests.local import Local
from tests.pipelines.hollow import ENDS, PAUSE_S, accused, asked, beside, is_accused, together, without_payload
from tests.pipelines.running import counters, run
from tests.scripts.player import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.scripts.tape import Timed

ISN, PEER_ISN = 1_000, 5_000_000
NEAR_WRAP = (1 << 32) - 40
Packets = list[Packet]


def reused(times: int, *, closed: bool = True) -> Packets:
    """One connection after the other with the same ends, each with numbers of its own, that say nothing."""
    talk = Talk(ENDS)
    for number in range(times):
        talk.restart(ISN + number * 300_000_000, PEER_ISN + number * 70_000).open()
        if closed:
            talk.close()
    return talk.packets


def kept_alive(garbage: bytes) -> Packets:
    talk = Talk(ENDS).open()
    for _ in range(5):
        talk.packets.append(Packet(True, talk.next[True] - 1, talk.next[False], ACK, garbage))
        talk.acknowledge()
    return talk.close().packets


def probed() -> Packets:
    """[RFC 9293] 3.8.6.1: a byte that does not fit the other's window, again and again."""
    talk = Talk(ENDS).open()
    for _ in range(5):
        talk.packets.append(Packet(True, talk.next[True], talk.next[False], ACK, b"x"))
        talk.acknowledge()
    return talk.packets


NOTHING_PASSED: dict[str, Callable[[], Packets]] = {
    "handshake and end": lambda: Talk(ENDS).open().close().packets,
    "refused": lambda: [Packet(True, ISN, 0, SYN), Packet(False, 0, ISN + 1, RST | ACK)],
    "probe": lambda: Talk(ENDS).send(flags=SYN).send(flags=SYN | ACK, from_client=False).reset().packets,
    "reset of a FIN": lambda: Talk(ENDS).open().send(flags=FIN | ACK).reset(from_client=False).packets,
    "keep-alives": lambda: kept_alive(b""),
    "keep-alives with a byte": lambda: kept_alive(b"\0"),
    "window probes": probed,
    "numbers begin again": lambda: Talk(ENDS, (1 << 32) - 2, (1 << 32) - 1).open().close().packets,
    "ends used again": lambda: reused(4),
    "another protocol, in part": lambda: (
        Talk(ENDS).open().say(b"GET / HTTP/1.1\r\n\r\n").say(bytes(900)).close().packets[:4]
        + Talk(ENDS).open().say(b"GET / HTTP/1.1\r\n\r\n").say(bytes(900)).close().packets[5:]
    ),
}
BYTES_MAY_HAVE_PASSED: dict[str, Callable[[], Packets]] = {
    "SYN": lambda: [Packet(True, ISN, 0, SYN)],
    "SYNs of several connections": lambda: [Packet(True, ISN + number * 12_345, 0, SYN) for number in range(4)],
    "SYN-ACK": lambda: Talk(ENDS).open().packets[1:2],
    "handshake": lambda: Talk(ENDS).open().packets,
    "handshakes, the ends used again": lambda: reused(3, closed=False),
    "reset without numbers": lambda: [*Talk(ENDS).open().packets, Packet(False, 0, 0, RST)],
}
"""Without a SYN nothing is said: only at a port of ours, since the beginning may be in captures of earlier runs."""
JOINED: dict[str, Callable[[], Packets]] = {
    "FINs": lambda: Talk(ENDS).join().close().packets,
    "the client's FIN": lambda: Talk(ENDS).join().close().packets[:1],
    "keep-alives": lambda: kept_alive(b"")[3:-3],
}
BYTES_PASSED: dict[str, Callable[[], Packets]] = {
    "ends": lambda: without_payload(asked().packets),
    "ends without bare ACKs": lambda: [one for one in asked().packets if one.flags & (SYN | FIN)],
    "the client's ends": lambda: [one for one in asked().packets if one.flags & (SYN | FIN) and one.from_client],
    "the server's ends": lambda: [one for one in asked().packets if one.flags & (SYN | FIN) and not one.from_client],
    "acknowledgements": lambda: without_payload(asked().packets)[2:-3],
    "handshake and a late acknowledgement": lambda: without_payload(asked().packets)[:-3],
    "end and an acknowledgement before": lambda: without_payload(asked().packets)[2:],
    "reset": lambda: without_payload([*asked().packets[:-3], Packet(True, ISN + 301, 0, RST)]),
    "handshake and reset": lambda: [*Talk(ENDS).open().packets, Packet(True, ISN + 301, 0, RST)],
    "handshake and the other's reset": lambda: [
        *Talk(ENDS).open().packets,
        Packet(False, PEER_ISN + 1, ISN + 301, RST | ACK),
    ],
    "keep-alives after": lambda: [
        *Talk(ENDS).open().packets,
        *(Packet(True, ISN + 300, PEER_ISN + 301, ACK, b"\0"), Packet(False, PEER_ISN + 301, ISN + 301, ACK)) * 3,
    ],
    "numbers begin again": lambda: without_payload(asked(Talk(ENDS, NEAR_WRAP, NEAR_WRAP)).packets),
    "ends used again": lambda: [*reused(2), *without_payload(asked(Talk(ENDS, 1 << 31, 1 << 30)).packets)],
}


def written(folder: Path, frames: list[Timed]) -> Path:
    write(folder / "talk.pcap", frames)
    return folder / "talk.pcap"


@pytest.mark.parametrize("name", NOTHING_PASSED)
def test_where_nothing_passed_there_is_no_doubt(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, together(accused(), beside(NOTHING_PASSED[name]())))
    assert is_accused(Local(path).judged())


@pytest.mark.parametrize("name", BYTES_PASSED | BYTES_MAY_HAVE_PASSED)
def test_where_bytes_passed_unseen_or_may_have_nobody_is_accused(name: str, tmp_path: Path) -> None:
    packets = (BYTES_PASSED | BYTES_MAY_HAVE_PASSED)[name]()
    path = written(tmp_path, together(accused(), beside(packets)))
    assert not is_accused(Local(path).judged())


@pytest.mark.parametrize("name", JOINED)
def test_without_a_syn_the_port_decides(name: str, tmp_path: Path) -> None:
    for port, doubt in ((ENDS.server_port, False), (2105, True)):
        path = written(tmp_path, together(accused(), beside(JOINED[name](), replace(ENDS, server_port=port))))
        assert is_accused(Local(path).judged()) is not doubt


@pytest.mark.parametrize("name", BYTES_MAY_HAVE_PASSED)
def test_at_the_port_of_another_service_they_were_not_ours(name: str, tmp_path: Path) -> None:
    """An idle connection of a file share is no reason to doubt."""
    path = written(tmp_path, together(accused(), beside(BYTES_MAY_HAVE_PASSED[name](), replace(ENDS, server_port=445))))
    assert is_accused(Local(path).judged())


@pytest.mark.parametrize("port", [ENDS.server_port, 2105])
def test_a_syn_that_nobody_answers_is_sent_again(port: int, tmp_path: Path) -> None:
    """RFC 6298 2.1. Copies of one packet are not: a switch may mirror it twice."""
    ends, syn = replace(ENDS, server_port=port), Packet(True, ISN, 0, SYN)
    for step_us, doubt in ((1_000_000, False), (10, True)):
        path = written(tmp_path, together(accused(), beside([syn, syn], ends, step_us=step_us)))
        assert is_accused(Local(path).judged()) is not doubt


def test_while_keep_alives_bear_the_same_numbers_nothing_passes(tmp_path: Path) -> None:
    """A connection that is older than what accuses and goes on behind it."""
    packets = kept_alive(b"")[:-3]
    frames = beside(packets, after_s=-PAUSE_S // 2, step_us=2 * PAUSE_S * 1_000_000 // (len(packets) - 1))
    assert is_accused(Local(written(tmp_path, together(accused(), frames))).judged())
    early = beside(packets, after_s=-PAUSE_S // 2)
    assert not is_accused(Local(written(tmp_path, together(accused(), early))).judged())


def test_who_was_asked_is_known_by_the_handshake(tmp_path: Path) -> None:
    """What the server asked of the client tells nothing of what the client asked of the server."""
    turned = Ends(50_500, 49_664, ENDS.server, ENDS.client)
    packets = without_payload(asked().packets)
    assert is_accused(Local(written(tmp_path, together(accused(), beside(packets, turned)))).judged())
    joined = beside(packets[2:], turned)
    assert not is_accused(Local(written(tmp_path, together(accused(), joined))).judged())


def test_bytes_of_others_cast_no_doubt(tmp_path: Path) -> None:
    other = Ends(50_500, 49_664, ENDS.client, "10.0.0.77")
    path = written(tmp_path, together(accused(), beside(without_payload(asked().packets), other)))
    assert is_accused(Local(path).judged())


def test_headers_alone_are_enough(tmp_path: Path) -> None:
    """The snap length cut all payload off: how much there was is known."""
    packets = [replace(one, cut=len(one.payload)) for one in asked().packets]
    assert not is_accused(Local(written(tmp_path, together(accused(), beside(packets[3:5])))).judged())


@pytest.fixture(params=["at once", "by splits"])
def split_bytes(request: pytest.FixtureRequest) -> int:
    return 1 << 30 if request.param == "at once" else 400


def test_a_run_finds_them_in_any_splits_and_files(tmp_path: Path, split_bytes: int) -> None:
    packets = without_payload(asked().packets)
    frames = together(accused(), beside(packets, step_us=60_000_000))
    place = next(place for place, one in enumerate(frames) if one.about == "beside") + 3
    write(tmp_path / "a.pcap", frames[:place])
    write(tmp_path / "b.pcap", frames[place:])
    tables = run(None, [tmp_path / "a.pcap", tmp_path / "b.pcap"], tmp_path / "out", split_bytes=split_bytes)
    assert not is_accused(tables)
    assert counters(tables, "packets")["set_aside_no_rpc_seen"] == len(packets), "they count as not taken"


def test_a_run_tells_them_from_what_has_payload_in_another_split(tmp_path: Path, split_bytes: int) -> None:
    talk = Talk(ENDS).open().say(b"GET / HTTP/1.1\r\n\r\n").say(bytes(900)).close()
    frames = together(accused(), beside([*talk.packets[:4], *talk.packets[5:]]))
    tables = run(None, [written(tmp_path, frames)], tmp_path / "out", split_bytes=split_bytes)
    assert is_accused(tables)
    assert counters(tables, "packets")["set_aside_no_rpc_seen"] == len(talk.packets) - 1


def test_a_run_takes_none_of_hosts_that_nobody_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    take = Selection.take

    def counted(*given: object) -> tuple[set[tuple[int, int]], int]:
        taken.append(len(given[1]))  # type: ignore[arg-type]
        return take(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Selection, "take", counted)
    packets = without_payload(asked().packets)
    others = [beside(packets, Ends(50_000 + n, 49_664, ENDS.client, "10.0.0.77")) for n in range(20)]
    nobodys = [beside(packets, Ends(50_000 + n, 2_105, "10.0.0.78", "10.0.0.79")) for n in range(3)]
    mine = beside(packets)
    run(None, [written(tmp_path, together(accused(), *others, *nobodys))], tmp_path / "without")
    assert taken == [2 + 3], "ports of ours are looked at in any case"
    taken.clear()
    run(None, [written(tmp_path, together(accused(), *others, *nobodys, mine))], tmp_path / "with")
    assert taken == [2 + 3, 1]
