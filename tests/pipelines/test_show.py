"""The first look: the rows of a run, without Spark, with nothing left behind."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from ingest.inflate import InflatedFile
from pipelines.cli import main, show
from pipelines.cli.exit_codes import ExitCode
from tests.conftest import ROOT
from tests.golden_files import GOLDEN
from tests.pipelines.running import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

INCIDENT = str(ROOT / "samples" / "incident" / "orders.pcap")


def shown(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> list[str]:
    assert main(["show", *arguments]) == code
    return capsys.readouterr().out.splitlines()


def test_summary_is_that_of_a_run(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, str(sample))
    kept = "kept:       9 connections, 46 calls; 2 hosts, 3 queues, 4 sessions, 5 messages"
    assert lines[1] == kept
    assert len(lines) <= 10
    (told,) = (json.loads(line) for line in shown(capsys, str(sample), "--json"))
    assert (told["sessions"], told["queues"], told["captures"][0]["packets"]) == (4, 3, "212")


@pytest.mark.parametrize(("what", "table"), [("calls", "calls"), ("acts", "admin_actions"), ("findings", "findings")])
def test_rows_are_those_of_the_golden_files(
    sample: Path, capsys: pytest.CaptureFixture[str], what: str, table: str
) -> None:
    golden = (GOLDEN / "msmq-loopback" / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in shown(capsys, str(sample), "--what", what, "--json")]
    assert len(rows) == len(golden)
    on_screen = shown(capsys, str(sample), "--what", what)
    decided = [row for row in rows if row.get("verdict") != "not_decidable"]
    assert len(on_screen) == len(decided) + 2
    assert on_screen[-1].startswith(f"{len(decided)} rows of the table {table}")


def test_acts_of_the_incident(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, INCIDENT, "--what", "acts")
    (purge,) = (line.split() for line in lines if " purge " in line)
    assert purge[2:6] == ["10.20.0.66", "10.20.0.9", "LAPTOP66$", "purge"]


def test_sealed_calls_with_secrets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secrets = tmp_path / "secrets.toml"
    secrets.write_text('[[account]]\nusername = "nobody"\ndomain = ""\npassword = "none"\n')
    secrets.chmod(0o644)
    assert main(["show", INCIDENT, "--secrets", str(secrets)]) == ExitCode.USAGE
    secrets.chmod(0o600)
    assert "kept:" in "".join(shown(capsys, INCIDENT, "--secrets", str(secrets)))


def test_nothing_is_left(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main(["show", str(sample)]) == 0
    assert list(tmp_path.iterdir()) == []


def test_no_spark_is_even_imported(sample: Path) -> None:
    code = (
        f"import sys; from pipelines.cli import main; main(['show', {str(sample)!r}]); "
        "heavy = {'pyspark', 'great_expectations'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)


def test_too_much_for_a_first_look(
    sample: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(show, "MOST_BYTES", 1_000)
    assert main(["show", str(sample)]) == ExitCode.USAGE
    assert "use `mqtrail analyze" in capsys.readouterr().err


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_bomb_is_not_inflated(
    sample: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    pack: Callable[[bytes], bytes],
) -> None:
    """A thousandth of its contents in size: what is inflated of it is bounded, and less of it is held."""
    bomb = tmp_path / "bomb.pcap.gz"
    bomb.write_bytes(pack(sample.read_bytes() + bytes(96 * 1024 * 1024)))
    monkeypatch.setattr(show, "MOST_BYTES", 24 * 1024 * 1024)
    read: list[int] = []
    whole = InflatedFile.read

    def watched(self: InflatedFile, offset: int, length: int) -> bytes:
        found = whole(self, offset, length)
        read.append(offset + len(found))
        return found

    monkeypatch.setattr(InflatedFile, "read", watched)
    tracemalloc.start()
    try:
        assert main(["show", str(bomb)]) == ExitCode.USAGE
        _, held = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bomb.stat().st_size < 200_000
    assert max(read) <= 26 * 1024 * 1024
    assert held < 16 * 1024 * 1024
    assert "use `mqtrail analyze" in capsys.readouterr().err


def test_a_compressed_capture_counts_as_what_is_in_it(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "sample.pcap.gz"
    packed.write_bytes(gzip.compress(sample.read_bytes()))
    monkeypatch.setattr(show, "MOST_BYTES", sample.stat().st_size)
    assert shown(capsys, str(packed))[1].startswith("kept:       9 connections, 46 calls")
    monkeypatch.setattr(show, "MOST_BYTES", sample.stat().st_size - 1)
    assert main(["show", str(packed)]) == ExitCode.USAGE


def test_what_is_no_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.pcap").write_text("not a capture")
    assert main(["show", str(tmp_path / "text.pcap")]) == ExitCode.NO_CAPTURE_READABLE
    assert main(["show", str(tmp_path / "absent.pcap")]) == ExitCode.NO_INPUT
    assert "no capture could be read" in capsys.readouterr().err


def test_damage_is_told(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(sample.read_bytes()[:-7])
    assert main(["show", str(cut)]) == ExitCode.INPUT_DAMAGED
    assert "truncated" in capsys.readouterr().err


def test_every_table_is_that_of_a_run(sample: Path, tmp_path: Path) -> None:
    tables: dict[str, list[Any]] = run(None, [sample], tmp_path / "out")
    for table, rows in tables.items():
        golden = GOLDEN / "msmq-loopback" / f"{table}.jsonl"
        assert len(rows) == (len(golden.read_text(encoding="utf-8").splitlines()) if golden.exists() else 0), table
