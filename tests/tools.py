"""Programs that some tests need."""

from __future__ import annotations

import os
import shutil

import pytest


def need(tool: str) -> str:
    """Path of the tool. Without it the test skips, but never in CI, where the set-up has to have installed it."""
    found = shutil.which(tool)
    if found is None:
        message = f"{tool} is not installed"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return found
