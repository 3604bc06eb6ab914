"""What spark-submit runs: only the exit codes and the order of the steps; the commands have tests of their own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipelines import submit

if TYPE_CHECKING:
    from pathlib import Path


class Commands:
    """Stands in for mqtrail: remembers, stages where it is told, and ends as told."""

    def __init__(self, staged: Path | None = None, **codes: int) -> None:
        self.staged, self.codes = staged, codes
        self.called: list[list[str]] = []

    def __call__(self, arguments: list[str]) -> int:
        self.called.append(arguments)
        if self.staged and arguments[0] == "analyze":
            self.staged.mkdir()
            (self.staged / "run.json").write_text("{}")
        return self.codes.get(arguments[0], 0)


@pytest.mark.parametrize(
    ("code", "becomes"), [(0, 0), (13, 0), (14, 0), (1, 1), (2, 2), (10, 10), (11, 11), (15, 15), (130, 130)]
)
def test_done_is_done(code: int, becomes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "main", Commands(analyze=code))
    assert submit.submitted(["analyze", "a.pcap", "--dataset", "d"]) == becomes


def test_what_else_the_code_said_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(submit, "main", Commands(analyze=13))
    submit.submitted(["analyze", "a.pcap"])
    assert capsys.readouterr().err == "mqtrail: done; some input was damaged\n"


def test_captures_come_from_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ["/a/-b.pcap", "/a/caf\udce9.pcap", "/a/c d.pcap"]
    (tmp_path / "list").write_text(json.dumps(paths))
    monkeypatch.setattr(submit, "main", commands := Commands())
    submit.submitted(["analyze", "--captures-from", str(tmp_path / "list"), "--dataset", "d", "--no-publish"])
    assert commands.called == [["analyze", "--dataset", "d", "--no-publish", *paths]]


def test_load_publishes_what_was_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, summary = str(tmp_path / "data"), tmp_path / "summary"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "run.json").write_text('{"run": 1}')
    monkeypatch.setattr(submit, "main", commands := Commands(tmp_path / ".data.staged", analyze=14))
    assert submit.submitted(["load", "a.pcap", "--dataset", dataset, "--summary", str(summary)]) == 0
    assert commands.called == [
        ["analyze", "--no-publish", "a.pcap", "--dataset", dataset],
        ["check", dataset, "--staged"],
        ["publish", dataset],
    ]
    assert summary.read_text() == '{"run": 1}'


def test_load_of_what_was_published_before_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.json").write_text('{"run": 7}')
    monkeypatch.setattr(submit, "main", commands := Commands())
    arguments = ["load", "a.pcap", "--dataset", str(tmp_path), "--summary", str(tmp_path / "summary")]
    assert submit.submitted(arguments) == 0
    assert [called[0] for called in commands.called] == ["analyze"]
    assert (tmp_path / "summary").read_text() == '{"run": 7}'


@pytest.mark.parametrize(("step", "code", "calls"), [("analyze", 11, 1), ("check", 15, 2), ("publish", 1, 3)])
def test_load_ends_at_the_first_step_that_fails(
    step: str, code: int, calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submit, "main", commands := Commands(tmp_path / ".data.staged", **{step: code}))
    arguments = ["load", "a.pcap", "--dataset", str(tmp_path / "data"), "--summary", str(tmp_path / "summary")]
    assert submit.submitted(arguments) == code
    assert len(commands.called) == calls
    assert not (tmp_path / "summary").exists()
