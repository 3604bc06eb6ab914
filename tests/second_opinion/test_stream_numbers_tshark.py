"""tcp.stream: the rule by which tshark begins a stream, and how far ours keeps to it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pytest

from pipelines.captures.stream_numbers import stream_numbers
from schemas.internal import CONVERSATIONS, SYNS
from tests.second_opinion import merged
from tests.second_opinion.compare import Difference, listed
from tests.second_opinion.ours import scanned
from tests.second_opinion.reuse import REUSED, anything, begins
from tests.second_opinion.test_captures_tshark import FILES
from tests.second_opinion.tshark import stream_of_frames, theirs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.second_opinion.conftest import Both

RANDOM: Final = 3_000


def test_rule_is_the_one_written_down(tmp_path: Path) -> None:
    rng = random.Random(11)
    made = {str(number): anything(rng) for number in range(RANDOM)}
    places = merged.write(tmp_path / "random.pcap", {**made, **REUSED})
    numbers = stream_of_frames(tmp_path / "random.pcap")
    for name, packets in {**made, **REUSED}.items():
        mine = numbers[places[name].start - 1 : places[name].stop - 1]
        new = [place for place, number in enumerate(mine) if place == 0 or number != mine[place - 1]]
        assert new == begins(packets), packets


@pytest.mark.parametrize("rows", [1, 30_000_000], ids=["at once", "by ranges of keys"])
def test_numbers_of_the_table_flows(both: Both, rows: int) -> None:
    paths = [both.path, *FILES]
    counted = _numbered(paths, rows)
    for file, path in enumerate(paths):
        other_opinion = both.theirs if path is both.path else theirs(path)
        true = [stream.frames[0] for stream in other_opinion.streams]
        if path is not both.path:
            assert counted[file] == true, path.name
            continue
        for name, place in both.places.items():
            own, other = (_told(frames, place) for frames in (counted[file], true))
            found = {Difference(name, "numbers", 0, own, other)} if own != other else set()
            assert found == listed(name, "numbers"), name


def _told(frames: list[int], place: range) -> str:
    return " ".join(str(frame - place.start) for frame in frames if frame in place)


def _numbered(paths: list[Path], rows: int) -> list[list[int]]:
    """Per capture the frames at which streams begin, in the order of their numbers."""
    tables: dict[str, list[pa.Table]] = {CONVERSATIONS.name: [], SYNS.name: []}
    for file, path in enumerate(paths):
        found = scanned(path)
        for table in (CONVERSATIONS, SYNS):
            one = pa.Table.from_batches(found[table.name], table.arrow)
            place = table.names.index("file")
            ordinals = pa.array([file] * len(one), table.arrow.field(place).type)
            tables[table.name].append(one.set_column(place, table.arrow.field(place), ordinals))
    whole = {name: pa.concat_tables(parts).combine_chunks() for name, parts in tables.items()}
    keys = np.unique(whole[CONVERSATIONS.name].column("key").to_numpy())
    found_numbers = stream_numbers(lambda name, schema: iter(whole[name].select(schema.names).to_batches()), rows, keys)
    begun: list[list[int]] = [[] for _ in paths]
    for row in sorted(found_numbers.table.to_pylist(), key=lambda row: (row["file"], row["tcp_stream"])):
        assert row["tcp_stream"] == len(begun[row["file"]])
        begun[row["file"]].append(row["frame"])
    return begun
