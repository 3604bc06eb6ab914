"""What lies at the top of the project: nothing that a program left there by mistake."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

from tests.conftest import ROOT

TOP: Final = {
    *(".ci", ".gitignore", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"),
    *("constraints-airflow.txt", "constraints.txt", "pyproject.toml"),
    *("airflow_dags", "bench", "decoders", "docs", "ingest", "mqtrail", "pipelines", "samples", "schemas", "scripts"),
    *("soak", "tests"),
}
WRITERS: Final = (
    *("schemas.write_pages", "schemas.exports.write_page", "pipelines.rules.write_pages", "pipelines.cli.reference"),
    *("tests.report.screenshots", "tests.scripts"),
)


def test_the_top_of_the_project_is_what_the_documents_say() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout")
    kept = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {name.partition("/")[0] for name in kept.split("\0") if name} == TOP


@pytest.mark.parametrize("module", WRITERS)
def test_who_asks_a_writer_for_help_gets_no_folder_of_that_name(module: str) -> None:
    command = [sys.executable, "-m", module, "--help"]
    asked = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout.startswith("usage:")
    assert not (ROOT / "--help").exists()
