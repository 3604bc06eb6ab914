"""Rows of the data source `pcap`, and segments of the second pass, against a model in plain Python."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from ingest import packets
from ingest.captures import open_capture
from ingest.packets import packet_batches
from ingest.scan import scan_split
from ingest.segments import segment_batches
from ingest.splits import Split, plan
from schemas.internal import CONVERSATIONS, SEGMENTS
from schemas.tables.packets import PACKETS
from tests.builders import containers as c
from tests.builders.renewed import renewed
from tests.ingest.traffic import OTHERS, TRAFFIC, Sent, frame_of, outcome_of, sent

TS = 1_700_000_000_123_456_789
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packets") / "capture"


def only_split(path: Path) -> Split:
    (split,) = plan(open_capture(str(path)), 0)
    return split


def write(path: Path, items: list[Sent | str]) -> Split:
    made = [c.Packet(frame_of(item), TS + n, wire_len=len(frame_of(item)) + 4) for n, item in enumerate(items)]
    renewed(path, c.pcap(made, nanoseconds=True))
    return only_split(path)


def rows(split: Split, columns: tuple[str, ...] = PACKETS.names, first_frame: int = 1) -> list[dict[str, Any]]:
    return [row for batch in packet_batches(split, first_frame, columns) for row in batch.to_pylist()]


def expected(path: Path, n: int, item: Sent | str, first_frame: int) -> dict[str, object]:
    row: dict[str, object] = dict.fromkeys(PACKETS.names)
    row |= {
        "path": str(path),
        "frame_number": first_frame + n,
        "ts": EPOCH + dt.timedelta(microseconds=(TS + n) // 1_000),
        "ts_ns": TS + n,
        "interface_id": 0,
        "link_type": 1,
        "captured_len": len(frame_of(item)),
        "wire_len": len(frame_of(item)) + 4,
        "outcome": outcome_of(item),
    }
    if isinstance(item, Sent):
        row |= {
            "ip_version": 6 if ":" in item.src else 4,
            "src_h": item.src,
            "src_p": item.sport,
            "dst_h": item.dst,
            "dst_p": item.dport,
            "seq": item.seq,
            "ack": item.seq ^ 0xFFFF,
            "flags": item.flags,
            "window": 8_192,
            "payload_len": len(item.payload),
            "payload_wire_len": len(item.payload),
            "payload": item.payload,
        }
    return row


@settings(max_examples=60)
@given(items=TRAFFIC)
def test_every_column_is_what_was_sent(capture: Path, items: list[Sent | str]) -> None:
    split = write(capture, items)
    assert rows(split, first_frame=11) == [expected(capture, n, item, 11) for n, item in enumerate(items)]


def test_only_the_columns_asked_for_are_made(capture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("nobody asked for it")

    split = write(capture, [sent("10.0.0.1", 1, "10.0.0.2", 2, payload=b"x"), "not_ip"])
    monkeypatch.setitem(packets._COLUMNS, "payload", forbidden)
    assert rows(split, ("dst_p", "frame_number")) == [
        {"dst_p": 2, "frame_number": 1},
        {"dst_p": None, "frame_number": 2},
    ]
    monkeypatch.setattr(packets, "headers_of", forbidden)
    assert rows(split, ("wire_len",)) == [{"wire_len": 59}, {"wire_len": 46}]


def test_each_column_can_be_read_alone(capture: Path) -> None:
    split = write(capture, [sent("fe80::1", 1, "fe80::2", 2, payload=b"x")])
    (whole,) = rows(split)
    for name in PACKETS.names:
        assert rows(split, (name,)) == [{name: whole[name]}]


def test_what_the_capture_does_not_say_is_null(capture: Path) -> None:
    frame = OTHERS["not_ip"]
    capture.write_bytes(c.pcapng(c.section(), c.interface(), c.spb(frame), c.epb(frame, 5, number=3)))
    found = rows(only_split(capture), ("ts", "ts_ns", "link_type", "interface_id", "outcome"))
    assert found == [
        {"ts": None, "ts_ns": None, "link_type": 1, "interface_id": 0, "outcome": "not_ip"},
        {"ts": None, "ts_ns": None, "link_type": None, "interface_id": 3, "outcome": "unsupported_link"},
    ]


def test_large_buffers_come_in_batches(capture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packets, "BATCH_ROWS", 3)
    split = write(capture, [sent("10.0.0.1", n, "10.0.0.2", 2) for n in range(8)])
    batches = list(packet_batches(split, 1, ("frame_number", "src_p")))
    assert [len(batch) for batch in batches] == [3, 3, 2]
    assert [row["src_p"] for batch in batches for row in batch.to_pylist()] == list(range(8))


def test_a_worker_that_imported_nothing_else_makes_addresses(capture: Path) -> None:
    write(capture, [sent("10.0.0.1", 1, "10.0.0.2", 2)])
    program = (
        "import sys; from ingest.captures import open_capture; from ingest.packets import packet_batches;"
        "from ingest.splits import plan;"
        "print(*(b.to_pylist() for b in packet_batches(plan(open_capture(sys.argv[1]), 0)[0], 1, ('src_h',))))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(capture)], check=True, capture_output=True, cwd=Path(__file__).parents[2]
    )
    assert run.stdout.decode().strip() == "[{'src_h': '10.0.0.1'}]"


@settings(max_examples=40)
@given(items=TRAFFIC)
def test_segments_are_those_of_the_wanted_conversations(capture: Path, items: list[Sent | str]) -> None:
    split = write(capture, items)
    keys = sorted(
        key for table, batch in scan_split(split) if table is CONVERSATIONS for key in batch["key"].to_pylist()
    )
    every = [row for batch in segment_batches(split, 5, 1, np.array(keys, np.int64)) for row in batch.to_pylist()]
    tcp = [(n, item) for n, item in enumerate(items, 1) if isinstance(item, Sent)]
    assert [(row["frame"], row["payload"], row["seq"], row["flags"], row["ts_ns"], row["file"]) for row in every] == [
        (n, item.payload, item.seq, item.flags, TS + n - 1, 5) for n, item in tcp
    ]
    for row, (_, item) in zip(every, tcp, strict=True):
        ends = [(row["low_h"], row["low_p"]), (row["high_h"], row["high_p"])]
        assert ends == sorted(ends)
        assert ends[not row["from_low"]][1] == item.sport
        assert (len(row["low_h"]), row["wire_len"]) == (16 if ":" in item.src else 4, len(item.payload))
    some = np.array(keys[::2], np.int64)
    narrow = [row for batch in segment_batches(split, 5, 1, some) for row in batch.to_pylist()]
    assert narrow == [row for row in every if row["key"] in keys[::2]]
    assert list(segment_batches(split, 5, 1, np.zeros(0, np.int64))) == []


def test_segments_come_in_batches_of_the_declared_schema(capture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    split = write(capture, [sent("10.0.0.1", 1, "10.0.0.2", 2, seq=n) for n in range(5)])
    (key,) = {key for table, batch in scan_split(split) if table is CONVERSATIONS for key in batch["key"].to_pylist()}
    batches = list(segment_batches(split, 0, 100, np.array([key], np.int64), most=2))
    assert [len(batch) for batch in batches] == [2, 2, 1]
    assert all(batch.schema == SEGMENTS.arrow for batch in batches)
    assert [row["frame"] for batch in batches for row in batch.to_pylist()] == list(range(100, 105))
