"""Folders of runs, made without Spark: from scripts of calls, or from rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import parquet

from pipelines.messages.merging import ORDER, merged
from pipelines.store.manifest import FORMAT
from pipelines.store.version import VERSION
from schemas.tables import WRITTEN
from schemas.tables.messages import SEEN
from tests.builders import containers
from tests.local import Local
from tests.scripts.player import play

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from decoders.security.accounts import Secret

Row = dict[str, Any]
SCHEMAS: Final = {table.name: table.arrow for table in WRITTEN}
APART_US: Final = 25 * 3_600_000_000
MANIFEST: Final[Row] = {
    "tool": "mqtrail",
    "version": VERSION,
    "format": FORMAT,
    "case": None,
    "parameters": {"scope": "msmq", "keep_payload": False, "thresholds": {"bulk_messages": 100}},
    "outputs": [],
}


def run_of_scripts(folder: Path, *scripts: str, case: str | None = None) -> Path:
    """Each script is a capture of its own, so long after the one before that no connection goes on."""
    (folder / "captures").mkdir(parents=True)
    paths = []
    for number, script in enumerate(scripts):
        path = folder / "captures" / f"{number:02d}.pcap"
        packets = [
            containers.Packet(one.frame.captured, one.ts_us + number * APART_US, one.frame.wire_len)
            for one in play(script)
        ]
        path.write_bytes(containers.pcap(packets))
        paths.append(path)
    return run_of_captures(folder / "run", *paths, case=case)


def run_of_captures(folder: Path, *paths: Path, case: str | None = None, accounts: Sequence[Secret] = ()) -> Path:
    local = Local(*paths, accounts=accounts)
    tables = {**{name: rows for name, rows in local.tables.items() if name in SCHEMAS}, **local.judged()}
    tables["messages"] = _messages(tables)
    tables["captures"] = [_capture(path, tables["flows"]) for path in paths]
    tables["accounting"] = [
        {"capture_id": paths[0].name, "stage": stage, "counter": counter, "value": value}
        for (stage, counter), value in local.counts.items()
    ]
    return run_of_rows(folder, tables, case=case)


def run_of_rows(
    folder: Path,
    tables: Mapping[str, Sequence[Row] | pa.Table],
    *,
    case: str | None = None,
    parts: int = 1,
) -> Path:
    """`parts`: files over which the rows of each table are spread."""
    for name, rows in tables.items():
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows), schema=SCHEMAS[name])
        (folder / "tables" / name).mkdir(parents=True)
        for part in range(parts):
            parquet.write_table(
                table.slice(part * len(table) // parts, (part + 1) * len(table) // parts - part * len(table) // parts),
                folder / "tables" / name / f"part-{part:05d}.parquet",
            )
    (folder / "run.json").write_text(json.dumps(MANIFEST | {"case": case}))
    return folder


def _messages(tables: Mapping[str, list[Row]]) -> list[Row]:
    sighted = [_seen(row) for row in tables.get("message_sightings", ())]
    moved = [
        _seen(row) | {"operation": "R_MoveMessage", "seen_as": "moved"} for row in tables["moves"] if row["message_uid"]
    ]
    # What sessions make of a sighting.
    told = [
        _seen(row | {"call_uid": row.get("start_call_uid") or row.get("call_uid")}) | {"seen_as": None}
        for row in (*tables["reads"], *tables["sends"])
        if row["message_uid"]
    ]
    rows: list[Any] = [*sighted, *moved, *told]
    return list(map(dict, merged(sorted(rows, key=lambda row: tuple(row[name] or 0 for name in ORDER)))))


def _seen(row: Row) -> Row:
    ends = {side: row["id"][side] for side in ("orig_h", "resp_h")}
    return {name: row.get(name) for name in SEEN.names} | ends


def _capture(path: Path, flows: list[Row]) -> Row:
    own = [row for row in flows if row["capture_id"] == path.name]
    return {
        "capture_id": path.name,
        "path": str(path),
        "format": "pcap",
        "compression": "none",
        "bytes": path.stat().st_size,
        "packets": sum(row["orig_pkts"] + row["resp_pkts"] for row in own),
        "first_ts": min((row["first_ts"] for row in own), default=None),
        "last_ts": max((row["last_ts"] for row in own), default=None),
        "link_types": [1],
        "duplicate_of": None,
        "state": "complete",
    }
