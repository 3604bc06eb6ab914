"""mqtrail inspect: what captures are, without Spark."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from ingest import captures, splits
from ingest.captures import open_capture
from pipelines.cli import main
from tests.builders.containers import Packet, epb, interface, pcap, pcapng, section, spb

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from ingest.bounds import Bounds

Said = tuple[int, list[dict[str, Any]], str]
PACKETS = [Packet(bytes(60), ts=1_700_000_000_000_000 + number) for number in (5, 0, 9)]


def look(capsys: pytest.CaptureFixture[str], *paths: object) -> Said:
    code = main(["inspect", "--json", *map(str, paths)])
    said = capsys.readouterr()
    return code, [json.loads(line) for line in said.out.splitlines()], said.err


def test_whole_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = pcap(PACKETS)
    (tmp_path / "a").write_bytes(content)
    assert look(capsys, tmp_path / "a") == (
        0,
        [
            {
                "path": str(tmp_path / "a"),
                "format": "pcap",
                "compression": "none",
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
                "packets": 3,
                "first_ts": "2023-11-14T22:13:20.000000000Z",
                "last_ts": "2023-11-14T22:13:20.000009000Z",
                "state": "complete",
                "code": None,
                "reason": None,
                "offset": None,
            }
        ],
        "",
    )


def test_sample_as_people_read_it(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(sample)]) == 0
    digest = hashlib.sha256(sample.read_bytes()).hexdigest()
    assert capsys.readouterr().out == (
        f"{sample}: pcap, 212 packets, 2026-11-16T03:51:10.062522000Z to 2026-11-16T03:51:10.612050000Z, "
        f"{sample.stat().st_size} bytes, sha256 {digest}; complete\n"
    )


def test_cut_capture_is_told_with_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "whole").write_bytes(pcap(PACKETS))
    (tmp_path / "cut").write_bytes(pcap(PACKETS)[:-20])
    code, (cut, whole), said = look(capsys, tmp_path)
    assert code == 13
    assert (whole["state"], cut["state"], cut["packets"], cut["code"]) == ("complete", "truncated", 2, "record-cut")
    assert cut["offset"] == 24 + 2 * 76
    assert cut["reason"] == "the file ends after 40 of a packet's 60 bytes"
    assert said == "mqtrail: 1 of 2 files are damaged\n"
    main(["inspect", str(tmp_path / "cut")])
    assert "truncated at offset 176: the file ends after 40 of a packet's 60 bytes" in capsys.readouterr().out


def test_no_capture_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("Dear diary")
    (tmp_path / "empty").write_bytes(b"")
    code, (empty, text), said = look(capsys, tmp_path)
    assert (code, said) == (11, "mqtrail: no capture could be read\n")
    assert (empty["code"], empty["sha256"]) == ("empty-file", hashlib.sha256(b"").hexdigest())
    assert (text["state"], text["bytes"], text["format"]) == ("unreadable", 10, None)
    assert text["reason"] == "not a pcap or pcapng file (it begins with 44 65 61 72)"


def test_damaged_file_among_unreadable_ones_is_readable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("Dear diary")
    (tmp_path / "cut").write_bytes(pcap(PACKETS)[:-20])
    assert look(capsys, tmp_path)[0] == 13


def test_no_such_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert look(capsys, tmp_path / "none") == (10, [], f"mqtrail: {tmp_path}/none: no such file or folder\n")


def test_compressed_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = gzip.compress(pcap(PACKETS))
    (tmp_path / "a.gz").write_bytes(content)
    (tmp_path / "b.gz").write_bytes(content[:-12])
    code, (whole, cut), _ = look(capsys, tmp_path)
    assert code == 13
    assert (whole["compression"], whole["packets"], whole["state"]) == ("gzip", 3, "complete")
    assert whole["sha256"] == hashlib.sha256(content).hexdigest()
    assert (cut["state"], cut["code"]) == ("truncated", "compressed-data-damaged")


def test_packets_without_a_time_do_not_count_for_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_bytes(pcapng(section(), interface(), spb(bytes(60))))
    (tmp_path / "b").write_bytes(pcapng(section(), interface(), spb(bytes(60)), epb(bytes(60), ticks=7)))
    _, (without, mixed), _ = look(capsys, tmp_path)
    assert (without["packets"], without["first_ts"], without["last_ts"]) == (1, None, None)
    assert (mixed["packets"], mixed["first_ts"]) == (2, "1970-01-01T00:00:00.000007000Z")
    main(["inspect", str(tmp_path / "a")])
    assert "pcapng, 1 packets, " in capsys.readouterr().out


def test_name_that_is_not_utf8_is_shown_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9")).write_bytes(pcap(PACKETS))
    _, (row,), _ = look(capsys, tmp_path)
    assert row["path"] == f"{tmp_path}/caf\\xe9"


def test_file_that_grows_meanwhile_is_not_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a"
    file.write_bytes(pcap(PACKETS))

    def open_then_grow(path: str, *bounds: Bounds) -> object:
        capture = open_capture(path, *bounds)
        with file.open("ab") as more:
            more.write(b"more")
        return capture

    monkeypatch.setattr(captures, "open_capture", open_then_grow)
    code, (row,), _ = look(capsys, file)
    assert (code, row["state"], row["code"]) == (13, "truncated", "changed-while-read")


def test_many_chunks_are_walked_to_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splits, "CHUNK_BYTES", 1000)
    (tmp_path / "a").write_bytes(pcap([Packet(bytes(60), ts=number) for number in range(500)])[:-1])
    code, (row,), _ = look(capsys, tmp_path / "a")
    assert (code, row["packets"], row["state"]) == (13, 499, "truncated")
    assert row["last_ts"] == "1970-01-01T00:00:00.000498000Z"


def test_spark_is_not_needed(sample: Path) -> None:
    program = "import sys; sys.modules['pyspark'] = None\nfrom pipelines.cli import main\nsys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", program, "inspect", sample], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
