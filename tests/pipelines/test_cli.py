"""The command line without Spark: usage, and input that cannot be used."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipelines.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def analyze(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main(["analyze", *map(str, arguments)])
    said = capsys.readouterr()
    assert said.out == "", "stdout is for data"
    return code, said.err


def test_no_such_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = analyze(capsys, tmp_path / "none.pcap", "--out", tmp_path / "out")
    assert code == 10
    assert said == f"mqtrail: {tmp_path}/none.pcap: no such file or folder\n"
    assert not (tmp_path / "out").exists()


def test_folder_without_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    code, said = analyze(capsys, tmp_path / "in", "--out", tmp_path / "out")
    assert code == 10
    assert "the folder holds no files" in said


def test_pipe_is_refused_instead_of_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    code, said = analyze(capsys, tmp_path / "pipe", "--out", tmp_path / "out")
    assert (code, said) == (10, f"mqtrail: {tmp_path}/pipe: is neither a file nor a folder\n")


def test_folder_that_may_not_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()

    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("os.scandir", refuse)
    code, said = analyze(capsys, tmp_path / "in", "--out", tmp_path / "out")
    assert (code, said) == (10, f"mqtrail: {tmp_path}/in: the folder cannot be read: Permission denied\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_run_told_to_end_leaves_nothing(sample: Path, tmp_path: Path, number: signal.Signals) -> None:
    program = (
        "import os, sys, pipelines.captures.inventory as inventory\nfrom pipelines.cli import main\n"
        f"inventory.take_stock = lambda *_: os.kill(os.getpid(), {int(number)})\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "analyze", str(sample), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "mqtrail: interrupted; nothing was written\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"Dear diary", "not a pcap or pcapng file (it begins with 44 65 61 72)"),
        (b"GMBU" + bytes(200), "a Microsoft Network Monitor capture; convert it: editcap -F pcapng"),
        (b"\xd4\xc3\xb2\xa1\x02\0", "the pcap file header is damaged: the pcap file header has 6 of 24 bytes"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03garbage", "the compressed data is damaged"),
    ],
)
def test_file_that_is_no_capture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, sentence: str
) -> None:
    (tmp_path / "in.pcap").write_bytes(content)
    code, said = analyze(capsys, tmp_path / "in.pcap", "--out", tmp_path / "out")
    assert code == 11
    assert said.startswith("mqtrail: no capture could be read:\n")
    assert f"in.pcap: {sentence}" in said
    assert not (tmp_path / "out").exists()


def test_no_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.pcap").write_bytes(b"x")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    # Root may read everything, so chmod would prove nothing.
    monkeypatch.setattr("ingest.files.reading.os.open", refuse)
    code, said = analyze(capsys, tmp_path / "in.pcap", "--out", tmp_path / "out")
    assert code == 11
    assert "no permission to read the file; run as a user who may" in said


def test_output_folder_that_exists(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tables").mkdir()
    code, said = analyze(capsys, sample, "--out", tmp_path)
    assert code == 2
    assert said == f"mqtrail: {tmp_path}: the folder exists; choose another with --out, or replace it with --force\n"


def test_tables_of_an_earlier_run_among_the_captures_are_not_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out" / "tables").mkdir(parents=True)
    (tmp_path / "out" / "run.json").write_text("{}")
    code, said = analyze(capsys, tmp_path, "--out", tmp_path / "out", "--force")
    assert code == 10
    assert "all input lies in the output folder" in said
    (tmp_path / "notes.txt").write_text("not a capture")
    code, said = analyze(capsys, tmp_path, "--out", tmp_path / "other" / ".." / "out", "--force")
    assert code == 11
    assert "run.json" not in said


def test_spark_setting_without_value(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = analyze(capsys, sample, "--out", tmp_path / "out", "--spark-conf", "spark.ui.port")
    assert (code, said) == (2, "mqtrail: --spark-conf spark.ui.port: write it as KEY=VALUE\n")


def test_no_java(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    code, said = analyze(capsys, sample, "--out", tmp_path / "out")
    assert code == 1
    assert "Spark needs Java 17 or newer" in said
    assert "openjdk-17-jre-headless" in said


def test_unexpected_error_is_a_sentence(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("the sky fell\nand more")

    monkeypatch.setattr("pipelines.captures.inventory.take_stock", fail)
    code, said = analyze(capsys, sample, "--out", tmp_path / "out")
    assert (code, said) == (1, "mqtrail: unexpected: the sky fell\nRun again with --debug for the details.\n")


def test_schema_lists_and_explains(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert "flows" in capsys.readouterr().out
    assert main(["schema", "issues"]) == 0
    assert "tcp-gap" in capsys.readouterr().out
    assert main(["schema", "nonsense"]) == 2
    assert "there is no table nonsense" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["analyze", "--help"], ["schema"], ["schema", "flows"]])
def test_starts_no_spark_where_none_is_needed(arguments: list[str]) -> None:
    program = (
        "import sys\nfrom pipelines.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "sys.exit('pyspark' in sys.modules or 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_imports_no_library_that_help_does_not_need() -> None:
    program = "import sys, mqtrail, pipelines.cli; print(*{'numpy', 'pyarrow', 'schemas.tables'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "\n"
