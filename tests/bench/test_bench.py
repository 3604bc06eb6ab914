"""The benchmark runs, and its captures are what they claim to be. No time is asserted."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import dpkt
import numpy as np
import pytest

from bench.__main__ import main
from bench.captures import MSMQ, RECIPES, capture
from bench.cases import CASES
from bench.reading import conversations_of_interest, scan_tables, true_splits
from bench.reassembly import SEGMENT_BYTES, delivered, transfer
from bench.traffic import IS_TCP, Kind
from ingest.splits import walk

if TYPE_CHECKING:
    from pathlib import Path

ASKED = 5_000
SPLIT_BYTES = 400_000


def tshark(path: Path, *arguments: str) -> list[str]:
    found = shutil.which("tshark")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("tshark is not installed")
        pytest.skip("tshark is not installed")
    command = [found, "-n", "-r", str(path), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.fixture(params=RECIPES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("captures")


def test_packets_and_conversations(name: str, folder: Path) -> None:
    traffic, parts = RECIPES[name].traffic(ASKED), true_splits(str(capture(name, ASKED, folder)), SPLIT_BYTES)
    reports = [walk(part) for part in parts]
    assert len(parts) > 1 or name != "headers"
    assert sum(report.packets for report in reports) == len(traffic) == RECIPES[name].packets(ASKED)
    assert all(report.damage is None for report in reports)

    tables = scan_tables(parts)
    keys = np.unique(np.concatenate([batch.column("key").to_numpy() for batch in tables["conversations"]]))
    assert len(keys) == traffic.tcp_conversations
    counts: Counter[str] = Counter()
    for batch in tables["counts"]:
        counts.update({row["counter"]: row["value"] for row in batch.to_pylist()})
    others = np.bincount(traffic.kind, minlength=len(Kind))
    assert counts == {
        "tcp": int(IS_TCP[traffic.kind].sum()),
        "not_tcp": int(others[Kind.UDP4] + others[Kind.ICMP4]),
        "not_ip": int(others[Kind.ARP] + others[Kind.LLC]),
    }


def test_tshark_sees_the_same_segments(name: str, folder: Path) -> None:
    traffic = RECIPES[name].traffic(ASKED)
    fields = [argument for field in ("seq_raw", "ack_raw", "len") for argument in ("-e", f"tcp.{field}")]
    lines = tshark(capture(name, ASKED, folder), "-T", "fields", *fields)
    assert len(lines) == len(traffic)
    ours = zip(
        IS_TCP[traffic.kind].tolist(),
        traffic.seq.tolist(),
        traffic.ack.tolist(),
        traffic.payload_len.tolist(),
        strict=True,
    )
    assert [line.strip() for line in lines] == [
        f"{seq}\t{ack}\t{size}" if is_tcp else "" for is_tcp, seq, ack, size in ours
    ]


def test_rpc_conversations_are_found(folder: Path) -> None:
    path = capture(MSMQ, ASKED * 20, folder)
    binds = tshark(path, "-Y", "dcerpc.pkt_type == 11", "-T", "fields", "-e", "tcp.stream")
    assert len(conversations_of_interest(true_splits(str(path)))) == len(set(binds)) > 0


def test_pcapng_holds_the_same_packets(folder: Path) -> None:
    with capture("headers", ASKED, folder).open("rb") as classic, capture("headers-ng", ASKED, folder).open("rb") as ng:
        assert list(dpkt.pcap.Reader(classic)) == list(dpkt.pcapng.Reader(ng))


def test_kept_unless_the_size_is_wrong(tmp_path: Path) -> None:
    path = capture("vxlan", ASKED, tmp_path)
    whole, made = path.read_bytes(), path.stat().st_mtime_ns
    assert capture("vxlan", ASKED, tmp_path).stat().st_mtime_ns == made
    path.write_bytes(whole[:-1])
    assert capture("vxlan", ASKED, tmp_path).read_bytes() == whole


@pytest.mark.parametrize(("late_share", "fewest"), [(0.0, 0), (0.01, 10)])
def test_transfer_arrives_whole(late_share: float, fewest: int) -> None:
    segments = transfer(3_000, late_share)
    data = [segment for segment in segments if segment.payload]
    late = sum((after.seq - before.seq) & 0xFFFF_FFFF > 1 << 31 for before, after in pairwise(data))
    assert delivered(segments) == len(data) * SEGMENT_BYTES
    assert fewest <= late <= 2 * late_share * len(data)


def test_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--packets", str(ASKED), "--repeat", "1", "--data", str(tmp_path), "--json", str(tmp_path / "out")]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert f"scan of {ASKED:,} packets" in printed
    cases = json.loads((tmp_path / "out").read_text())["cases"]
    assert [case["case"] for case in cases] == [case.name for case in CASES]
    assert all(f"\n{case.name} " in printed for case in CASES)
    assert "\nRemoteQMStartReceive response, ndr64 " in printed
    assert "times as fast as impacket" in printed


def test_what_a_com_call_costs_is_said_beside_a_call_of_qm2qm(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--packets", "1000", "--repeat", "1"]
    assert main([*few, *(f"--only={name}" for name in ("calls", "com-calls", "judging", "com-judging"))]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert re.fullmatch(
        r"a COM call costs [\d.]+ times a qm2qm call from segments to tables, "
        r"[\d.]+ times a qm2qm call from facts to findings",
        said,
    )
    assert main([*few, "--only=com-calls"]) == 0
    assert "a COM call" not in capsys.readouterr().out
