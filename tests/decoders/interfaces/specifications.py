"""The specifications' text, where a copy lies beside the project."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT

_REFERENCE = ROOT.parent / "shared" / "specs" / "reference"

needed = pytest.mark.skipif(not _REFERENCE.is_dir(), reason="the specifications are not there")


def text_of(document: str) -> str:
    return (_REFERENCE / f"{document}.md").read_text(encoding="utf-8")
