"""The product's own passes over a capture, in one process and without Spark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.measure import Work
from decoders.net.bulk import dissect_many
from ingest.captures import open_capture
from ingest.scan import scan_split
from ingest.segments import segment_batches
from ingest.splits import SPLIT_BYTES, SplitReader, exact, first_frames, plan, walk
from schemas.internal import CONVERSATIONS, SPLIT_REPORTS

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from bench.measure import Inputs
    from decoders.net.model import Column
    from ingest.splits import Split


def true_splits(path: str, split_bytes: int = SPLIT_BYTES) -> list[Split]:
    """With their true beginnings, as the second pass gets them."""
    splits = plan(open_capture(path), 0, split_bytes)
    reports = exact(splits, [walk(split) for split in splits])
    return [replace(split, start=report.start) for split, report in zip(splits, reports, strict=True)]


def record_boundaries(inputs: Inputs) -> Callable[[], Work]:
    splits, size = plan(open_capture(inputs.path), 0), Path(inputs.path).stat().st_size
    return lambda: Work(sum(walk(split).packets for split in splits), size)


def headers(inputs: Inputs) -> Callable[[], Work]:
    """Without reading and walking: the records are at hand."""
    size = Path(inputs.path).stat().st_size
    held = [records for split in true_splits(inputs.path) for records in SplitReader(split)]

    def run() -> Work:
        packets = 0
        for records in held:
            link_type = records.interfaces[0].link_type
            found = dissect_many(records.buffer, records.data_offset, records.captured_len, records.wire_len, link_type)
            packets += len(found.outcome)
        return Work(packets, size)

    return run


def scan(inputs: Inputs) -> Callable[[], Work]:
    splits, size = plan(open_capture(inputs.path), 0), Path(inputs.path).stat().st_size

    def run() -> Work:
        reports = scan_tables(splits)[SPLIT_REPORTS.name]
        return Work(sum(sum(report.column("packets").to_pylist()) for report in reports), size)

    return run


def scan_tables(splits: list[Split]) -> dict[str, list[pa.RecordBatch]]:
    tables: dict[str, list[pa.RecordBatch]] = {}
    for split in splits:
        for table, batch in scan_split(split):
            tables.setdefault(table.name, []).append(batch)
    return tables


def conversations_of_interest(splits: list[Split]) -> Column:
    """Sorted keys, as the second pass wants them."""
    keys = [
        batch.column("key").to_numpy()[
            batch.column("may_be_rpc").to_numpy(zero_copy_only=False)
            | batch.column("well_known_port").to_numpy(zero_copy_only=False)
        ]
        for batch in scan_tables(splits).get(CONVERSATIONS.name, [])
    ]
    return np.unique(np.concatenate([*keys, np.zeros(0, np.int64)]))


def segments(inputs: Inputs) -> Callable[[], Work]:
    splits, size = true_splits(inputs.path), Path(inputs.path).stat().st_size
    wanted, reports = conversations_of_interest(splits), [walk(split) for split in splits]

    def run() -> Work:
        for split, frame in zip(splits, first_frames(reports), strict=True):
            for _batch in segment_batches(split, 0, frame, wanted):
                pass
        return Work(sum(report.packets for report in reports), size)

    return run
