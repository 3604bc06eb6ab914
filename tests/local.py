"""Captures to tables in this process: the stages of a run without Spark, for tests that need thousands of runs.

No splits, no rounds of learning: one look at every capture, in the order given.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ingest.captures import UnreadableCapture, open_capture
from ingest.choice import Choice
from ingest.clock import JITTER_NS
from ingest.scan import scan_split
from ingest.segments import segment_batches
from ingest.splits import plan
from pipelines.facts.versions import known_versions
from pipelines.judging import ORDER, judged
from pipelines.rules.catalogue import SETTINGS
from pipelines.stages.streams import decoded, segment_rows
from pipelines.streams import Assembler
from pipelines.summaries import overall
from schemas.internal import CONVERSATIONS, FACTS, SPLIT_REPORTS
from schemas.parcels import PARCELS, opened
from schemas.state import SUMMARIES
from schemas.tables import JUDGED, OVERALL, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from decoders.security.accounts import Secret
    from ingest.splits import Split

Row = dict[str, Any]
_SCHEMAS = {table.name: table.arrow for table in (*WRITTEN, FACTS)}
_LARGE = 1 << 40
"""Split size: one split a capture."""


class Local:
    """What came out. `tables` has an entry for every table of the streams and for each typed table with rows."""

    def __init__(
        self,
        *paths: Path,
        choice: Choice | None = None,
        keep_payload: bool = False,
        accounts: Sequence[Secret] = (),
    ) -> None:
        streamed = "flows", "asides", "announced", "versions", "issues", "pdus", "principals", "calls", "facts"
        self.tables: dict[str, list[Row]] = {name: [] for name in streamed}
        self.refused: list[UnreadableCapture] = []
        splits = []
        for file, path in enumerate(paths):
            try:
                splits += plan(open_capture(str(path)), file, _LARGE)
            except UnreadableCapture as error:
                self.refused.append(error)
        segments, untidy = _segments(splits)
        names = [path.name for path in paths]
        assembler = Assembler(choice or Choice(), names, names, untidy, accounts)
        for batch in decoded(assembler, segment_rows(_sorted(segments)), keep_payload=keep_payload):
            self._unwrap(batch)
        self.counts: Counter[tuple[str, str]] = Counter()
        for row in (*self.tables["flows"], *self.tables["asides"]):
            for one in row["counts"]:
                self.counts[one["stage"], one["counter"]] += one["value"]
        self.counts["decoding", "in"] = self.counts["calls", "in"]
        for table, stage, column in (
            ("pdus", "pdus", "fate"),
            ("calls", "calls", "outcome"),
            ("calls", "decoding", "decode_state"),
        ):
            self.counts.update((stage, row[column]) for row in self.tables[table])

    def judged(self, settings: Mapping[str, int] = SETTINGS) -> dict[str, list[Row]]:
        """Rows of sessions, reads, findings and verdicts, as their tables would have them."""
        facts = sorted(self.tables["facts"], key=lambda row: tuple(row[name] for name in ORDER))
        found: dict[str, list[Row]] = {table.name: [] for table in (*JUDGED, *SUMMARIES)}
        for name, row in judged(facts, known_versions(self.tables["versions"]), settings):
            found[name].append(row)
        found |= {table.name: rows for table, rows in overall(found)}
        return {
            table.name: pa.Table.from_pylist(found[table.name], schema=table.arrow).to_pylist()
            for table in (*JUDGED, *OVERALL)
        }

    def imbalances(self) -> list[str]:
        """Stages of the streams whose parts do not sum to what came in."""
        found = []
        for stage in ("payload_bytes", "stream_bytes", "pdus", "calls", "decoding"):
            parts = sum(value for (of, counter), value in self.counts.items() if of == stage and counter != "in")
            if parts != self.counts[stage, "in"]:
                found.append(f"{stage}: {self.counts[stage, 'in']} came in, {parts} are accounted for")
        return found

    def _unwrap(self, batch: pa.RecordBatch) -> None:
        for name in batch.schema.names:
            column = batch.column(name)
            if column.null_count == len(column):
                continue
            if name != PARCELS.name:
                self.tables[name] += column.to_pylist()
                continue
            for table, data in zip(column.field("table").to_pylist(), column.field("data").to_pylist(), strict=True):
                rows = self.tables.setdefault(table, [])
                for inner in opened([data], _SCHEMAS[table]):
                    rows += inner.to_pylist()


def _segments(splits: list[Split]) -> tuple[list[pa.RecordBatch], frozenset[int]]:
    """Of conversations that some file makes promising: the others may hold only their handshake. And untidy files."""
    wanted: set[int] = set()
    untidy: set[int] = set()
    for split in splits:
        for table, batch in scan_split(split):
            if table is CONVERSATIONS:
                wanted.update(row["key"] for row in batch.to_pylist() if row["may_be_rpc"] or row["well_known_port"])
            elif table is SPLIT_REPORTS:
                untidy.update(row["file"] for row in batch.to_pylist() if row["back_ns"] > JITTER_NS)
    keys = np.array(sorted(wanted), np.int64)
    found = [batch for split in splits for batch in segment_batches(split, split.file, 1, keys)]
    return found, frozenset(untidy)


def _sorted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    found = list(batches)
    if found:
        table = pa.Table.from_batches(found)
        yield from table.sort_by([(name, "ascending") for name in ("key", "ts_ns", "file", "frame")]).to_batches()
