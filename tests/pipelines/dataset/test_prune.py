"""What is old goes, what is left stays true, and the dataset grows on."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyarrow import parquet

from ingest.choice import Choice, Scope
from ingest.files import expand
from pipelines.captures.inventory import take_stock
from pipelines.engine.local import LocalEngine
from pipelines.engine.spark import SparkEngine
from pipelines.quality import check_tables
from pipelines.rules.catalogue import SETTINGS
from pipelines.run.command import CommandResult, RunOrder, add_to_dataset, prune_dataset
from pipelines.run.job import Job
from pipelines.run.prune import prune
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.verifying import verify
from schemas.dates import date_of
from tests.builders import containers, msmq, rpc
from tests.builders.conversations import Ends, Talk
from tests.pipelines.dataset import growing
from tests.pipelines.dataset.crowd import crowd, cut
from tests.pipelines.moved import frames_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

Accusation = tuple[Any, ...]


def add(wanted: RunOrder, folder: Path, *captures: Path) -> object:
    with DatasetFolder(str(folder)) as output:
        done = add_to_dataset(wanted, take_stock(expand(map(str, captures))), output)
        if isinstance(done, CommandResult):
            assert done.good
            output.publish()
    return done


def accusations(folder: Path) -> set[Accusation]:
    rows = (
        row
        for file in (folder / "tables" / "findings").rglob("*.parquet")
        for row in parquet.ParquetFile(file).read().to_pylist()
    )
    return {(row["rule_id"], row["call_uid"], row["uid"]) for row in rows if row["verdict"] == "violation"}


def test_prune_and_grow_on(spark: SparkSession, tmp_path: Path) -> None:
    wanted = RunOrder(lambda: SparkEngine(spark), Scope.MSMQ, dict(SETTINGS))
    unchecked = replace(wanted, check=False)
    packets = crowd(5, 12)
    days = sorted({date_of(ts * 1000) for ts, _, _ in packets})
    before = dt.date.fromisoformat(days[1])
    split = next(place for place, (ts, _, _) in enumerate(packets) if date_of(ts * 1000) == days[1])
    parts = cut(packets, [split // 2, split + (len(packets) - split) // 2], tmp_path)
    for part in parts[:2]:
        add(unchecked, tmp_path / "data", part)
    told = accusations(tmp_path / "data")
    with DatasetFolder(str(tmp_path / "data")) as output:
        done = prune_dataset(wanted, output, before)
        assert done.good
        output.publish()
    dates = {path.name for path in (tmp_path / "data" / "tables").rglob("date=*")}
    assert dates
    assert min(dates) >= f"date={before}"
    assert accusations(tmp_path / "data") <= told
    add(unchecked, tmp_path / "data", parts[2])
    whole = tmp_path / "whole"
    add(unchecked, whole, *parts)
    assert accusations(tmp_path / "data") <= accusations(whole)
    assert min(path.name for path in (tmp_path / "data" / "tables").rglob("date=*")) >= f"date={before}"
    found = verify(str(tmp_path / "data"))
    assert found is not None
    assert (found.problems, found.runs) == ([], 4)
    assert check_tables(str(tmp_path / "data" / "tables"), pruned=True).success
    again = add(unchecked, tmp_path / "data", parts[0])
    assert not isinstance(again, CommandResult)
    assert len(again.known) == 1  # type: ignore[attr-defined]


def test_rows_from_the_date_on_stay(tmp_path: Path) -> None:
    """Also those of a connection whose facts are all older, and that is long over."""
    day, hour = 86_400_000_000, 3_600_000_000
    began = 1_790_000_000_000_000 // day * day
    talk = msmq.bound(Talk(Ends(50_100, server_port=49_664)), rpc.SAMR)
    bound = len(talk.packets)
    for call_id in range(2, 8):
        talk.say(rpc.request(call_id=call_id)).answer(rpc.response(call_id=call_id))
    frames = frames_of(talk.close().packets, talk.ends)
    later = msmq.bound(Talk(Ends(50_300, server_port=2103)), rpc.QM2QM)
    parts = {
        "a": (frames[:bound], day - hour),
        "b": (frames[bound:], day + hour),
        "c": (frames_of(later.packets, later.ends), 6 * day),
    }
    for name, (some, after) in parts.items():
        packets = [containers.Packet(one.captured, began + after + n, one.wire_len) for n, one in enumerate(some)]
        (tmp_path / f"{name}.pcap").write_bytes(containers.pcap(packets))
        growing.add(None, tmp_path / "data", [tmp_path / f"{name}.pcap"], Scope.RPC)
    before = {name: len(rows) for name, rows in growing.read(tmp_path / "data").items()}
    with DatasetFolder(str(tmp_path / "data")) as output:
        date = dt.date.fromisoformat(date_of((began + day) * 1_000))
        finished = prune(Job(LocalEngine(), Choice(Scope.RPC), output.staging), output.base, date)
        output.assemble(finished.written, finished.kept)
        output.seal({}, finished.written, finished.kept)
        output.publish()
    after_it = {name: len(rows) for name, rows in growing.read(tmp_path / "data").items()}
    assert (after_it["calls"], after_it["pdus"]) == (before["calls"], before["pdus"] - 2)
    assert check_tables(str(tmp_path / "data" / "tables"), pruned=True).success
