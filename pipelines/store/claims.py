"""Whether what a manifest tells of a run is so: rows, tables, captures. The hashes of its files do not prove these."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyarrow import parquet

from ingest.files import exists, join, open_input
from pipelines.store.manifest import MANIFEST
from pipelines.store.tables import Tables
from pipelines.store.version import VERSION
from schemas.tables import CAPTURES, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.store.manifest import Json

_CAPTURE: Final = {"path": "path", "sha256": "capture_id", "bytes": "bytes", "state": "state"}
"""What the manifest tells of an input, and the column that tells the same."""


def false_claims(folder: str, manifest: Json) -> Iterator[str]:
    yield from _rows_of_files(folder, manifest)
    if "rows" in manifest:
        yield from _rows_of_tables(join(folder, MANIFEST), manifest)
        yield from _captures(folder, manifest)


def _rows_of_files(folder: str, manifest: Json) -> Iterator[str]:
    for entry in manifest["outputs"]:
        path = join(folder, entry["path"])
        if not path.endswith(".parquet") or not exists(path):
            continue
        try:
            rows = parquet.read_metadata(open_input(path)).num_rows
        except (OSError, pa.ArrowInvalid):
            yield f"{path}: cannot be read as Parquet"
            continue
        if rows != entry["rows"]:
            yield f"{path}: has {rows} rows; run.json says {entry['rows']}"
        if entry["path"].startswith("tables/") and entry["path"].split("/")[1] != entry["table"]:
            yield f"{path}: run.json says that it belongs to table {entry['table']}"


def _rows_of_tables(shown: str, manifest: Json) -> Iterator[str]:
    there: Counter[str] = Counter()
    for entry in manifest["outputs"]:
        if entry["path"].startswith("tables/"):
            there[entry["table"]] += entry["rows"] or 0
    claimed = manifest["rows"]
    for table in sorted({*there, *claimed}):
        if there[table] != claimed.get(table, 0):
            yield f"{shown}: says that table {table} has {claimed.get(table, 0)} rows; its files have {there[table]}"
    # Which tables a run writes is known of this version only.
    expected = [table.name for table in WRITTEN if not table.only_with_rows] if manifest["version"] == VERSION else []
    for table in expected:
        if table not in claimed:
            yield f"{shown}: does not name table {table}, which every run writes"


def _captures(folder: str, manifest: Json) -> Iterator[str]:
    """A run's inputs are its captures; a dataset has those of other nights too."""
    if "inputs" not in manifest:
        return
    try:
        read = {
            tuple(row[column] for column in _CAPTURE.values())
            for row in Tables(folder).rows(CAPTURES.name, list(_CAPTURE.values()))
        }
    except (OSError, pa.ArrowInvalid):
        return  # told of the file
    told = {tuple(entry.get(name) for name in _CAPTURE) for entry in manifest["inputs"]}
    for path, *_ in sorted(told - read, key=str):
        yield f"{join(folder, MANIFEST)}: names the capture {path} otherwise than table captures"
    if "run" not in manifest:
        for path, *_ in sorted(read - told, key=str):
            yield f"{join(folder, MANIFEST)}: does not name the capture {path} as table captures does"
