"""Everything real: Airflow, spark-submit, mqtrail. Takes a minute, so all of it in one test."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from pyarrow import dataset

from tests.airflow.place import LONG_AGO, Place
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.airflow.conftest import Airflow

BIN = ROOT / ".venv" / "bin"


def state_of(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(file.relative_to(folder)): (file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_captures_arrive_and_are_published(tmp_path: Path, airflow: Airflow, sample: Path) -> None:
    place = Place(tmp_path, airflow)
    place.params["bin"] = str(BIN)
    shutil.copy(sample, place.landing / "sample $(id).pcap")
    (place.landing / "cut.pcap").write_bytes(sample.read_bytes()[:-7])
    for file in place.landing.iterdir():
        os.utime(file, (LONG_AGO, LONG_AGO))

    little: dict[str, Any] = {"driver_memory": "1g", "spark_conf": {"spark.sql.shuffle.partitions": "4"}}
    ran = place.nightly(notify_level="high", **little)
    assert ran.state == "success", ran.log[-5000:]
    assert ran.states["verify[0]"] == "failed", "the cut one comes first"
    others = {task: tried for task, tried in ran.tries.items() if task != "verify[0]"}
    assert set(others.values()) == {("success", 1)}, others
    assert {"verify[1]", "analyze", "quality_gate", "publish", "notify"} < others.keys()
    assert f"Spark-Submit cmd: {BIN}/spark-submit --master local[*] " in ran.log
    digest = hashlib.sha256(sample.read_bytes()).hexdigest()
    manifest = json.loads((place.dataset / "run.json").read_text())
    assert [one["sha256"] for one in manifest["inputs"]] == [digest]
    assert manifest["new_findings"]["high"] > 0
    calls = dataset.dataset(place.dataset / "tables" / "calls", format="parquet", partitioning="hive")
    assert calls.count_rows() == 46
    verified = subprocess.run([BIN / "mqtrail", "verify", place.dataset], capture_output=True, text=True, check=False)
    assert verified.returncode == 0, verified.stderr
    (event,) = ran.events
    assert event[1]["new_findings"] == manifest["new_findings"]

    before = state_of(place.dataset)
    ran = place.nightly()
    assert (ran.state, set(ran.states.values())) == ("success", {"skipped"})
    assert state_of(place.dataset) == before

    place.land("late.pcap", number=86_400, at=dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC).timestamp())
    ran = place.backfill("2026-01-30", "2026-02-01", **little)
    assert ran.state == "success", ran.log[-5000:]
    assert ran.states["load[0]"] == "success"
    captures = dataset.dataset(place.dataset / "tables" / "captures", format="parquet", partitioning="hive")
    late = hashlib.sha256((place.landing / "late.pcap").read_bytes()).hexdigest()
    assert set(captures.to_table(columns=["capture_id"]).column(0).to_pylist()) == {digest, late}
    assert set(place.nightly().states.values()) == {"skipped"}, "what the backfill loaded is known to the nightly run"
