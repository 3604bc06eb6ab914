"""The first pass against a model in plain Python: counts, conversations, SYNs, fragments and issues."""

from __future__ import annotations

import ipaddress
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from decoders.dcerpc.well_known import PORTS
from decoders.tcp.model import ACK, RST
from ingest.captures import open_capture
from ingest.containers.model import Position
from ingest.conversations import endpoint_key, host_key
from ingest.scan import MAX_INTERFACES_TOLD, scan_split
from ingest.splits import exact, plan, walk
from tests.builders import containers as c
from tests.builders import packets as p
from tests.builders.renewed import renewed
from tests.ingest.traffic import OTHERS, TRAFFIC, Sent, frame_of, outcome_of, sent

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, Any]]
UNSPOKEN = ("low_host", "high_host")


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scan") / "capture"


def scanned(path: Path, split_bytes: int = 1 << 30) -> dict[str, Rows]:
    tables: dict[str, Rows] = defaultdict(list)
    splits = plan(open_capture(str(path)), 3, split_bytes)
    for split, report in zip(splits, exact(splits, [walk(split) for split in splits]), strict=False):
        for table, batch in scan_split(replace(split, start=report.start)):
            assert batch.schema == table.arrow
            tables[table.name] += batch.to_pylist()
    assert {row["file"] for rows in tables.values() for row in rows} == {3}
    return tables


def write(path: Path, items: list[Sent | str]) -> None:
    renewed(path, c.pcap([c.Packet(frame_of(item), 10**15 + n) for n, item in enumerate(items)]))


def begins_like_rpc(payload: bytes) -> bool:
    return payload[:1] == b"\x05" and payload[1:2] in (b"", b"\0", b"\1") and len(payload) != 0


def model(items: list[Sent | str]) -> list[dict[str, object]]:
    found: dict[object, dict[str, Any]] = {}
    for frame, item in enumerate(items):
        if isinstance(item, str):
            continue
        source, target = (ipaddress.ip_address(item.src), item.sport), (ipaddress.ip_address(item.dst), item.dport)
        row = found.setdefault(
            (item.src.count(":") > 0, frozenset((source, target))),
            {"packets": 0, "payload_bytes": 0, "well_known_port": False, "may_be_rpc": False}
            | {"base_low": None, "base_high": None}
            | dict.fromkeys(UNSPOKEN),
        )
        row["packets"] += 1
        row["last_ts_ns"] = (10**15 + frame) * 1_000
        row["payload_bytes"] += len(item.payload)
        accepted = item.flags & (ACK | RST) == ACK
        row["well_known_port"] |= (bool(item.payload) or accepted) and bool(PORTS & {item.sport, item.dport})
        row["may_be_rpc"] |= begins_like_rpc(item.payload)
        sides, names = ["base_low", "base_high"], ["low", "high"]
        if (int(source[0]), source[1]) > (int(target[0]), target[1]):
            sides.reverse()
            names.reverse()
        for name, at in zip(names, (source, target), strict=True):
            row |= {f"{name}_end": endpoint_key(at[0].packed, at[1]), f"{name}_host": host_key(at[0].packed)}
        numbers = [item.seq - (not item.flags & p.SYN), (item.seq ^ 0xFFFF) - 1 if item.flags & p.ACK else None]
        for side, number in zip(sides, numbers, strict=True):
            if row[side] is None and number is not None:
                row[side] = frame << 32 | number % (1 << 32)
    for row in found.values():
        if row["payload_bytes"] >= 16:
            row |= dict.fromkeys(UNSPOKEN)
    return sorted(found.values(), key=_by_columns)


def _by_columns(row: dict[str, object]) -> str:
    return str(sorted(row.items()))


@settings(max_examples=60)
@given(items=TRAFFIC)
def test_conversations_and_counts_are_those_of_the_model(capture: Path, items: list[Sent | str]) -> None:
    write(capture, items)
    tables = scanned(capture)
    counts = {row["counter"]: row["value"] for row in tables["counts"]}
    assert counts == Counter(map(outcome_of, items))
    ours = [
        {name: row[name] for name in row if name not in ("file", "split", "key")} for row in tables["conversations"]
    ]
    assert sorted(ours, key=_by_columns) == model(items)
    assert [(row["frame"], row["seq"], row["with_ack"]) for row in tables["syns"]] == [
        (n, item.seq, bool(item.flags & p.ACK))
        for n, item in enumerate(items)
        if isinstance(item, Sent) and item.flags & p.SYN
    ]
    assert {row["key"] for row in tables["syns"]} <= {row["key"] for row in tables["conversations"]}
    assert [row["frame"] for row in tables["fragments"]] == [n for n, item in enumerate(items) if item == "ip_fragment"]
    assert {(row["frame"], row["code"]) for row in tables["scan_issues"]} == {
        (n, item.replace("_", "-")) for n, item in enumerate(items) if item in ("header_cut", "malformed", "too_deep")
    }
    (report,) = tables["reports"]
    assert (report["packets"], report["damage_code"]) == (len(items), None)
    if items:
        assert (report["first_ts_ns"], report["last_ts_ns"]) == (10**18, 10**18 + (len(items) - 1) * 1_000)
        assert report["link_types"] == [1]


def assert_same_sums(whole: dict[str, Rows], parts: dict[str, Rows]) -> None:
    for table, key in (("counts", "counter"), ("conversations", "key")):
        for value in ("value",) if table == "counts" else ("packets", "payload_bytes"):
            sums: list[Counter[object]] = [Counter(), Counter()]
            for total, tables in zip(sums, (whole, parts), strict=True):
                for row in tables[table]:
                    total[row[key]] += row[value]
            assert sums[0] == sums[1]
    for table in ("syns", "fragments", "scan_issues"):
        assert len(whole[table]) == len(parts[table])
    assert unspoken(whole) == unspoken(parts)


def unspoken(tables: dict[str, Rows]) -> dict[object, list[int | None]]:
    """What is known of conversations with next to no payload, over all their rows."""
    found: dict[object, list[dict[str, Any]]] = defaultdict(list)
    for row in tables["conversations"]:
        found[row["key"]].append(row)
    return {
        key: [min((row[name] for row in rows if row[name] is not None), default=None) for name in UNSPOKEN]
        for key, rows in found.items()
        if sum(row["payload_bytes"] for row in rows) < 16
    }


@settings(max_examples=30)
@given(items=TRAFFIC)
def test_splits_add_up_to_the_whole(capture: Path, items: list[Sent | str]) -> None:
    write(capture, items)
    whole, parts = scanned(capture), scanned(capture, 300)
    assert_same_sums(whole, parts)
    assert sum(row["packets"] for row in parts["reports"]) == len(items)


@settings(max_examples=10)
@given(items=TRAFFIC)
def test_rows_passed_on_early_add_up_to_the_same(capture: Path, items: list[Sent | str]) -> None:
    write(capture, items)
    whole = scanned(capture)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ingest.scan.MAX_ROWS_HELD", 0)
        patch.setattr("ingest.splits.CHUNK_BYTES", 2_000)
        assert_same_sums(whole, scanned(capture))


def test_fragments_carry_their_bytes_and_those_of_other_protocols_are_counted(capture: Path) -> None:
    body = p.tcp(bytes(range(40)))
    parts = [*p.ipv4_fragments(body, size=24), *p.ipv4_fragments(bytes(32), 1, size=16)]
    capture.write_bytes(c.pcap([c.Packet(p.ethernet(part), n) for n, part in enumerate(parts)]))
    tables = scanned(capture)
    assert b"".join(row["payload"] for row in tables["fragments"]) == body
    assert [(row["fragment_offset"], row["more"], row["key_protocol"]) for row in tables["fragments"]] == [
        (0, True, 6),
        (24, True, 6),
        (48, False, 6),
    ]
    assert {row["counter"]: row["value"] for row in tables["counts"]} == {"ip_fragment": 3, "not_tcp": 2}


def test_an_issue_names_its_frame_and_its_place(capture: Path) -> None:
    write(capture, [sent("10.0.0.1", 1, "10.0.0.2", 2), "malformed", "header_cut"])
    rows = scanned(capture)["scan_issues"]
    assert [(row["frame"], row["code"], row["offset"]) for row in rows] == [(1, "malformed", 14), (2, "header-cut", 34)]
    assert all(row["detail"] for row in rows)


def test_an_interface_that_is_not_read_is_told_once(capture: Path) -> None:
    frame = OTHERS["not_ip"]
    head = c.pcapng(c.section(), c.interface(105), c.interface(1))
    more = [c.epb(frame, number=1), c.epb(frame), c.epb(frame), c.epb(frame, number=7), c.epb(frame, number=7)]
    other = [c.section(), c.interface(147), c.epb(frame), c.section(), c.interface(105), c.epb(frame)]
    capture.write_bytes(head + c.pcapng(*more, *other))
    tables = scanned(capture)
    first = len(head) + len(more[0]("<"))
    assert [(row["frame"], row["code"]) for row in tables["scan_issues"]] == [
        (1, "unsupported-link-type"),
        (3, "undeclared-interface"),
        (5, "unsupported-link-type"),
    ]
    assert tables["scan_issues"][0]["offset"] == first
    assert "interface 0 has link type 105" in tables["scan_issues"][0]["detail"]
    assert "interface 7" in tables["scan_issues"][1]["detail"]
    assert "link type 147" in tables["scan_issues"][2]["detail"]
    assert tables["reports"][0]["link_types"] == [1, 105, 147]
    assert {row["counter"]: row["value"] for row in tables["counts"]} == {"not_ip": 1, "unsupported_link": 6}


def test_notes_and_damage_of_the_container_are_rows(capture: Path) -> None:
    data = c.pcap([c.Packet(OTHERS["not_ip"])] * 2, snap_len=10)
    capture.write_bytes(data[:-1])
    tables = scanned(capture)
    assert [(row["frame"], row["code"], row["offset"]) for row in tables["scan_issues"]] == [
        (None, "record-beyond-snap-length", 24)
    ]
    (report,) = tables["reports"]
    assert (report["damage_code"], report["damage_offset"], report["packets"]) == ("record-cut", 24 + 58, 1)
    assert Position.from_json(report["end"]).offset == 24 + 58


def test_packets_without_a_time_do_not_count_for_first_and_last(capture: Path) -> None:
    frame = OTHERS["not_ip"]
    capture.write_bytes(c.pcapng(c.section(), c.interface(), c.spb(frame), c.epb(frame, 9), c.spb(frame)))
    (report,) = scanned(capture)["reports"]
    assert (report["first_ts_ns"], report["last_ts_ns"]) == (9_000, 9_000)
    capture.write_bytes(c.pcapng(c.section(), c.interface(), c.spb(frame)))
    (report,) = scanned(capture)["reports"]
    assert (report["first_ts_ns"], report["last_ts_ns"]) == (None, None)


def test_interfaces_without_end_are_told_up_to_a_limit(capture: Path) -> None:
    frame = OTHERS["not_ip"]
    blocks = [c.epb(frame, number=number) for number in range(1, 1_000)]
    capture.write_bytes(c.pcapng(c.section(), c.interface(1), *blocks))
    tables = scanned(capture)
    told = [row for row in tables["scan_issues"] if row["code"] == "undeclared-interface"]
    assert [row["frame"] for row in told] == list(range(MAX_INTERFACES_TOLD))
    assert {row["counter"]: row["value"] for row in tables["counts"]} == {"unsupported_link": 999}


def test_short_packets_without_end_are_counted_and_the_first_are_listed(
    capture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.scan.MAX_ISSUES_OF_A_KIND", 20)
    write(capture, ["header_cut", *["malformed"] * 50])
    tables = scanned(capture)
    codes = [row["code"] for row in tables["scan_issues"]]
    assert codes == ["header-cut", *["malformed"] * 20]
    (report,) = tables["reports"]
    assert report["unlisted"] == [{"code": "malformed", "count": 30}]
