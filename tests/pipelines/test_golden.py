"""The sample capture's tables, row for row. Refresh with: pytest tests/pipelines/test_golden.py --update-golden."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from samples import show
from schemas.tables import WRITTEN
from tests.conftest import ROOT
from tests.golden_files import GOLDEN, compare
from tests.pipelines.running import Tables, run

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

_START = "<!-- what samples/show.py prints; a test compares -->\n```\n"
README_BLOCK = re.compile(re.escape(_START) + r"(.*?)```\n", re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("golden")


@pytest.fixture(scope="module")
def tables(spark: SparkSession, folder: Path) -> Tables:
    return run(spark, [ROOT / "samples" / "msmq-loopback.pcap"], folder)


@pytest.mark.parametrize("table", [table.name for table in WRITTEN])
def test_sample_gives_the_golden_rows(tables: Tables, table: str, request: pytest.FixtureRequest) -> None:
    compare(tables[table], GOLDEN / "msmq-loopback" / f"{table}.jsonl", request.config)


def test_readme_shows_what_the_demo_prints(
    tables: Tables, folder: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    show.main(folder)
    found = capsys.readouterr().out.replace(str(folder), "out/demo").strip("\n")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    before, shown, after = README_BLOCK.split(readme)
    if request.config.getoption("--update-golden"):
        (ROOT / "README.md").write_text(f"{before}{_START}{found}\n```\n{after}", encoding="utf-8")
    else:
        assert shown.strip("\n") == found
