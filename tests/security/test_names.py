"""Nothing from a capture, from its name or from a foreign manifest leads out of the output folder."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from pipelines.store.manifest import ManifestDamaged, read_manifest
from pipelines.store.places import Place
from pipelines.store.writing import write_rows
from schemas.tables import FLOWS, WRITTEN
from tests.builders import msmq, rpc
from tests.builders.conversations import Ends, Talk, write_pcap
from tests.pipelines.dataset.growing import add
from tests.pipelines.moved import frames_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PART = re.compile(r"r\d{6}-(part|again)-[\d-]+\.parquet")
DATE = re.compile(r"date=(\d{4}-\d\d-\d\d|__HIVE_DEFAULT_PARTITION__)")
HOSTILE = "..%2f..\x1b[2J; rm -rf $(pwd) <script>.pcap"


def test_files_are_named_by_tables_dates_and_numbers(spark: SparkSession, tmp_path: Path) -> None:
    talk = msmq.bound(Talk(Ends(50_001, server_port=2105)), rpc.QM2QM)
    msmq.receive(talk, b"../../../etc/passwd\0<script>alert(1)</script>", 2)
    (tmp_path / "in").mkdir()
    capture = tmp_path / "in" / HOSTILE
    write_pcap(capture, frames_of(talk.packets, talk.ends))
    add(spark, tmp_path / "data", [capture])
    tables = {table.name for table in WRITTEN}
    for file in (tmp_path / "data" / "tables").rglob("*"):
        parts = file.relative_to(tmp_path / "data" / "tables").parts
        assert parts[0] in tables
        assert all(DATE.fullmatch(part) for part in parts[1:2] if file.is_dir() or len(parts) == 3)
        assert file.is_dir() or PART.fullmatch(parts[-1])
    assert {entry.name for entry in tmp_path.iterdir()} == {"in", "data"}


@pytest.mark.parametrize("ts_ns", [-(1 << 62), 0, (1 << 63) - 1])
def test_dates_come_from_numbers_however_far_off(tmp_path: Path, ts_ns: int) -> None:
    row = {"first_ts": ts_ns // 1000, "first_ts_ns": ts_ns}
    place = Place(str(tmp_path), "tables/flows", "flows", "first_ts")
    (written,) = write_rows(place, pa.Table.from_pylist([row], schema=FLOWS.arrow))
    assert DATE.fullmatch(written.path.split("/")[2])


@pytest.mark.parametrize(
    "path", ["../outside.parquet", "tables/../../outside.parquet", "/etc/passwd", "tables/calls/x.sh", "tables", None]
)
def test_manifest_that_leads_out_of_its_folder_is_refused(tmp_path: Path, path: str | None) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"outputs": [{"path": path, "bytes": 1, "sha256": ""}]}))
    with pytest.raises(ManifestDamaged, match="no run writes"):
        read_manifest(str(tmp_path))
