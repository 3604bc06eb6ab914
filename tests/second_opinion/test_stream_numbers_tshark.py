"""tcp.stream: the rule by which tshark begins a stream, and how far ours keeps to it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from pipelines.stages.tcp_streams import stream_numbers
from schemas.internal import CONVERSATIONS, SYNS
from tests.second_opinion import merged
from tests.second_opinion.compare import Difference, listed
from tests.second_opinion.ours import scanned
from tests.second_opinion.reuse import REUSED, anything, begins
from tests.second_opinion.test_captures_tshark import FILES
from tests.second_opinion.tshark import stream_of_frames, theirs

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

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


def test_numbers_of_the_table_flows(spark: SparkSession, both: Both) -> None:
    paths = [both.path, *FILES]
    counted = _numbered(spark, paths)
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


def _numbered(spark: SparkSession, paths: list[Path]) -> list[list[int]]:
    """Per capture the frames at which streams begin, in the order of their numbers."""
    tables: dict[str, list[pa.Table]] = {CONVERSATIONS.name: [], SYNS.name: []}
    for file, path in enumerate(paths):
        found = scanned(path)
        for table in (CONVERSATIONS, SYNS):
            one = pa.Table.from_batches(found[table.name], table.arrow)
            place = table.names.index("file")
            ordinals = pa.array([file] * len(one), table.arrow.field(place).type)
            tables[table.name].append(one.set_column(place, table.arrow.field(place), ordinals))
    frames = {name: spark.createDataFrame(pa.concat_tables(parts).combine_chunks()) for name, parts in tables.items()}
    rows = stream_numbers(frames[CONVERSATIONS.name], frames[SYNS.name]).collect()
    begun: list[list[int]] = [[] for _ in paths]
    for row in sorted(rows, key=lambda row: (row.file, row.tcp_stream)):
        assert row.tcp_stream == len(begun[row.file])
        begun[row.file].append(row.frame)
    return begun
