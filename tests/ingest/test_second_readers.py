"""Real captures and generated ones, read by us, by dpkt and by tshark: the same packets."""

from __future__ import annotations

import gzip
import os
import shutil
import struct
import subprocess
from pathlib import Path

import dpkt
import pytest

from ingest.captures import open_capture
from tests.builders import containers as c
from tests.ingest.reading import Row, guessed, in_splits, sequential

SHARED = Path(__file__).parents[3] / "shared" / "captures"
REAL = sorted(path for path in SHARED.rglob("*") if "cap" in "".join(path.suffixes[-2:])) if SHARED.is_dir() else []
REAL_ONES = pytest.mark.parametrize("path", REAL, ids=[path.name[-50:] for path in REAL])


def by_dpkt(path: Path) -> list[tuple[float, bytes]]:
    with gzip.open(path) if open_capture(str(path)).compression == "gzip" else path.open("rb") as file:
        reader = dpkt.pcapng.Reader if open_capture(str(path)).format == "pcapng" else dpkt.pcap.Reader
        return [(float(ts), bytes(data)) for ts, data in reader(file)]


def same_as_dpkt(path: Path, ours: list[Row]) -> None:
    theirs = by_dpkt(path)
    assert [row.data for row in ours] == [data for _, data in theirs]
    assert [row.ts_ns / 1e9 for row in ours] == pytest.approx([ts for ts, _ in theirs], abs=2e-6)


@REAL_ONES
def test_a_real_capture_reads_as_dpkt_reads_it(path: Path) -> None:
    reading = sequential(path)
    assert reading.rows
    try:
        same_as_dpkt(path, reading.rows)
    except (ValueError, struct.error, dpkt.Error):
        pytest.skip("dpkt cannot read it")


@REAL_ONES
def test_a_real_capture_in_splits_reads_as_in_one_piece(path: Path) -> None:
    assert in_splits(*guessed(path, max(500, path.stat().st_size // 20))) == sequential(path)


@REAL_ONES
def test_a_real_capture_has_as_many_packets_as_tshark_counts(path: Path) -> None:
    tshark = shutil.which("tshark")
    if tshark is None:
        if os.environ.get("CI") == "true":
            pytest.fail("tshark is not installed")
        pytest.skip("tshark is not installed")
    command = [tshark, "-n", "-r", str(path), "-T", "fields"]
    fields = [argument for name in ("frame.number", "frame.cap_len", "frame.len") for argument in ("-e", name)]
    lines = subprocess.run([*command, *fields], check=False, capture_output=True, text=True).stdout.splitlines()
    reading = sequential(path)
    ours = [[frame, len(row.data), row.wire_len] for frame, row in zip(reading.frames, reading.rows, strict=True)]
    assert ours == [[int(value) for value in line.split("\t")] for line in lines]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_our_pcap_writer_is_understood_by_dpkt(tmp_path: Path, order: c.ByteOrder, nanoseconds: bool) -> None:
    path = tmp_path / "a.pcap"
    ticks = 1_700_000_000 * (10**9 if nanoseconds else 10**6)
    path.write_bytes(c.pcap([c.Packet(bytes(n), ticks + n) for n in range(9)], order, nanoseconds=nanoseconds))
    same_as_dpkt(path, sequential(path).rows)


@pytest.mark.parametrize("order", ["<", ">"])
def test_our_pcapng_writer_is_understood_by_dpkt(tmp_path: Path, order: c.ByteOrder) -> None:
    path = tmp_path / "a.pcapng"
    packets = [c.epb(bytes(n), 1_700_000_000 * 10**9 + n, options=((1, b"note"),)) for n in range(9)]
    path.write_bytes(c.pcapng(c.section(), c.interface(resolution=c.ten(9)), *packets, byte_order=order))
    same_as_dpkt(path, sequential(path).rows)
