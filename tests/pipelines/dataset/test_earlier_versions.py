"""Datasets that earlier versions wrote grow as if this version had written them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from msgspec import msgpack
from pyarrow import parquet

from pipelines.calls import call_facts
from pipelines.exports.jsonl import json_lines
from pipelines.facts import stored_form
from pipelines.report.building import report_of
from pipelines.store.alignment import aligned
from pipelines.store.manifest import FORMAT, read_manifest
from schemas.tables import WRITTEN
from tests.conftest import ROOT
from tests.pipelines.dataset.growing import add
from tests.pipelines.dataset.test_equals_one_run import differences
from tests.pipelines.facts.newer import with_shade

if TYPE_CHECKING:
    from tests.pipelines.dataset.growing import Tables

ARCHIVES = sorted((ROOT / "tests" / "data" / "datasets").glob("*.tar.xz"))
Schemas = dict[str, pa.Schema]
NEWER = {
    "tables/calls": ("rtt_us", "id.orig_p"),
    "tables/flows": ("community_id",),
    "tables/epm_ept_map": ("towers.element.port", "request.map_tower.tower_length"),
    "tables/findings": ("title", "evidence.values"),
    "tables/message_sightings": ("label",),
    "tables/messages": ("label",),
    "tables/sessions": ("naming_doubt",),
    "state/captures": ("path",),
    "state/queue_notes": ("naming_doubt",),
}
"""Columns and members that a dataset is made to lack, as if they had been added since."""


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"), scope="module")
def archive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpacked."""
    folder = tmp_path_factory.mktemp("earlier")
    with tarfile.open(request.param) as packed:
        packed.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def whole(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of this version over all captures."""
    folder = tmp_path_factory.mktemp("whole") / "data"
    add(None, folder, sorted((archive / "captures").iterdir()))
    return folder


def copy_of(dataset: Path, to: Path, lacking: dict[str, tuple[str, ...]]) -> Path:
    for file in dataset.rglob("*.*"):
        if file.is_dir():
            continue
        place = to / file.relative_to(dataset)
        place.parent.mkdir(parents=True, exist_ok=True)
        paths = next((paths for below, paths in lacking.items() if below in file.parent.as_posix()), ())
        if not paths:
            place.write_bytes(file.read_bytes())
            continue
        rows = parquet.ParquetFile(file).read()
        schema = rows.schema
        for path in paths:
            schema = pa.schema(_without(list(schema), path.split(".")))
        batches = [aligned(batch, schema) for batch in rows.to_batches()]
        parquet.write_table(pa.Table.from_batches(batches, schema), place)
    return to


def _without(members: list[pa.Field], path: list[str]) -> list[pa.Field]:
    head, *rest = path
    assert head in [one.name for one in members]
    if not rest:
        return [one for one in members if one.name != head]
    return [one.with_type(_type_without(one.type, rest)) if one.name == head else one for one in members]


def _type_without(kind: pa.DataType, path: list[str]) -> pa.DataType:
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_type_without(kind.value_type, path[1:])))
    return pa.struct(_without(list(kind), path))


def schemas(dataset: Path) -> Schemas:
    """Of its tables, as they were written."""
    return {
        folder.name: parquet.read_schema(next(folder.rglob("*.parquet")))
        for folder in sorted((dataset / "tables").iterdir())
    }


def read(dataset: Path, then: Schemas) -> Tables:
    """Its rows as the earlier version had them: of what was added since, older rows know nothing."""
    return {
        name: sorted(
            str(_placed(row))
            for file in sorted((dataset / "tables" / name).rglob("*.parquet"))
            for batch in parquet.ParquetFile(file).read().to_batches()
            for row in aligned(batch, schema).to_pylist()
        )
        for name, schema in then.items()
    }


def _placed(row: dict[str, Any]) -> dict[str, Any]:
    """Captures lay elsewhere then."""
    return row | {"path": Path(row["path"]).name} if row.get("path") else row


@pytest.mark.parametrize("lacking", [{}, NEWER], ids=["as it is", "before columns and a field of facts were added"])
def test_it_grows_as_if_this_version_had_written_it(
    lacking: dict[str, tuple[str, ...]],
    archive: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the quality gate. A value that this version decodes otherwise, on purpose, has to be left aside here."""
    data = copy_of(archive / "dataset", tmp_path / "data", lacking)
    then = schemas(data)
    assert (read_manifest(str(data)) or {})["format"] <= FORMAT
    if lacking:
        add_a_field(monkeypatch)
    assert add(None, data, [archive / "captures" / "2.pcap"])
    assert differences(read(whole, then), read(data, then)) == []
    assert (read_manifest(str(data)) or {})["format"] == FORMAT
    # Facts of then stay as they were stored, beside those of now.
    assert forms(data) == {*forms(archive / "dataset"), "third"}
    # Files of two ages lie side by side, and are read together.
    assert not lacking or {"rtt_us" in names for names in columns_of_calls(data)} == {True, False}
    for table in WRITTEN:
        rows = [json.loads(line) for line in json_lines(str(data), table)]
        assert all(row.keys() == set(table.names) for row in rows)
    assert any(section.rows for section in report_of(str(data), read_manifest(str(data)) or {}).sections)


def add_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the facts of calls that are made and stored from now on."""
    newer = with_shade()
    monkeypatch.setitem(stored_form._CLASSES, "call", newer)
    monkeypatch.setitem(stored_form._OPEN, "call", msgpack.Decoder(newer).decode)
    monkeypatch.setattr(call_facts, "CallFact", newer)


def forms(data: Path) -> set[str]:
    """By how they begin: the two older ones are JSON."""
    facts = [parquet.ParquetFile(file).read() for file in (data / "state" / "facts").rglob("*.parquet")]
    starts = {bytes(one)[:1] for table in facts for one in table.column("data").cast("binary").to_pylist()}
    return {{b"[": "first", b"{": "second"}.get(start, "third") for start in starts}


def columns_of_calls(data: Path) -> list[list[str]]:
    return [parquet.read_schema(file).names for file in (data / "tables" / "calls").rglob("*.parquet")]
