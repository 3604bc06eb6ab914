"""A run is four Spark jobs, however much the captures hold; each further round of learning is one more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.store.merging import FEW_FILES
from tests.builders import containers, msmq, rpc
from tests.builders.conversations import Ends, Talk, write_pcap
from tests.conftest import ROOT
from tests.pipelines.dataset.crowd import crowd, cut
from tests.pipelines.dataset.growing import add
from tests.pipelines.hollow import accused, asked, beside, is_accused, together, without_payload
from tests.pipelines.moved import frames_of, moved
from tests.pipelines.running import run
from tests.scripts.player import write

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

JOBS = 4


def jobs(spark: SparkSession) -> int:
    """So far."""
    return int(spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def sample(_: Path) -> list[Path]:
    return [ROOT / "samples" / "msmq-loopback.pcap"]


def sealed(_: Path) -> list[Path]:
    return [ROOT / "samples" / "incident" / "orders.pcap"]


def fragments_of_two_captures(folder: Path) -> list[Path]:
    packets = crowd(3, 12)
    return cut(packets, [len(packets) // 2], folder)


def many_small_captures(folder: Path) -> list[Path]:
    packets = crowd(4, 8)
    return cut(packets, list(range(5, len(packets), len(packets) // 12)), folder)


@pytest.mark.parametrize("captures", [sample, sealed, fragments_of_two_captures, many_small_captures])
def test_four(spark: SparkSession, tmp_path: Path, captures: object) -> None:
    paths = captures(tmp_path)  # type: ignore[operator]
    before = jobs(spark)
    run(spark, paths, tmp_path / "out")
    assert jobs(spark) - before == JOBS


def test_small_files_of_many_parts_are_merged_in_the_last_of_them(spark: SparkSession, tmp_path: Path) -> None:
    paths = fragments_of_two_captures(tmp_path)
    before = jobs(spark)
    run(spark, paths, tmp_path / "out", parts=FEW_FILES + 4)
    assert jobs(spark) - before == JOBS
    calls = list((tmp_path / "out" / "tables" / "calls").iterdir())
    assert any("merged" in file.name for file in calls)
    assert len(calls) <= FEW_FILES


def test_where_there_is_nothing_the_scan_is_all(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "empty.pcap").write_bytes(containers.pcap([]))
    before = jobs(spark)
    run(spark, [tmp_path / "empty.pcap"], tmp_path / "out")
    assert jobs(spark) - before == 1


def test_one_more_for_a_round_of_learning(spark: SparkSession, tmp_path: Path) -> None:
    mapper = msmq.bound(Talk(Ends(50_020, server_port=135)), rpc.EPM)
    msmq.map_endpoint(mapper, rpc.QM2QM, 49_664, "0.0.0.0", 2)
    frames = [
        *frames_of(moved(50_001, 49_664), Ends(50_001, server_port=49_664)),
        *frames_of(mapper.packets, mapper.ends),
    ]
    write_pcap(tmp_path / "moved.pcap", frames)
    before = jobs(spark)
    tables = run(spark, [tmp_path / "moved.pcap"], tmp_path / "out")
    assert len(tables["flows"]) == 2
    assert jobs(spark) - before == JOBS + 1


def test_one_more_where_bytes_passed_unseen(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "unseen.pcap", together(accused(), beside(without_payload(asked().packets))))
    before = jobs(spark)
    assert not is_accused(run(spark, [tmp_path / "unseen.pcap"], tmp_path / "out"))
    assert jobs(spark) - before == JOBS + 1


def test_a_night_of_a_dataset_is_no_more(spark: SparkSession, tmp_path: Path) -> None:
    packets = crowd(5, 8)
    first, second = cut(packets, [len(packets) // 2], tmp_path)
    add(None, tmp_path / "data", [first])
    before = jobs(spark)
    add(spark, tmp_path / "data", [second])
    hashing = 1
    assert jobs(spark) - before <= JOBS + hashing + 1
