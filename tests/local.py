"""Captures to tables in this process: the stages of a run without Spark, for tests that need thousands of runs.

No splits. A second look only where a port was announced at which a conversation seemed to be nobody's, or where one
turned out to be ours after it had begun.
"""

from __future__ import annotations

import socket
from collections import Counter
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from decoders.dcerpc.header import HEADER_BYTES
from decoders.dcerpc.well_known import MSMQ_COM
from decoders.registry import REMOTE_UNKNOWN
from ingest.captures import UnreadableCapture, open_capture
from ingest.choice import Choice, ChosenBy
from ingest.clock import JITTER_NS
from ingest.conversations import endpoint_key, host_key
from ingest.scan import scan_split
from ingest.segments import segment_batches
from ingest.splits import plan
from pipelines.connections.assembler import Assembler
from pipelines.connections.decoding import Decoding, segment_rows
from pipelines.facts.stored_form import BLIND
from pipelines.facts.versions import known_versions
from pipelines.judging.homes import homes_of
from pipelines.judging.hops import hops_of
from pipelines.judging.makers import Activated, calls_of, first_of_each
from pipelines.judging.servers import ORDER, judged
from pipelines.judging.summaries import Summaries
from pipelines.rules.catalogue import SETTINGS
from schemas.internal import CONVERSATIONS, FACTS, SPLIT_REPORTS
from schemas.tables import ENDPOINTS, FINDINGS, JUDGED, OVERALL, SIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from decoders.security.accounts import Secret
    from ingest.choice import Endpoint
    from ingest.splits import Split
    from pipelines.judging.homes import Homes
    from pipelines.judging.hops import Hops
    from schemas.internal_rows import AnnouncedRow, FactRow, VersionRow
    from schemas.model import AnyRow

Row = dict[str, Any]
_STREAMED = "flows", "asides", "issues", "pdus", "principals", "calls", "facts"
_BY_SERVER = (*JUDGED, SIGHTINGS)
_TOLD = (*_BY_SERVER, *OVERALL)
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
        in_bulk: bool = True,
    ) -> None:
        self._batches: dict[str, list[pa.RecordBatch]] = {}
        self.announced: list[AnnouncedRow] = []
        self.versions: list[VersionRow] = []
        self.refused: list[UnreadableCapture] = []
        splits = []
        for file, path in enumerate(paths):
            try:
                splits += plan(open_capture(str(path)), file, _LARGE)
            except UnreadableCapture as error:
                self.refused.append(error)
        names = [path.name for path in paths]
        conversations, untidy = _scanned(splits)
        self.conversations = conversations

        def read(keys: set[int], choice: Choice) -> Decoding:
            assembler = Assembler(choice, names, names, untidy, accounts, in_bulk=in_bulk)
            decoding = Decoding(assembler, keep_payload=keep_payload)
            for name, batch in decoding.run(segment_rows(_sorted(_segments(splits, keys)))):
                self._batches.setdefault(name, []).append(batch)
            return decoding

        def look(keys: set[int], choice: Choice) -> None:
            self._batches = {name: [] for name in _STREAMED}
            decoding = read(keys, choice)
            self.announced, self.versions = decoding.announced, decoding.versions

        wanted = {row["key"] for row in conversations if row["may_be_rpc"] or row["well_known_port"]}
        known = choice or Choice()
        look(wanted, known)
        learned = _learned(self.announced)
        ends = {endpoint_key(*end) for end in learned}
        reached = {row["key"] for row in conversations if not ends.isdisjoint((row["low_end"], row["high_end"]))}
        asides = self._rows("asides")
        late = {row["uid"]: ChosenBy(row["chosen_by"]) for row in asides if row["chosen_by"]}
        if late or not reached <= wanted - {row["key"] for row in asides}:
            wanted, known = wanted | reached, replace(known, learned={**learned, **known.learned}, known=late)
            look(wanted, known)
        if hollow := _hollow(conversations) - wanted:
            called = {host_key(_address(row["server"])) for row in self._rows(FACTS.name) if row["kind"] != BLIND}
            hollow &= {row["key"] for row in conversations if called & {row["low_host"], row["high_host"]}}
        if hollow:
            read(hollow, known)
        self.passed_over_bytes = sum(row["payload_bytes"] for row in conversations if row["key"] not in wanted | hollow)
        """Payload of conversations that nobody looked at."""

    @cached_property
    def tables(self) -> dict[str, list[Row]]:
        """Made when asked for: most runs are for what is judged, and rows as values cost as much as to decode them."""
        return {name: self._rows(name) for name in self._batches}

    @cached_property
    def facts(self) -> list[FactRow]:
        return self._rows(FACTS.name)

    def _rows(self, table: str) -> list[Any]:
        return [row for batch in self._batches[table] for row in batch.to_pylist()]

    @cached_property
    def counts(self) -> Counter[tuple[str, str]]:
        found: Counter[tuple[str, str]] = Counter()
        for row in (*self.tables["flows"], *self.tables["asides"]):
            for one in row["counts"]:
                found[one["stage"], one["counter"]] += one["value"]
        found["decoding", "in"] = found["calls", "in"]
        for table, stage, column in (
            ("pdus", "pdus", "fate"),
            ("calls", "calls", "outcome"),
            ("calls", "decoding", "decode_state"),
        ):
            found.update((stage, row[column]) for row in self.tables[table])
        return found

    def judged(self, settings: Mapping[str, int] = SETTINGS) -> dict[str, list[Row]]:
        """Rows of sessions, reads, findings and verdicts, as their tables would have them."""
        stored = self._judged(settings)
        told = {table.name: stored[table.name].to_pylist() if table.name in stored else [] for table in _TOLD}
        # Calls that carry whole messages told theirs before.
        told[SIGHTINGS.name] += self._rows(SIGHTINGS.name) if SIGHTINGS.name in self._batches else []
        return told

    def findings(self) -> list[Row]:
        """These alone; the other rows have to fit their tables all the same."""
        stored = self._judged(SETTINGS)
        return stored[FINDINGS.name].to_pylist() if FINDINGS.name in stored else []

    def _judged(self, settings: Mapping[str, int]) -> dict[str, pa.Table]:
        """Those with rows: a table without would take as long as to judge a call."""
        home = self._homes().brought_home(self.facts)
        facts = sorted((*home, *self._hops(home).copies(home)), key=itemgetter(*ORDER))
        found: dict[str, list[AnyRow]] = {table.name: [] for table in _BY_SERVER}
        summaries = Summaries()
        for name, row in judged(facts, known_versions(self.versions), settings, summaries, self._first_made()):
            found[name].append(row)
        found |= {table.name: list(rows) for table, rows in summaries.overall()}
        return {
            table.name: pa.Table.from_pylist(rows, schema=table.arrow) for table in _TOLD if (rows := found[table.name])
        }

    def _first_made(self) -> dict[str, str]:
        rows = (row for row in self._endpoints if row["interface_uuid"] in MSMQ_COM)
        made = ((row["id"], Activated(row["ts_ns"], row["call_uid"], row["id"]["resp_h"])) for row in rows)
        return calls_of(first_of_each((ends["orig_h"], one) for ends, one in made))

    @cached_property
    def _endpoints(self) -> list[Row]:
        return self._rows(ENDPOINTS.name) if ENDPOINTS.name in self._batches else []

    def _homes(self) -> Homes:
        told = (row for row in self._endpoints if row["interface_uuid"] == REMOTE_UNKNOWN)
        return homes_of((row["id"]["orig_h"], row["id"]["resp_h"], row["host"]) for row in told)

    def _hops(self, facts: Sequence[FactRow]) -> Hops:
        rows = (row for row in self._endpoints if row["interface_uuid"] in MSMQ_COM)
        servers = {row["id"]["resp_h"] for row in rows}
        return hops_of(
            (row["client"], row["server"]) for row in facts if row["kind"] == "call" and row["client"] in servers
        )

    def imbalances(self) -> list[str]:
        """Stages of the streams whose parts do not sum to what came in."""
        found = []
        for stage in ("payload_bytes", "stream_bytes", "pdus", "calls", "decoding"):
            parts = sum(value for (of, counter), value in self.counts.items() if of == stage and counter != "in")
            if parts != self.counts[stage, "in"]:
                found.append(f"{stage}: {self.counts[stage, 'in']} came in, {parts} are accounted for")
        return found


def _scanned(splits: list[Split]) -> tuple[list[Row], frozenset[int]]:
    """Conversations, and untidy files."""
    conversations: list[Row] = []
    untidy: set[int] = set()
    for split in splits:
        for table, batch in scan_split(split):
            if table is CONVERSATIONS:
                conversations += batch.to_pylist()
            elif table is SPLIT_REPORTS:
                untidy.update(row["file"] for row in batch.to_pylist() if row["back_ns"] > JITTER_NS)
    return conversations, frozenset(untidy)


def _hollow(conversations: list[Row]) -> set[int]:
    """Those that showed next to nothing."""
    size: Counter[int] = Counter()
    for row in conversations:
        size[row["key"]] += row["payload_bytes"]
    return {key for key, captured in size.items() if captured < HEADER_BYTES}


def _address(text: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def _segments(splits: list[Split], wanted: set[int]) -> list[pa.RecordBatch]:
    """Of conversations that some file makes promising: the others may hold only their handshake."""
    keys = np.array(sorted(wanted), np.int64)
    return [batch for split in splits for batch in segment_batches(split, split.file, 1, keys)]


def _learned(announced: list[AnnouncedRow]) -> dict[Endpoint, dict[str, int]]:
    learned: dict[Endpoint, dict[str, int]] = {}
    for row in announced:
        told = learned.setdefault((_address(row["host"]), row["port"]), {})
        told[row["interface_uuid"]] = min(row["ts_ns"], told.get(row["interface_uuid"], row["ts_ns"]))
    return learned


def _sorted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    found = list(batches)
    if found:
        table = pa.Table.from_batches(found)
        yield from table.sort_by([(name, "ascending") for name in ("key", "ts_ns", "file", "frame")]).to_batches()
