"""Shells complete our commands, and the page of the command line is fresh."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from pipelines.cli import main, parser
from pipelines.cli.exit_codes import ExitCode
from pipelines.cli.parser import subcommands
from pipelines.cli.reference import PAGE, page
from tests.conftest import ROOT

MOST_LINES = 50
"""Of a screen."""


def completed(capsys: pytest.CaptureFixture[str], *words: str) -> set[str]:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    given = " ".join(f"'{word}'" for word in words)
    asked = (
        f"{script}\nCOMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; _mqtrail; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    bash = shutil.which("bash")
    assert bash
    said = subprocess.run([bash, "--norc", "-c", asked], capture_output=True, text=True, check=True)
    return set(said.stdout.split())


def test_commands_options_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(subcommands(parser())) <= completed(capsys, "mqtrail", "")
    assert completed(capsys, "mqtrail", "analyze", "--da") == {"--dataset"}
    assert completed(capsys, "mqtrail", "analyze", "--scope", "") == {"msmq", "rpc"}
    assert {"list", "show", "lint"} <= completed(capsys, "mqtrail", "rules", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_is_there(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name, one in subcommands(parser()).items():
        assert name in script
        for action in one._actions:
            for string in action.option_strings:
                assert string.lstrip("-") in script, f"{name} {string}"


def test_fish_says_what_commands_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "fish"]) == 0
    assert "-a analyze -d 'analyse captures into tables'" in capsys.readouterr().out


def test_the_page_is_fresh_and_has_every_code() -> None:
    assert (ROOT / "docs" / "reference" / PAGE).read_text(encoding="utf-8") == page(), "run make docs"
    assert all(f"| {int(code)} |" in page() for code in ExitCode)


def test_help_of_analyze_fits_a_screen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit):
        main(["analyze", "--help"])
    said = capsys.readouterr().out
    assert len(said.splitlines()) <= MOST_LINES
    assert "examples:" in said
