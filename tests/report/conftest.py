"""Runs and a browser that the tests of the report share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipelines.report.writing import write_report
from tests.conftest import ROOT
from tests.report.browser import Browser
from tests.report.runs import run_of_captures, run_of_scripts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.report.browser import Page

SCRIPTS = sorted((ROOT / "tests" / "data" / "scripts").glob("*.calls"))


def reported(folder: Path) -> Path:
    write_report(str(folder), json.loads((folder / "run.json").read_text()))
    return folder / "report.html"


@pytest.fixture(scope="session")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples of the documents, one capture each."""
    scripts = [path.read_text(encoding="utf-8") for path in SCRIPTS]
    return run_of_scripts(tmp_path_factory.mktemp("family"), *scripts, case="C-17")


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_of_captures(tmp_path_factory.mktemp("sample") / "run", ROOT / "samples" / "msmq-loopback.pcap")


@pytest.fixture(scope="session")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A laptop reads and purges a queue through its machine account, and opens it to everyone."""
    script = (ROOT / "samples" / "incident" / "orders.calls").read_text(encoding="utf-8")
    return run_of_scripts(tmp_path_factory.mktemp("incident"), script)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.fixture(scope="session")
def page(browser: Browser) -> Page:
    found = browser.page()
    found.sized(1_380, 900)
    return found
