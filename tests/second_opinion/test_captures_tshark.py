"""Real captures: the same packets, streams and bytes as tshark's, but for what differences.toml lists."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.second_opinion.compare import differences, listed
from tests.second_opinion.ours import ours, read_again
from tests.second_opinion.tshark import theirs
from tests.tools import need

CAPTURES: Final = Path(__file__).resolve().parents[3] / "shared" / "captures"
FILES: Final = sorted(file for file in CAPTURES.rglob("*") if file.is_file() and file.suffix not in (".md", ".tsv"))


@pytest.mark.skipif(not FILES, reason="the captures are not there")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name[:60])
def test_same_packets_streams_bytes_and_recognition(file: Path) -> None:
    own, other = ours(file), theirs(file)
    assert own.packets == other.packets
    assert differences(file.name, own, other) == listed(file.name, "streams", "bytes", "rpc")


@pytest.mark.skipif(not FILES, reason="the captures are not there")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name[:60])
def test_run_looks_again_at_rpc_and_not_at_what_was_mistaken_for_it(file: Path) -> None:
    again = read_again(file)
    mistaken = {one.stream for one in listed(file.name, "rpc", right="tshark")}
    for number, stream in enumerate(ours(file).streams):
        if stream.rpc:
            assert again.isdisjoint(stream.frames) if number in mistaken else again.issuperset(stream.frames)


def test_missing_tshark_fails_only_where_it_must_not_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="tshark"):
        need("tshark")
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="tshark"):
        need("tshark")
