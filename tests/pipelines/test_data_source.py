"""The data source `pcap` through Spark; its rows are tested in tests/ingest without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ingest
from tests.builders.conversations import write_pcap
from tests.pipelines.world import world

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def reader(spark: SparkSession) -> SparkSession:
    ingest.register(spark)
    return spark


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("captures") / "world.pcap"
    write_pcap(path, world())
    return path


def rows(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def test_split_file_gives_the_rows_of_a_whole_one(reader: SparkSession, capture: Path) -> None:
    columns = "frame_number", "ts_ns", "outcome", "src_h", "src_p", "dst_h", "dst_p", "seq", "payload"
    whole = reader.read.format("pcap").load(str(capture)).select(*columns)
    split = reader.read.format("pcap").option("splitBytes", 5_000).load(str(capture))
    assert split.rdd.getNumPartitions() > 5
    plain = [tuple(row) for row in whole.collect()]
    assert [row[0] for row in plain] == list(range(1, len(world()) + 1))
    assert [tuple(row) for row in split.select(*columns).collect()] == plain


def test_schema_or_option_leaves_out_the_payload(reader: SparkSession, capture: Path) -> None:
    assert "payload" not in reader.read.format("pcap").option("headersOnly", True).load(str(capture)).columns
    few = reader.read.format("pcap").schema("frame_number long, dst_p int").load(str(capture))
    assert few.columns == ["frame_number", "dst_p"]
    assert few.where("dst_p = 2103").count() > 0


def test_several_paths(reader: SparkSession, capture: Path, sample: Path) -> None:
    found = reader.read.format("pcap").load([str(capture), str(sample)]).select("path").distinct().collect()
    assert {row.path for row in found} == {str(capture), str(sample)}


@pytest.mark.parametrize(
    ("content", "message"), [(b"text", "not a pcap or pcapng file"), (None, "no such file or folder")]
)
def test_input_that_cannot_be_read_is_an_error_that_names_it(
    reader: SparkSession, tmp_path: Path, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "in").write_bytes(content)
    with pytest.raises(Exception, match=message) as caught:
        reader.read.format("pcap").load(str(tmp_path / "in")).count()
    assert str(tmp_path / "in") in str(caught.value)


def test_unknown_column_is_an_error_that_lists_the_known_ones(reader: SparkSession, capture: Path) -> None:
    with pytest.raises(Exception, match="no column colour; it has path, frame_number"):
        reader.read.format("pcap").schema("colour string").load(str(capture)).count()


@pytest.mark.parametrize(
    ("schema", "options", "message"),
    [
        ("seq int", {}, "the column seq of the data source pcap is bigint, not int"),
        ("seq long", {"splitBytes": "-5"}, "splitBytes of the data source pcap is a number above 0, not -5"),
    ],
)
def test_wrong_type_or_option_is_a_sentence(
    reader: SparkSession, capture: Path, schema: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(Exception, match=message):
        reader.read.format("pcap").schema(schema).options(**options).load(str(capture)).count()
