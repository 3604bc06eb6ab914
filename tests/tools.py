"""Programs that some tests need."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def need(tool: str) -> str:
    """Path of the tool."""
    return shutil.which(tool) or cannot(f"{tool} is not installed")


def cannot(why: str) -> NoReturn:
    """Skip the test, but never in CI, where the set-up has to have made it possible."""
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)
