"""Segments to flows without Spark."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from decoders.net.community_id import community_id
from decoders.tcp.model import ACK, PSH, SYN, Segment, Side
from ingest.choice import Choice, ChosenBy, Scope
from pipelines.calls.connection import ExchangedCalls
from pipelines.calls.plain_pdus import PlainPdus
from pipelines.connections.assembler import Assembler
from pipelines.connections.segment_runs import SegmentRow
from tests.builders import rpc
from tests.builders.conversations import Ends, Talk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.builders.conversations import Packet

CLIENT, SERVER = b"\x0a\0\0\1", b"\x0a\0\0\2"


def rows(packets: Iterable[Packet], port: int = 50_000, server_port: int = 2103, key: int = 1) -> Iterator[SegmentRow]:
    low, high = (CLIENT, port), (SERVER, server_port)
    for frame, packet in enumerate(packets, 1):
        sender = Side.LOW if packet.from_client else Side.HIGH
        numbers = packet.seq, packet.ack, packet.flags, 8192
        segment = Segment(sender, frame * 1_000_000, 0, frame, *numbers, packet.payload, len(packet.payload))
        yield SegmentRow(key, low, high, segment)


def assemble(*conversations: Iterable[SegmentRow], choice: Choice | None = None) -> dict[str, list[Any]]:
    assembler = Assembler(choice or Choice(), ["hash"], ["file"])
    found: dict[str, list[Any]] = {name: [] for name in ("flows", "asides", "issues", "pdus", "calls", "facts")}
    for table, row in assembler.run(row for conversation in conversations for row in conversation):
        if isinstance(row, ExchangedCalls):
            plain = PlainPdus(assembler)
            plain.add(row.exchanges, row.place)
            found["pdus"] += plain.batch().to_pylist()
            found["calls"] += row.calls
        else:
            found[table].append(row)
    return found


def counted(found: dict[str, list[Any]]) -> dict[tuple[str, str], int]:
    counts = Counter[tuple[str, str]]()
    for row in (*found["flows"], *found["asides"]):
        for one in row["counts"]:
            counts[one["stage"], one["counter"]] += one["value"]
    return counts


def exchange(interface: str = rpc.QM2QM) -> Talk:
    return Talk(Ends(50_000)).open().say(rpc.bind(interface)).answer(rpc.bind_ack()).say(rpc.request())


def test_flow_tells_both_ends_and_their_bytes() -> None:
    found = assemble(rows(exchange().close().packets))
    (flow,) = found["flows"]
    assert flow["id"] == {"orig_h": "10.0.0.1", "orig_p": 50_000, "resp_h": "10.0.0.2", "resp_p": 2103}
    assert flow["community_id"] == community_id(CLIENT, SERVER, 50_000, 2103)
    assert (flow["orig_bytes"], flow["resp_bytes"]) == (len(rpc.bind(rpc.QM2QM) + rpc.request()), len(rpc.bind_ack()))
    assert (flow["conn_state"], flow["history"]) == ("SF", "ShADdFf")
    assert flow["pdus_recognised"] == 3


def test_conversations_that_share_a_key_by_accident_are_told_apart() -> None:
    both = [
        row
        for pair in zip(rows(exchange().packets), rows(exchange().packets, port=50_001), strict=True)
        for row in pair
    ]
    found = assemble(both)
    assert {flow["id"]["orig_p"] for flow in found["flows"]} == {50_000, 50_001}


def test_retransmission_with_other_bytes_is_an_issue_with_frame_and_offset() -> None:
    talk = exchange()
    forged = talk.packets[3].__class__(
        True, talk.packets[3].seq, talk.packets[3].ack, PSH | ACK, b"\x05\x00\x0b\x03XXXX"
    )
    found = assemble(rows([*talk.packets, forged]))
    (issue,) = found["issues"]
    assert (issue["code"], issue["frame"], issue["offset"]) == ("tcp-overlap-conflict", len(talk.packets) + 1, 4)
    assert issue["uid"] == found["flows"][0]["uid"]
    assert counted(found)["payload_bytes", "duplicate"] == 8


def test_bind_hidden_behind_forged_bytes_is_kept_for_its_conflict() -> None:
    talk = Talk(Ends(50_000)).open()
    forged = talk.packets[-1].__class__(True, talk.next[True], talk.next[False], PSH | ACK, bytes(72))
    talk.packets.append(forged)
    talk.say(rpc.bind(rpc.QM2QM)).answer(rpc.bind_ack()).say(rpc.request()).answer(rpc.response())
    first_look = assemble(rows(talk.packets, server_port=49_700))
    (aside,) = first_look["asides"]
    assert (aside["chosen_by"], first_look["flows"], first_look["issues"]) == ("conflict", [], [])
    again = Choice(known={aside["uid"]: ChosenBy.CONFLICT})
    found = assemble(rows(talk.packets, server_port=49_700), choice=again)
    (flow,) = found["flows"]
    assert flow["chosen_by"] == "conflict"
    assert len(found["pdus"]) == flow["pdus_recognised"] > 1
    assert "tcp-overlap-conflict" in [issue["code"] for issue in found["issues"]]


def test_issues_before_the_bind_are_kept_for_a_connection_that_is_chosen_later() -> None:
    talk = Talk(Ends(50_000)).open().say(b"x" * 40)
    del talk.packets[-1]
    talk.acknowledge().answer(b"")
    for call in range(40):
        talk.say(rpc.request(call_id=call)).answer(rpc.response(call_id=call))
    found = assemble(rows(talk.packets))
    assert [issue["code"] for issue in found["issues"]] == ["tcp-gap", "rpc-context-unknown"]
    assert found["flows"][0]["missed_bytes"] == 40


def test_issues_of_connections_set_aside_are_not_told() -> None:
    talk = Talk(Ends(50_000)).open().say(b"GET / HTTP/1.1")
    forged = talk.packets[-1].__class__(True, talk.packets[-1].seq, 0, PSH | ACK, b"PUT / HTTP/1.1")
    found = assemble(rows([*talk.packets, forged]))
    assert (found["flows"], found["issues"], found["pdus"]) == ([], [], [])
    assert counted(found) == {("packets", "set_aside_not_rpc"): len(talk.packets) + 1}


@pytest.mark.parametrize(("scope", "kept"), [(Scope.MSMQ, False), (Scope.RPC, True)])
def test_other_interfaces_are_kept_in_scope_rpc_only(scope: Scope, kept: bool) -> None:
    found = assemble(rows(exchange(rpc.SAMR).packets, server_port=49_700), choice=Choice(scope))
    assert bool(found["flows"]) is kept
    assert counted(found)["packets", "kept" if kept else "set_aside_other_interface"] == 6


def test_every_byte_and_pdu_is_counted_where_pdus_are_cut_and_boundaries_lost() -> None:
    talk = exchange().answer(rpc.response())
    for call in range(2, 60):
        talk.say(rpc.request(bytes(40), call_id=call)).answer(rpc.response(bytes(60), call_id=call))
    for lost in range(4, len(talk.packets), 7):
        found = assemble(rows([packet for number, packet in enumerate(talk.packets) if number != lost]))
        counts = counted(found)
        for stage in ("stream_bytes", "payload_bytes"):
            whole = counts.pop((stage, "in"))
            assert whole == sum(value for (of, _), value in counts.items() if of == stage)
        assert counts["pdus", "in"] == len(found["pdus"])
        assert counts["calls", "in"] == len(found["calls"])


def test_reason_that_comes_after_the_first_pdu_asks_for_a_second_look() -> None:
    talk = exchange(rpc.SAMR).answer(rpc.response())
    talk.say(rpc.bind(rpc.QM2QM, kind=rpc.ALTER_CONTEXT)).answer(rpc.bind_ack(kind=15)).say(rpc.request(call_id=2))
    first_look = assemble(rows(talk.packets, server_port=49_700))
    assert [(aside["chosen_by"]) for aside in first_look["asides"]] == ["interface"]
    assert (first_look["flows"], first_look["pdus"], first_look["calls"]) == ([], [], [])
    known = {first_look["asides"][0]["uid"]: ChosenBy.INTERFACE}
    found = assemble(rows(talk.packets, server_port=49_700), choice=Choice(known=known))
    assert [flow["chosen_by"] for flow in found["flows"]] == ["interface"]
    assert [placed.call.call_id for placed in found["calls"]] == [1, 2]
    assert len(found["pdus"]) == 7


def test_memory_does_not_grow_with_the_length_of_a_conversation() -> None:
    body = rpc.request(bytes(1_400))

    def endless(count: int) -> Iterator[SegmentRow]:
        low, high = (CLIENT, 50_000), (SERVER, 2103)
        yield SegmentRow(1, low, high, Segment(Side.LOW, 0, 0, 1, 999, 0, SYN, 8192, b"", 0))
        for number in range(count):
            seq = (1_000 + number * len(body)) % (1 << 32)
            segment = Segment(Side.LOW, number, 0, number + 2, seq, 1, PSH | ACK, 8192, bytes(body), len(body))
            yield SegmentRow(1, low, high, segment)

    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in Assembler(Choice(), ["hash"], ["file"]).run(endless(count)):
            pass
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    short, long = peak(5_000), peak(20_000)
    assert long < short + 1_000_000, f"{short} bytes for 7 MB, {long} for 28 MB"
