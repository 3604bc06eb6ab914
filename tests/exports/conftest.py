"""The sample's tables, written once."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.exports.run_folder import sample
from tests.report.runs import run_of_captures

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be changed."""
    return sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def incident_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A laptop reads and purges a queue through its machine account, for jdoe."""
    return run_of_captures(tmp_path_factory.mktemp("incident") / "run", ROOT / "samples" / "incident" / "orders.pcap")


@pytest.fixture(scope="session")
def script_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script reads and purges a queue through MSMQ's objects, and makes one."""
    return run_of_captures(tmp_path_factory.mktemp("script") / "run", ROOT / "samples" / "script" / "invoices.pcap")


@pytest.fixture
def run_folder(sample_run: Path, tmp_path: Path) -> Path:
    """A copy to add rows to."""
    return shutil.copytree(sample_run, tmp_path / "run")
