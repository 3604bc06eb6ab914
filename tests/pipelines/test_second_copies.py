"""A capture given twice: fragments of the copy meet nobody's, so that all is told of the first as if it were alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ingest.splits import SPLIT_BYTES
from tests.builders import packets as p
from tests.builders.containers import Packet, pcap
from tests.builders.conversations import write_pcap
from tests.pipelines import world
from tests.pipelines.running import Tables, counters, run

if TYPE_CHECKING:
    from pathlib import Path

OF_FILES = ("captures", "issues", "accounting")


def datagrams() -> bytes:
    """One whole, one without its end, one with a fragment twice, one with two ends, one cut by the snap length."""
    stub = p.tcp(bytes(range(256)) * 8, sport=50_000, dport=2_103)
    whole, open_end, twice, torn, snapped = (
        [p.ethernet(one) for one in p.ipv4_fragments(stub, size=480, identification=number)] for number in range(5)
    )
    other = p.ethernet(p.ipv4_fragments(stub[:-480] + b"x" * 480, size=480, identification=3)[-1])
    frames = [*whole, *open_end[:-1], *twice, twice[1], *torn[:-1], other, torn[-1]]
    packets = [Packet(frame, n) for n, frame in enumerate(frames)]
    packets += [Packet(frame[:-99], len(packets) + n, len(frame)) for n, frame in enumerate(snapped)]
    return pcap([Packet(one.data, (1_700_000_000_000 + one.ts) * 1_000, one.wire_len) for one in packets])


def told(tables: Tables) -> dict[str, list[str]]:
    """Rows of all tables, but for what is said of the copies themselves."""
    rows = {name: [str(row) for row in rows] for name, rows in tables.items() if name not in OF_FILES}
    rows["issues"] = sorted(str(row) for row in tables["issues"] if row["code"] != "duplicate-capture")
    rows["captures"] = [str(row) for row in tables["captures"] if row["duplicate_of"] is None]
    return rows


@pytest.mark.parametrize("split_bytes", [700, SPLIT_BYTES], ids=["in many splits", "in one"])
@pytest.mark.parametrize("parts", [1, 3])
def test_fragments_of_a_copy_meet_nobodys(tmp_path: Path, parts: int, split_bytes: int) -> None:
    first = tmp_path / "a.pcap"
    first.write_bytes(datagrams())
    once = run(None, [first], tmp_path / "once", split_bytes=split_bytes, parts=parts)
    assert {row["code"] for row in once["issues"]} == {"fragment-incomplete"}
    copies = [tmp_path / "b.pcap", tmp_path / "c.pcap"]
    for copy in copies:
        copy.write_bytes(first.read_bytes())
    twice = run(None, [first, *copies], tmp_path / "twice", split_bytes=split_bytes, parts=parts)
    assert told(twice) == told(once)
    assert twice["accounting"] == once["accounting"]
    assert [row["duplicate_of"] is None for row in twice["captures"]] == [True, False, False]


def test_other_captures_still_meet(tmp_path: Path) -> None:
    """Fragments of one datagram in two captures, one of which is there twice."""
    frames = world.world()
    write_pcap(tmp_path / "whole.pcap", frames)
    data = (tmp_path / "whole.pcap").read_bytes()
    half = 24 + sum(16 + len(frame.captured) for frame in frames[: len(frames) // 2])
    (tmp_path / "a.pcap").write_bytes(data[:half])
    (tmp_path / "b.pcap").write_bytes(data[:24] + data[half:])
    paths = [tmp_path / "a.pcap", tmp_path / "b.pcap"]
    once = run(None, paths, tmp_path / "once")
    (tmp_path / "copy.pcap").write_bytes(data[:half])
    twice = run(None, [*paths, tmp_path / "copy.pcap"], tmp_path / "twice")
    assert told(twice) == told(once)
    assert counters(twice, "packets") == counters(once, "packets")
    assert counters(twice, "packets")["set_aside_fragment_merged"]
