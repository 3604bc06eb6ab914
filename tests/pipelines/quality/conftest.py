"""Clean folders for all tests: none of them writes to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.quality.folders import clean_rows, write, write_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of some operations with rows, as after a run."""
    return write_run(clean_rows(), tmp_path_factory.mktemp("clean") / "tables")


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the tables of all operations: a look at it takes seconds."""
    return write(clean_rows(), tmp_path_factory.mktemp("whole") / "tables")
