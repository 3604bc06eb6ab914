"""Generated conversations: the same streams and bytes as tshark's, but for what differences.toml lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.second_opinion import merged
from tests.second_opinion.compare import differences, listed, table
from tests.second_opinion.generated import MADE
from tests.second_opinion.ours import ours, read_again
from tests.second_opinion.reuse import REUSED
from tests.second_opinion.test_captures_tshark import FILES

if TYPE_CHECKING:
    from tests.second_opinion.conftest import Both

NAMES: Final = [*MADE, *REUSED]


def test_same_number_of_packets(both: Both) -> None:
    assert both.ours.packets == both.theirs.packets == sum(map(len, both.places.values()))


@pytest.mark.parametrize("name", NAMES)
def test_same_streams_bytes_and_recognition(both: Both, name: str) -> None:
    place = both.places[name]
    own, other = merged.part(both.ours, place), merged.part(both.theirs, place)
    assert differences(name, own, other, place[0]) == listed(name, "streams", "bytes", "rpc")


def test_every_rpc_stream_is_read_again(both: Both) -> None:
    """A bind in one-byte segments on an unknown port too."""
    speaking = [stream for stream in both.ours.streams + both.theirs.streams if stream.rpc]
    assert {both.places["one byte a segment"][0], both.places["RPC midstream"][0]} <= {x.frames[0] for x in speaking}
    assert {frame for stream in speaking for frame in stream.frames} <= read_again(both.path)


def test_splits_change_nothing(both: Both) -> None:
    assert ours(both.path, split_bytes=50_000) == both.ours


def test_table_names_only_what_there_is() -> None:
    known = {*NAMES, *(file.name for file in FILES)}
    # Without the shared captures their names cannot be checked.
    unknown = {capture for row in table() for capture in row["captures"] if FILES or "__" not in capture} - known
    assert not unknown
    assert all(row["reason"] and row["right"] in ("ours", "tshark", "neither") for row in table())
