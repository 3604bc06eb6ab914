"""One clean folder for all tests: none of them writes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.quality.folders import clean_rows, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(clean_rows(), tmp_path_factory.mktemp("clean") / "tables")
