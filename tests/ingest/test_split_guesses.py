"""Guesses of a split's first record: nearly always right on ordinary captures, harmless where they are wrong."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from ingest.splits import exact
from tests.builders import containers as c
from tests.builders import packets as p
from tests.ingest.reading import guessed, in_splits, sequential

if TYPE_CHECKING:
    from pathlib import Path


def ordinary_frames(count: int, rng: random.Random) -> list[bytes]:
    """Acknowledgements, full segments of zeros, text, numbers or noise, and what lies between."""
    contents = (
        bytes,
        rng.randbytes,
        lambda size: ("GET /queue HTTP/1.1\r\n" * 80)[:size].encode(),
        lambda size: "private$\\orders".encode("utf-16-le") * (size // 30),
        lambda size: b"".join(rng.randrange(2_000).to_bytes(4, "little") for _ in range(size // 4)),
    )
    sizes = (0, 0, 0, 1, 24, 100, 512, 1_000, 1_460, 1_460, 8_960)
    return [p.ethernet(p.ipv4(p.tcp(rng.choice(contents)(rng.choice(sizes))))) for _ in range(count)]


def written(name: str, frames: list[bytes], rng: random.Random) -> bytes:
    ts = 1_700_000_000_000_000
    times = [ts := ts + rng.randrange(3_000) for _ in frames]
    if name == "pcapng":
        blocks = (c.epb(frame, time) for frame, time in zip(frames, times, strict=True))
        return c.pcapng(c.section(), c.interface(snap_len=262_144), *blocks)
    order: c.ByteOrder = ">" if "big" in name else "<"
    packets = [c.Packet(frame, time) for frame, time in zip(frames, times, strict=True)]
    return c.pcap(packets, order, modified="modified" in name)


@pytest.mark.parametrize("split_bytes", [4_000, 50_000])
@pytest.mark.parametrize("name", ["pcap", "pcap big", "pcap modified", "pcapng"])
def test_guesses_on_an_ordinary_capture_are_right(tmp_path: Path, name: str, split_bytes: int) -> None:
    rng = random.Random(7)
    count = 2_500 if split_bytes > 4_000 else 500
    path = tmp_path / "capture"
    path.write_bytes(written(name, ordinary_frames(count, rng), rng))
    splits, reports = guessed(path, split_bytes)
    true = exact(splits, reports)
    wrong = [n for n, (mine, right) in enumerate(zip(reports, true, strict=True)) if mine.start != right.start]
    assert len(splits) >= 50
    assert len(wrong) <= 0.05 * len(splits), wrong


@pytest.mark.parametrize("order", ["<", ">"])
def test_wrong_guesses_in_a_hostile_pcap_cost_no_packet(tmp_path: Path, order: c.ByteOrder) -> None:
    """Each packet holds a long chain of records that look right, so that every guess lands inside a packet."""
    lure = c.pcap_record(c.Packet(b"lure"), order) * 300
    packets = [c.Packet(lure, 10**15 + n) for n in range(30)]
    path = tmp_path / "hostile.pcap"
    path.write_bytes(c.pcap(packets, order))
    splits, reports = guessed(path, 5_000)
    true = exact(splits, reports)
    assert len(splits) > 30
    assert all(mine.start != right.start for mine, right in zip(reports[1:], true[1:], strict=True))
    assert sum(report.packets for report in reports) > 1_000
    reading = in_splits(splits, reports)
    assert reading == sequential(path)
    assert [row.data for row in reading.rows] == [lure] * 30
    assert reading.frames == list(range(1, 31))


@pytest.mark.parametrize("order", ["<", ">"])
def test_wrong_guesses_in_a_hostile_pcapng_cost_no_packet(tmp_path: Path, order: c.ByteOrder) -> None:
    lure = c.epb(b"lure")(order) * 300
    path = tmp_path / "hostile.pcapng"
    blocks = [c.epb(lure, n) for n in range(31)]  # 31 blocks, 68 splits: no bound falls on a block
    path.write_bytes(c.pcapng(c.section(), c.interface(), *blocks, byte_order=order))
    splits, reports = guessed(path, 5_000)
    true = exact(splits, reports)
    assert len(splits) > 30
    assert all(mine.start != right.start for mine, right in zip(reports[1:], true[1:], strict=True))
    reading = in_splits(splits, reports)
    assert reading == sequential(path)
    assert [row.data for row in reading.rows] == [lure] * 31


def test_a_lure_that_brings_a_section_of_its_own_deceives_nobody(tmp_path: Path) -> None:
    lure = c.pcapng(c.section(), c.interface(101, resolution=c.ten(9)), *[c.epb(b"lure", 5)] * 100, byte_order=">")
    path = tmp_path / "hostile.pcapng"
    path.write_bytes(c.pcapng(c.section(), c.interface(), *[c.epb(lure, n) for n in range(20)]))
    reading = in_splits(*guessed(path, 3_000))
    assert reading == sequential(path)
    assert {(row.data, row.link_type) for row in reading.rows} == {(lure, 1)}
    assert [row.ts_ns for row in reading.rows] == [n * 1_000 for n in range(20)]


def test_splits_without_a_boundary_of_their_own_read_nothing(tmp_path: Path) -> None:
    path = tmp_path / "large.pcap"
    path.write_bytes(c.pcap([c.Packet(bytes(50_000)), c.Packet(b"last")]))
    splits, reports = guessed(path, 1_000)
    true = exact(splits, reports)
    assert [report.packets for report in true if report.packets] == [1, 1]
    assert in_splits(splits, reports) == sequential(path)
