"""The command line with Spark: whole runs, good and damaged input side by side."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import duckdb
from pyarrow import parquet

from pipelines.cli import main
from schemas.tables import WRITTEN
from tests.builders.containers import Packet, pcap
from tests.conftest import ROOT
from tests.pipelines.running import read
from tests.walk_through.page import blocks

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession


def test_damaged_among_good_captures_exits_13_and_completes_the_rest(
    spark: SparkSession, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    data = sample.read_bytes()
    (folder / "good.pcap").write_bytes(data)
    (folder / "cut.pcap").write_bytes(data[:-5])
    (folder / "absurd.pcap").write_bytes(data[:24] + data[24:40].replace(data[32:36], b"\xff\xff\xff\x7f") + data[40:])
    (folder / "header-only.pcap").write_bytes(data[:24])
    (folder / "strange-link.pcap").write_bytes(pcap([Packet(b"802.11 frame", ts=1)], link_type=105))
    (folder / "beyond-snap.pcap").write_bytes(pcap([Packet(bytes(80), ts=1)], snap_len=40))
    (folder / "set-back.pcap").write_bytes(pcap([Packet(bytes(60), ts=9_000_000), Packet(bytes(60), ts=4_000_000)]))
    (folder / "notes.txt").write_text("not a capture")
    assert main(["analyze", str(folder), "--out", str(tmp_path / "out")]) == 13
    said = capsys.readouterr()
    assert "cut.pcap: truncated; the table issues says why" in said.err
    assert "notes.txt: unreadable; the table issues says why" in said.err
    assert "header-only.pcap: holds no packets" in said.err
    assert "damaged:    3 of 8 captures; 7 problems (table issues)" in said.out

    tables = read(tmp_path / "out" / "tables")
    states = {row["path"].rsplit("/")[-1]: (row["state"], row["packets"]) for row in tables["captures"]}
    assert states == {
        "good.pcap": ("complete", 212),
        "cut.pcap": ("truncated", 211),
        "absurd.pcap": ("truncated", 0),
        "header-only.pcap": ("complete", 0),
        "strange-link.pcap": ("complete", 1),
        "beyond-snap.pcap": ("complete", 1),
        "set-back.pcap": ("complete", 2),
        "notes.txt": ("unreadable", 0),
    }
    issues = {(row["path"].rsplit("/")[-1], row["code"], row["frame"], row["offset"]) for row in tables["issues"]}
    assert issues == {
        ("notes.txt", "not-a-capture", None, None),
        ("header-only.pcap", "no-packets", None, None),
        ("cut.pcap", "record-cut", None, len(data) - 16 - 66),
        ("absurd.pcap", "record-length-absurd", None, 24),
        ("strange-link.pcap", "unsupported-link-type", 1, 24),
        ("beyond-snap.pcap", "record-beyond-snap-length", None, 24),
        ("set-back.pcap", "clock-went-back", None, None),
    }
    assert len(tables["flows"]) == 9


def test_whole_run_writes_tables_and_manifest(
    spark: SparkSession, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", str(sample), "--out", str(tmp_path / "out"), "--verbose"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "qm2qm_RemoteQMPurgeQueue" in said.out
    assert "qm2qm_RemoteQMCloseCursor" not in said.out
    assert re.search(r"\n\d+ other tables have no rows\n", said.out)
    manifest = json.loads((tmp_path / "out" / "run.json").read_text())
    assert set(manifest["rows"]) == {table.name for table in WRITTEN if not table.only_with_rows}
    some = ("captures", "flows", "pdus", "calls", "qm2qm_RemoteQMPurgeQueue", "qm2qm_RemoteQMCloseCursor", "issues")
    assert [manifest["rows"][name] for name in some] == [1, 9, 114, 46, 1, 0, 0]
    assert [one["state"] for one in manifest["inputs"]] == ["complete"]
    assert {one["table"] for one in manifest["outputs"]} - {None} == set(manifest["rows"])
    assert [one["path"] for one in manifest["outputs"] if one["table"] is None] == ["quality.json", "report.html"]
    assert main(["verify", str(tmp_path / "out")]) == 0
    assert "expectations of the tables kept, 0 not" in said.out

    (flows,) = (tmp_path / "out" / "tables" / "flows").glob("*.parquet")
    columns = parquet.read_metadata(flows).row_group(0)
    by_name = {columns.column(n).path_in_schema: columns.column(n) for n in range(columns.num_columns)}
    assert by_name["first_ts"].physical_type == "INT64", "INT96 would be read as local time by some tools"
    assert by_name["uid"].compression == "ZSTD"
    query = f"select id.orig_h, id.resp_p from read_parquet('{flows}') order by first_ts limit 1"
    assert duckdb.execute(query).fetchone() == ("127.0.0.1", 135)


def test_readme_shows_what_the_demo_prints(
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (command,) = re.findall(r"^\t@\$\(BIN\)/mqtrail (analyze .*)$", makefile, re.MULTILINE)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 0
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = next(block for block in blocks(readme) if block.commands == ["make demo"])
    page = readme.replace(block.text, block.played([capsys.readouterr().out]))
    if request.config.getoption("--update-golden"):
        (ROOT / "README.md").write_text(page, encoding="utf-8")
    else:
        assert readme == page


def test_findings_at_or_above_a_level_exit_14(
    spark: SparkSession, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["analyze", str(sample), "--out", str(tmp_path / "out"), "--threshold", "bulk_messages=2"]
    assert main([*arguments, "--fail-on", "high"]) == 14
    said = capsys.readouterr()
    assert "findings of level high or above: detect-purge (1), detect-service-disruption (1)" in said.err
    assert main([*arguments, "--fail-on", "critical", "--force"]) == 0
    manifest = json.loads((tmp_path / "out" / "run.json").read_text())
    assert manifest["parameters"]["thresholds"]["bulk_messages"] == 2
    purge = {"rule_id": "detect-purge", "verdict": "detection", "reason": None, "count": 1}
    assert purge in manifest["verdicts"]


def test_capture_without_anything_to_keep_says_so_and_still_accounts_for_it(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.pcap").write_bytes(pcap([Packet(bytes(60), ts=1)]))
    assert main(["analyze", str(tmp_path / "in.pcap"), "--out", str(tmp_path / "out")]) == 0
    assert "no connection to keep was found" in capsys.readouterr().err
    tables = read(tmp_path / "out" / "tables")
    assert tables["flows"] == tables["issues"] == []
    assert {row["counter"]: row["value"] for row in tables["accounting"] if row["value"]} == {
        "in": 1,
        "set_aside_not_ip": 1,
    }
