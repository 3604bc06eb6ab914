"""Real captures: the same packets, streams and bytes as tshark's, but for what differences.toml lists."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.second_opinion.compare import differences, listed
from tests.second_opinion.ours import ours
from tests.second_opinion.tshark import theirs

CAPTURES: Final = Path(__file__).resolve().parents[3] / "shared" / "captures"
FILES: Final = sorted(file for file in CAPTURES.rglob("*") if file.is_file() and file.suffix not in (".md", ".tsv"))


@pytest.mark.skipif(not FILES, reason="the captures are not there")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name[:60])
def test_same_packets_streams_bytes_and_recognition(file: Path) -> None:
    own, other = ours(file), theirs(file)
    assert own.packets == other.packets
    assert differences(file.name, own, other) == listed(file.name, "streams", "bytes", "rpc")
