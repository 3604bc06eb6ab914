"""Which servers a run touches, found out by tasks: as if the driver had read every fact."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipelines.dataset.mentions import Mentions, mentions_exchange
from pipelines.engine.local import LocalEngine
from pipelines.store.files import StoredFile
from pipelines.store.places import Places
from pipelines.store.writing import write_rows
from schemas.internal import FACTS

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = [f"10.0.0.{number}" for number in range(12)]
UIDS = [f"C{number:03d}" for number in range(300)]
FACTS_OF_A_FILE = 4_000


def facts(rng: random.Random) -> pa.Table:
    """Each connection has two hosts, and most facts one server."""
    rows: list[dict[str, Any]] = []
    for _ in range(FACTS_OF_A_FILE):
        uid = rng.choice(UIDS)
        ends = random.Random(uid).sample(HOSTS, 2)
        client, server = ends if rng.random() < 0.95 else reversed(ends)
        place = {"kind": "call", "ts_ns": 1, "file": 0, "frame": 1, "place": 0, "data": "{}"}
        rows.append({"server": server, "client": client, "uid": uid, **place})
    return pa.Table.from_pylist(rows, schema=FACTS.arrow)


def earlier(files: list[StoredFile], uids: list[str]) -> Any:  # noqa: ANN401 - what an Earlier has of it
    batch = pa.RecordBatch.from_arrays([pa.array(uids, pa.string())], names=["uid"])
    return SimpleNamespace(carried=SimpleNamespace(files={FACTS.name: files}), connections=lambda _: iter([batch]))


def touched_servers(files: list[StoredFile], replaced: frozenset[str], hosts: frozenset[str]) -> frozenset[str]:
    """Servers with facts of connections that are void, or of hosts whose version changed: every fact is read."""
    rows = [row for file in files for row in parquet.ParquetFile(file.place).read().to_pylist()]
    return frozenset(row["server"] for row in rows if row["uid"] in replaced or hosts & {row["server"], row["client"]})


@pytest.mark.parametrize("seed", range(5))
def test_as_if_every_fact_had_been_read(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    place = Places(str(tmp_path)).state(FACTS)
    files = [StoredFile(str(tmp_path), one) for n in range(3) for one in write_rows(place, facts(rng), part=f"{n:05d}")]
    carried = rng.sample(UIDS, 40)
    found = Mentions.together(LocalEngine().run(mentions_exchange(earlier(files, carried))))
    for _ in range(20):
        replaced = frozenset(rng.sample(carried, rng.randint(0, 3)))
        hosts = frozenset(rng.sample([*HOSTS, "10.9.9.9"], rng.randint(0, 2)))
        assert found.touched(replaced, hosts) == touched_servers(files, replaced, hosts)
    assert len(found.hosts) <= len(HOSTS) ** 2
    assert len(found.connections) <= 2 * len(carried)


def test_nothing_was_there_before() -> None:
    assert LocalEngine().run(mentions_exchange(earlier([], []))) == []
    assert Mentions.together([]).touched({"C1"}, {"10.0.0.1"}) == frozenset()
