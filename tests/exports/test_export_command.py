"""mqtrail export, as people call it."""

from __future__ import annotations

import datetime as dt
import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from pipelines.cli import main
from pipelines.cli.export import FORMATS
from pipelines.store import alignment
from schemas.tables import CALLS
from tests.exports.run_folder import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def run(*arguments: str | Path, code: int = 0) -> str:
        out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="")
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["export", *map(str, arguments)]) == code
        out.flush()
        return out.buffer.getvalue().decode()

    return run


@pytest.mark.parametrize("form", FORMATS)
def test_file_has_what_standard_output_has(
    form: str, sample_run: Path, tmp_path: Path, printed: Callable[..., str]
) -> None:
    table = ["--table", "dce_rpc" if form.startswith("zeek") else "calls"]
    shown = printed(sample_run, "--format", form, *table)
    assert printed(sample_run, "--format", form, *table, "-o", tmp_path / "file") == ""
    assert (tmp_path / "file").read_bytes().decode() == shown
    assert shown.endswith("\r\n" if form == "csv" else "\n")


def test_calls_as_json_by_default(sample_run: Path, printed: Callable[..., str]) -> None:
    assert json.loads(printed(sample_run).splitlines()[0])["call_uid"] == "R351c9561e0993b89966282ec"


@pytest.mark.parametrize("form", ["zeek-tsv", "zeek-json"])
def test_all_logs_go_to_a_folder(form: str, sample_run: Path, tmp_path: Path, printed: Callable[..., str]) -> None:
    printed(sample_run, "--format", form, "-o", tmp_path / "logs")
    names = {path.name for path in (tmp_path / "logs").iterdir()}
    assert names == {"dce_rpc.log", "conn.log", "weird.log", "notice.log", "ntlm.log"}
    assert (tmp_path / "logs" / "conn.log").read_text() == printed(sample_run, "--format", form, "--table", "conn")
    assert (tmp_path / "logs" / "dce_rpc.log").read_text() == printed(sample_run, "--format", form)
    assert printed(sample_run, "--format", form, "--table", "calls") == printed(sample_run, "--format", form)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--table", "nothing"], 2, "--table nothing: jsonl has none; `mqtrail schema` lists them"),
        (["--format", "zeek-tsv", "--table", "dns"], 2, "one of dce_rpc, conn, weird, notice, ntlm"),
        (["--format", "ocsf", "--table", ""], 2, "one of calls, flows, sessions, reads, admin_actions, findings"),
        (["--format", "zeek-tsv", "-o", "/dev/null"], 2, "/dev/null: is not a folder"),
        (["-o", "/nowhere/file"], 2, "/nowhere/file: cannot be written (No such file or directory)"),
    ],
)
def test_wrong_usage_is_told(
    sample_run: Path,
    printed: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    says: str,
) -> None:
    assert printed(sample_run, *arguments, code=code) == ""
    assert says in capsys.readouterr().err


def test_folder_that_is_no_run(tmp_path: Path, printed: Callable[..., str]) -> None:
    assert printed(tmp_path, "--format", "csv", code=10) == ""


def test_rows_left_out_are_told(
    tmp_path: Path, printed: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = {"outcome": "answered", "decode_state": "full", "id": {"orig_h": "10.0.0.1", "resp_h": "10.0.0.2"}}
    now = dt.datetime(2026, 11, 16, tzinfo=dt.UTC)
    write(tmp_path, CALLS, [call, call | {"ts": now, "ts_ns": 1}])
    assert len(printed(tmp_path, "--format", "ecs").splitlines()) == 1
    assert capsys.readouterr().err == "mqtrail: 1 of calls left out: they have no time, and ecs needs one\n"


def test_half_a_file_does_not_stay(
    sample_run: Path, tmp_path: Path, printed: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(alignment, "aligned", fails)
    assert printed(sample_run, "-o", tmp_path / "file", code=1) == ""
    assert list(tmp_path.iterdir()) == []
