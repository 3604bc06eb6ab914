"""Which facts go is found out by tasks, as if every fact had been read; the driver reads none."""

from __future__ import annotations

import datetime as dt
import random
import shutil
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from ingest.choice import Choice, Scope
from pipelines.dataset.retention import RetainedFacts, remembered
from pipelines.engine.local import LocalEngine
from pipelines.run import prune as prune_module
from pipelines.run.job import Job
from pipelines.run.prune import prune
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.files import StoredFile
from pipelines.store.places import Places
from pipelines.store.removal import NotAmong
from pipelines.store.writing import write_rows
from schemas.dates import date_of
from schemas.internal import CONNECTIONS, FACTS
from tests.pipelines.dataset.crowd import crowd, cut
from tests.pipelines.dataset.driver_reads import WatchedEngine, watched
from tests.pipelines.dataset.growing import add, read

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.dataset.carried_state import CarriedState
    from pipelines.engine.model import Engine
    from tests.pipelines.dataset.crowd import Timed

BEGAN = 1_000
UIDS = [f"C{number:03d}" for number in range(200)]
DAY_US = 86_400_000_000
_READ = {"tables/accounting", "tables/endpoints"}


def facts(rng: random.Random) -> pa.Table:
    rows = []
    for _ in range(300):
        uid = rng.choice(UIDS)
        ends = random.Random(uid).sample(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"], 2)
        client, server = ends if rng.random() < 0.9 else reversed(ends)
        told = {"kind": "call", "ts_ns": rng.randrange(BEGAN + 150), "file": 0, "frame": 1, "place": 0, "data": b"{}"}
        rows.append({"server": server, "client": client, "uid": uid, **told})
    return pa.Table.from_pylist(rows, schema=FACTS.arrow)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_as_if_every_fact_had_been_read(tmp_path: Path, seed: int, parts: int) -> None:
    rng = random.Random(seed)
    places = Places(str(tmp_path))
    files = [
        StoredFile(str(tmp_path), one)
        for number in range(4)
        for one in write_rows(places.state(FACTS), facts(rng), part=f"{number:05d}")
    ]
    going_on = rng.sample(UIDS, 20)
    carried: Any = SimpleNamespace(
        files={FACTS.name: files}, table=lambda _: pa.table({"uid": pa.array(going_on, pa.string())})
    )
    rows = {file.place: parquet.ParquetFile(file.place).read() for file in files}
    told = [row for table in rows.values() for row in table.to_pylist()]
    stays = {row["uid"] for row in told if row["ts_ns"] >= BEGAN} | set(going_on)
    found = remembered(LocalEngine(parts), carried, BEGAN, places)
    assert found.forgotten == {(row["client"], row["server"]) for row in told if row["uid"] not in stays}
    assert found.servers == {row["server"] for row in told if row["uid"] not in stays}
    assert len(found.facts) == len(files)
    for file, keeps in found.facts:
        assert keeps is not None
        assert keeps(rows[file.place]).to_pylist() == [uid in stays for uid in rows[file.place]["uid"].to_pylist()]


def test_nothing_is_forgotten(tmp_path: Path) -> None:
    places = Places(str(tmp_path))
    (one,) = write_rows(places.state(FACTS), facts(random.Random(1)))
    carried: Any = SimpleNamespace(
        files={FACTS.name: [StoredFile(str(tmp_path), one)]},
        table=lambda _: pa.table({"uid": pa.array([], pa.string())}),
    )
    assert remembered(LocalEngine(), carried, 0, places).facts == [(StoredFile(str(tmp_path), one), None)]
    nothing: Any = SimpleNamespace(files={})
    assert remembered(LocalEngine(), nothing, BEGAN, places).facts == []


def plainly(_: Engine, carried: CarriedState, began_ns: int, __: Places) -> RetainedFacts:
    """By one that reads every fact."""
    files = carried.files[FACTS.name]
    rows = [row for file in files for row in parquet.ParquetFile(file.place).read().to_pylist()]
    stays = {row["uid"] for row in rows if row["ts_ns"] >= began_ns}
    stays |= set(carried.table(CONNECTIONS).column("uid").to_pylist())
    gone = frozenset(row["uid"] for row in rows) - stays
    pairs = frozenset((row["client"], row["server"]) for row in rows if row["uid"] in gone)
    return RetainedFacts([(file, NotAmong("uid", gone)) for file in files], pairs, began_ns)


def stored_facts(folder: Path) -> list[str]:
    files = (folder / "state" / "facts").iterdir()
    return sorted(str(row) for file in files for row in parquet.ParquetFile(file).read().to_pylist())


def two_weeks() -> list[Timed]:
    found = [(ts + week * 7 * DAY_US, data, wire) for week in (0, 1) for ts, data, wire in crowd(5 + week, 6)]
    return sorted(found)


def pruned(folder: Path, engine: Engine, before: str) -> dict[str, list[str]]:
    with DatasetFolder(str(folder)) as output:
        job = Job(engine, Choice(Scope.MSMQ), output.staging)
        finished = prune(job, output.base, dt.date.fromisoformat(before))
        output.assemble(finished.written, finished.kept)
        output.seal({"pruned_before": before}, finished.written, finished.kept)
        output.publish()
    return read(folder)


def test_the_driver_reads_no_facts_and_no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a dataset is pruned, and when something is added to it.

    Except for the accounts of a date, and for what resolvers of objects announced, of which it keeps a bounded sum.
    """
    packets = two_weeks()
    middle = next(place for place, (ts, _, _) in enumerate(packets) if ts > packets[0][0] + 5 * DAY_US)
    captures = cut(packets, [middle // 2, middle, len(packets) - 40], tmp_path)
    data = tmp_path / "data"
    for capture in captures[:3]:
        add(None, data, [capture])
    reads = watched(data, monkeypatch)
    add(WatchedEngine(reads), data, captures[3:])
    assert {"state/facts", "tables/reads", "tables/calls"} <= reads.tasks
    assert {place for place in reads.driver if place.startswith("tables/")} <= _READ
    assert "state/facts" not in reads.driver
    reads.driver.clear()
    reads.tasks.clear()
    shutil.copytree(data, tmp_path / "copy")
    before = date_of((packets[0][0] + 5 * DAY_US) * 1_000)
    rows = pruned(data, WatchedEngine(reads), before)
    assert {"state/facts", "tables/reads", "tables/sessions"} <= reads.tasks
    assert {place for place in reads.driver if place.startswith("tables/") or place == "state/facts"} <= _READ
    assert len(rows["calls"]) > 0
    monkeypatch.setattr(prune_module, "remembered", plainly)
    assert pruned(tmp_path / "copy", LocalEngine(), before) == rows
    assert stored_facts(tmp_path / "copy") == stored_facts(data)
    assert any("before " in fact for fact in stored_facts(data))
