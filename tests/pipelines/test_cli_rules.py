"""mqtrail rules, and what analyze takes about rules, without Spark."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipelines.cli import main
from pipelines.facts.reasons import Reason
from pipelines.rules.catalogue import RULES
from pipelines.rules.coverage import clauses

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("arguments", [["rules"], ["rules", "list"]])
def test_list_has_a_line_a_rule(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [rule.id for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_show_tells_document_demand_and_needs(rule: object, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = (one for one in RULES if one is rule)
    assert main(["rules", "show", found.id]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"{found.document} {found.section}" in shown
    assert " ".join(found.requirement.removeprefix("Reported is ").split()) in shown
    assert all(name in shown for name in (*found.settings, *found.attack))
    assert all(exemption.note in shown for exemption in found.exemptions)
    if not found.is_detection:
        binding = [one for one in clauses() if found.id in one.rules and one.demands_of(found.party)]
        assert binding
        assert all(f"{one.keyword}, binds " in shown and " ".join(one.says.split()) in shown for one in binding)


def test_show_of_no_rule_says_where_to_look(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "mqqp-nothing"]) == 2
    assert capsys.readouterr().err == "mqtrail: there is no rule mqqp-nothing; `mqtrail rules list` shows them all\n"


def test_reasons_are_all_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "reasons"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [str(reason) for reason in Reason]


def test_lint_is_content(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "lint"]) == 0
    assert capsys.readouterr().out == f"{len(RULES)} rules, nothing to object to\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing=3", "--threshold nothing=3: no rule has it; there are "),
        ("bulk_messages=many", "write it as bulk_messages=N, with a number above 0"),
        ("bulk_messages=0", "write it as bulk_messages=N, with a number above 0"),
    ],
)
def test_threshold_that_cannot_be_used(
    given: str, said: str, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", str(sample), "--out", str(tmp_path / "out"), "--threshold", given]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_rules_start_no_spark() -> None:
    program = (
        "import sys; from pipelines.cli import main; main(['rules', 'lint']);"
        "sys.exit(any(name.startswith('pyspark') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, capture_output=True).returncode == 0
