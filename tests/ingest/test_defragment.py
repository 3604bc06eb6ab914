"""Fragments of all captures become segments, conversations, SYNs, issues and counts; each is counted once."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from decoders.net.dissect import dissect
from decoders.net.model import IpFragment
from ingest import defragment as module
from ingest.conversations import host_key
from ingest.defragment import GROUP, ORDER, Defragmenter
from tests.builders import packets as p

if TYPE_CHECKING:
    from collections.abc import Sequence

PAYLOAD = random.Random(3).randbytes(100)
SEGMENT = p.tcp(PAYLOAD, sport=49_152, dport=2_103, seq=7, ack=9)
Row = dict[str, Any]


def row_of(datagram: bytes, frame: int, *, file: int = 0, ts_ns: int | None = None) -> Row:
    """As the scan writes it."""
    packet = p.ethernet(datagram)
    found = dissect(packet, 1)
    assert isinstance(found, IpFragment)
    return {
        "file": file,
        "split": 0,
        "frame": frame,
        "ts_ns": frame * 1_000 if ts_ns is None else ts_ns,
        "src": found.src,
        "dst": found.dst,
        "protocol": found.protocol,
        "key_protocol": found.protocol if len(found.src) == 4 else 0,
        "identification": found.identification,
        "fragment_offset": found.fragment_offset,
        "more": found.more,
        "payload_wire_len": found.payload_wire_len,
        "is_new": True,
        "payload": packet[found.payload_offset : found.payload_offset + found.payload_len],
    }


def made(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Also: whatever comes in is counted once, under its file."""
    rows = sorted(rows, key=lambda row: tuple(row[name] for name in (*GROUP, *ORDER)))
    tables: dict[str, list[Row]] = defaultdict(list)
    fragments = Defragmenter()
    for table, batch in fragments.run(rows):
        assert batch.schema == table.arrow
        tables[table.name] += batch.to_pylist()
    counted: Counter[int] = Counter()
    for (file, _), value in fragments.counts.items():
        counted[file] += value
    assert counted == Counter(row["file"] for row in rows)
    tables["counts"] = [{"place": place, "value": value} for place, value in fragments.counts.items()]
    return tables


def counts(tables: dict[str, list[Row]]) -> dict[tuple[int, str], int]:
    return {row["place"]: row["value"] for row in tables["counts"]}


def v4(size: int = 40, identification: int = 1) -> list[bytes]:
    return p.ipv4_fragments(SEGMENT, size=size, identification=identification)


def v6(size: int = 40) -> list[bytes]:
    return [
        p.ipv6(
            SEGMENT[at : at + size],
            extensions=[p.fragment(at, more=at + size < len(SEGMENT), identification=77)],
        )
        for at in range(0, len(SEGMENT), size)
    ]


@pytest.mark.parametrize("version", [4, 6])
def test_a_segment_in_fragments_is_found_in_any_order(version: int) -> None:
    parts = v4() if version == 4 else v6()
    assert len(parts) == 3
    for order in permutations(parts):
        tables = made([row_of(part, frame) for frame, part in enumerate(order, 1)])
        (segment,) = tables["made_segments"]
        assert (segment["payload"], segment["frame"], segment["ts_ns"]) == (PAYLOAD, 3, 3_000)
        assert (segment["low_p"], segment["high_p"], segment["from_low"]) == (49_152, 2_103, True)
        assert (segment["seq"], segment["ack"], segment["wire_len"]) == (7, 9, 100)
        (conversation,) = tables["conversations"]
        assert conversation["key"] == segment["key"]
        assert (conversation["split"], conversation["packets"], conversation["payload_bytes"]) == (0, 1, 100)
        assert (conversation["base_low"], conversation["base_high"]) == (3 << 32 | 6, 3 << 32 | 8)
        assert (conversation["well_known_port"], conversation["may_be_rpc"]) == (True, False)
        assert conversation["low_host"] is None, "it has payload"
        assert counts(tables) == {(0, "fragment_merged"): 2, (0, "tcp"): 1}
        assert not tables["scan_issues"]


def test_a_segment_without_payload_tells_its_hosts() -> None:
    segment = p.tcp(b"", sport=49_152, dport=2_103, seq=7, ack=9, flags=0x11)
    parts = p.ipv4_fragments(segment, size=8)
    (row,) = made([row_of(part, frame) for frame, part in enumerate(parts, 1)])["conversations"]
    assert (row["low_host"], row["high_host"]) == (host_key(b"\x0a\0\0\1"), host_key(b"\x0a\0\0\2"))


def test_fragments_of_one_datagram_may_lie_in_several_captures() -> None:
    tables = made([row_of(part, 5, file=file, ts_ns=10 - file) for file, part in enumerate(v4())])
    (segment,) = tables["made_segments"]
    assert (segment["payload"], segment["file"], segment["ts_ns"]) == (PAYLOAD, 0, 10)
    assert counts(tables) == {(0, "tcp"): 1, (1, "fragment_merged"): 1, (2, "fragment_merged"): 1}


def test_an_incomplete_datagram_is_an_issue() -> None:
    first, _, third = v4()
    tables = made([row_of(first, 1), row_of(third, 2)])
    assert not tables["made_segments"]
    (issue,) = tables["scan_issues"]
    assert (issue["code"], issue["frame"], issue["file"]) == ("fragment-incomplete", 2, 0)
    assert "without bytes 40-79" in issue["detail"]
    assert counts(tables) == {(0, "fragment_unusable"): 2}


def test_of_overlapping_fragments_the_first_bytes_stand_and_it_is_told() -> None:
    first, second, third = v4()
    forged = p.ipv4(bytes(40), fragment_offset=40, more=True)
    tables = made([row_of(part, n) for n, part in enumerate((first, second, forged, third), 1)])
    assert [row["payload"] for row in tables["made_segments"]] == [PAYLOAD]
    assert [(row["code"], row["frame"]) for row in tables["scan_issues"]] == [("fragment-overlap-differs", 3)]
    assert counts(tables) == {(0, "fragment_merged"): 3, (0, "tcp"): 1}


def test_a_second_copy_is_counted_and_is_no_issue() -> None:
    rows = [row_of(part, n) for n, part in enumerate([*v4(), *v4()], 1)]
    tables = made(rows)
    assert len(tables["made_segments"]) == 1
    assert counts(tables) == {(0, "fragment_duplicate"): 3, (0, "fragment_merged"): 2, (0, "tcp"): 1}
    assert not tables["scan_issues"]


def test_a_tunnel_in_fragments_is_unwrapped() -> None:
    inner = p.ethernet(p.ipv4(p.tcp(b"\x05", flags=p.SYN, seq=5), src="172.16.0.2", dst="172.16.0.1"))
    parts = p.ipv4_fragments(p.vxlan(inner), 17, size=32)
    tables = made([row_of(part, n) for n, part in enumerate(parts, 1)])
    (segment,) = tables["made_segments"]
    assert (segment["payload"], segment["low_h"], segment["from_low"]) == (b"\x05", b"\xac\x10\0\1", False)
    assert tables["conversations"][0]["may_be_rpc"]
    (syn,) = tables["syns"]
    assert (syn["key"], syn["frame"], syn["from_low"], syn["seq"]) == (segment["key"], len(parts), False, 5)


@pytest.mark.parametrize(
    ("protocol", "body", "counter", "codes"),
    [
        (17, p.udp(bytes(60)), "not_tcp", []),
        (6, b"\0\1\0\2" + bytes(8) + b"\x10" + bytes(20), "malformed", ["malformed"]),
        (4, p.ipv4(p.tcp(), more=True), "too_deep", ["too-deep"]),
    ],
    ids=["udp", "malformed", "fragments in fragments"],
)
def test_a_datagram_that_is_no_segment_is_counted_by_what_it_is(
    protocol: int, body: bytes, counter: str, codes: list[str]
) -> None:
    parts = p.ipv4_fragments(body, protocol, size=16)
    tables = made([row_of(part, n) for n, part in enumerate(parts, 1)])
    assert counts(tables) == {(0, "fragment_merged"): len(parts) - 1, (0, counter): 1}
    assert [row["code"] for row in tables["scan_issues"]] == codes


def test_datagrams_are_told_apart_and_come_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 4)
    rows = [row_of(part, 3 * n + m) for n in range(20) for m, part in enumerate(v4(identification=n))]
    tables = made(rows)
    assert [row["payload"] for row in tables["made_segments"]] == [PAYLOAD] * 20
    assert counts(tables) == {(0, "fragment_merged"): 40, (0, "tcp"): 20}
