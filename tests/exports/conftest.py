"""The sample's tables, written once."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.exports.run_folder import sample

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be changed."""
    return sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def run_folder(sample_run: Path, tmp_path: Path) -> Path:
    """A copy to add rows to."""
    return shutil.copytree(sample_run, tmp_path / "run")
