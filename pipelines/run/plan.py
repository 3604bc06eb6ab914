"""The steps of a run: scan, decode, judge, bring together. A run of its own is one that adds to nothing."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from ingest.clock import steps_back
from ingest.files import join, remove_folder
from ingest.splits import plan
from pipelines.captures.inventory import FileHashes, changed_since, duplicates, in_order, without_lost
from pipelines.captures.meter import Meter
from pipelines.captures.rows import capture_rows, file_issues
from pipelines.captures.scan import scan_captures
from pipelines.captures.selection import Selection
from pipelines.connections.exchange import DecodeSettings, places_of
from pipelines.dataset.carried_state import CarriedState
from pipelines.dataset.carry_over import CarryOver, newest
from pipelines.dataset.earlier_runs import EarlierRuns
from pipelines.facts.versions import known_versions
from pipelines.judging.exchange import judge
from pipelines.judging.facts_to_judge import changed_hosts, earlier_facts
from pipelines.judging.homes import known_homes
from pipelines.judging.hops import known_hops, object_servers
from pipelines.judging.makers import calls_of, changed_makers, known_makers
from pipelines.run.accounting import imbalances
from pipelines.run.accounts import accounts, connection_counts, count_captures, packet_counts
from pipelines.run.corrections import Corrections, Void, counted
from pipelines.run.finish import end
from pipelines.run.issues import issues_exchange
from pipelines.run.job import RunTotals, with_empty_tables
from pipelines.run.learning import MAX_ROUNDS, learn, summed
from pipelines.run.state import capture_state, conversations_state, summed_state
from pipelines.store.base import Base
from pipelines.store.files import StoredFile
from pipelines.store.output_folder import EXCHANGE
from pipelines.store.places import SORT_KEYS, Places
from pipelines.store.removal import NotAmong
from pipelines.store.writing import write_rows
from schemas.dates import date_of
from schemas.internal import FACTS, FRAGMENTS
from schemas.state import CARRIED_CONVERSATIONS
from schemas.tables import ACCOUNTING, CAPTURES, ENDPOINTS, ISSUES
from schemas.tables.issues import issue_row

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from pipelines.captures.inventory import CaptureOrder, Input
    from pipelines.captures.scan import Scan
    from pipelines.judging.exchange import Judged
    from pipelines.run.finish import FinishResult
    from pipelines.run.job import Job
    from pipelines.run.learning import Learning
    from pipelines.store.files import WrittenFile
    from pipelines.store.removal import Held
    from schemas.tables.captures import CaptureRow
    from schemas.tables.issues import IssueRow


_Files: TypeAlias = "list[tuple[StoredFile, NotAmong | None]]"


class CapturesChanged(Exception):
    """Captures are not what their hashes say any more: nothing of the run can be used."""

    def __init__(self, captures: Sequence[Input]) -> None:
        super().__init__(", ".join(one.shown_path for one in captures))
        self.captures = captures


def analyze(job: Job, inputs: Sequence[Input]) -> RunTotals:
    """Write all tables below the folder."""
    return _Run(job, _scanned(job, inputs, None, CarriedState({})), None).finished()


def extend(job: Job, inputs: Sequence[Input], hashes: FileHashes, base: Base) -> RunTotals:
    """Write what captures add to a dataset, and what they change of it, below the job's folder."""
    return _Run(job, _scanned(job, inputs, hashes, CarriedState(base.state)), base).finished()


@dataclass(frozen=True)
class ScannedCaptures:
    """The captures of a run, as the scan found them."""

    inputs: list[Input]
    order: CaptureOrder
    scan: Scan
    hashes: FileHashes
    same: dict[int, int]
    """Captures that have the bytes of another."""
    carried: CarriedState

    @property
    def untidy(self) -> frozenset[int]:
        return self.order.untidy | frozenset(steps_back(self.scan.splits))

    def rows(self) -> dict[int, CaptureRow]:
        """Of `captures`, by file."""
        return capture_rows(self.inputs, self.scan.splits, self.hashes, self.same)

    def issues(self) -> list[IssueRow]:
        return file_issues(self.inputs, self.scan.splits, self.hashes, self.same)


def _scanned(job: Job, inputs: Sequence[Input], hashes: FileHashes | None, carried: CarriedState) -> ScannedCaptures:
    """Hashed beside it where that was not done before."""
    placed, order = in_order(inputs, hashes.digests if hashes else {}, carried.known)
    carried = carried.placed(order)
    splits = [split for one in placed if one.capture for split in plan(one.capture, one.file, job.split_bytes)]
    job.say(f"scanning {len(placed)} files in {len(splits)} splits")
    meter = Meter(job.engine.tally(), splits)
    job.measure(meter)
    fragments = carried.files.get(FRAGMENTS.name, ())
    to_hash = () if hashes else placed
    scan = scan_captures(
        job.engine,
        Places(job.root),
        splits,
        to_hash,
        fragments,
        carried.ordinals,
        meter,
        keep_fragments=hashes is not None,
    )
    if hashes is not None:
        known = FileHashes({one.file: order.ids[one.file] for one in placed}, set())
        return ScannedCaptures(placed, order, scan, known, {}, carried)
    found = FileHashes.of(scan.hashed)
    placed = without_lost(placed, found.digests)
    order.ids[:] = [found.digests.get(one.file, "") for one in placed]
    scan = scan.without({one.file for one in placed if one.capture is None})
    return ScannedCaptures(placed, order, scan, found, duplicates(placed, found.digests), carried)


class _Run:
    """One run after its scan. With a base it adds to it."""

    def __init__(self, job: Job, scanned: ScannedCaptures, base: Base | None) -> None:
        self._job, self._scanned = job, scanned
        self._base = base or Base()
        self._earlier = EarlierRuns(scanned.carried) if base is not None else None
        self._selection = Selection(scanned.scan.without(set(scanned.same)))
        rows = scanned.rows()
        self._dates = {one.capture_id: one.date for one in scanned.carried.known}
        self._dates |= {
            row["capture_id"]: date_of(row["first_ts_ns"]) for row in rows.values() if row["capture_id"] is not None
        }
        self._places = Places(job.root)
        if base is not None:
            self._places = Places(job.root, True, base.prefix, self._dates, base.pruned_before)
        self._carrying = self._what_may_go_on(rows) if base is not None else None

    def finished(self) -> RunTotals:
        self._job.say("putting segments in order and decoding calls")
        learned = self._decode()
        self._job.say("judging")
        replaced = self._replaced(learned)
        versions = known_versions([*learned.versions, *self._scanned.carried.versions])
        changed = changed_hosts(versions, self._scanned.carried.versions)
        stored = self._base.state.get(FACTS.name, [])
        stored_endpoints, endpoints = self._endpoints(learned, replaced)
        before, homes = known_homes(stored_endpoints), known_homes(endpoints)
        makers = known_makers(endpoints)
        servers = learned.servers | learned.mentions.touched(replaced, changed)
        servers |= changed_makers(known_makers(stored_endpoints), makers)
        earlier = earlier_facts(stored, replaced)
        facts = [*learned.exchanged(FACTS.name), *earlier]
        hops = known_hops(self._job.engine, facts, object_servers(endpoints))
        servers = hops.with_targets(before.with_kin(homes.with_kin(servers)))
        ordinals = self._scanned.carried.ordinals if self._earlier else None
        only = servers if self._earlier else None
        settings, firsts = self._job.settings, calls_of(makers)
        judged = judge(self._job.engine, facts, versions, settings, self._places, ordinals, only, homes, firsts, hops)
        self._job.say("writing tables")
        void = Void(replaced, servers, self._void_issues())
        fresh = [*learned.tables, *judged.written]
        corrections = Corrections(self._base, void, earlier, fresh, learned.removals, self._job.root)
        return self._ended(learned, judged, corrections)

    def _decode(self) -> Learning:
        job, scanned, carried = self._job, self._scanned, self._scanned.carried
        reading = DecodeSettings(
            replace(job.choice, learned=carried.learned),
            scanned.order.ids,
            scanned.order.paths,
            scanned.untidy,
            places_of(self._places, dataset=self._earlier is not None),
            job.keep_payload,
            job.secrets,
            carried.ordinals.reversed() if self._earlier else None,
        )
        learned = learn(job.engine, self._selection, reading, job.root, self._carrying, self._earlier)
        scanned.hashes.changed.update(changed_since(scanned.inputs))
        if self._earlier is not None and scanned.hashes.changed:
            raise CapturesChanged([one for one in scanned.inputs if one.file in scanned.hashes.changed])
        return learned

    def _endpoints(self, learned: Learning, replaced: frozenset[str]) -> tuple[_Files, _Files]:
        """Files of what was announced, with the rows that hold: as earlier runs had them, and as they are now."""
        stored, keeps = self._base.tables.get(ENDPOINTS.name, ()), NotAmong("uid", replaced) if replaced else None
        fresh = [StoredFile(self._job.root, one) for one in learned.tables if one.table == ENDPOINTS.name]
        now: _Files = [*((file, None) for file in fresh), *((file, keeps) for file in stored)]
        return [(file, None) for file in stored], now

    def _what_may_go_on(self, captures: dict[int, CaptureRow]) -> CarryOver:
        ends = [row["last_ts_ns"] for row in captures.values() if row["last_ts_ns"] is not None]
        known = self._scanned.carried.table(CARRIED_CONVERSATIONS)
        return CarryOver(newest(self._scanned.order.first_ts_ns), newest(ends), known, self._selection)

    def _replaced(self, learned: Learning) -> frozenset[str]:
        """Connections of which everything that earlier runs said is void."""
        if self._earlier is None:
            return frozenset()
        rows = self._earlier.of_keys(learned.taken)
        return frozenset(uid for batch in rows for uid in batch.column("uid").to_pylist())

    def _void_issues(self) -> frozenset[tuple[str, int | None, str]]:
        ids = self._scanned.order.ids
        return frozenset((ids[file], frame, code) for file, frame, code in self._selection.void_issues)

    def _ended(self, learned: Learning, judged: Judged, corrections: Corrections) -> RunTotals:
        job, places, scanned = self._job, self._places, self._scanned
        written: list[WrittenFile] = []
        files: list[Held] = []
        if self._earlier is not None and self._carrying is not None:
            state = conversations_state(self._selection, learned, self._carrying, self._earlier, places)
            written += state.written
            files += [*state.segments, *learned.exchanged(FACTS.name)]
        issues_of_jobs = issues_exchange(
            self._selection.scan,
            self._selection.frames,
            learned.exchanged(ISSUES.name),
            scanned.order.ids,
            scanned.order.paths,
            places,
        )
        ended = end(job.engine, corrections, [issues_of_jobs], files, places)
        written += ended.written
        issues = [*scanned.issues(), *_not_followed(learned)]
        if issues:
            rows = pa.Table.from_pylist(issues, schema=ISSUES.arrow)
            written += write_rows(places.table(ISSUES), rows, SORT_KEYS[ISSUES.name])
        summaries = judged.summaries.with_earlier(scanned.carried.summaries, corrections.void.servers)
        captures = scanned.rows()
        account = accounts(self._base, self._counts(learned, corrections, ended, captures), self._dates)
        tables = {CAPTURES: sorted(captures.values(), key=lambda row: row["path"]), ACCOUNTING: account.rows}
        for table, table_rows in (*tables.items(), *summaries.overall()):
            written += write_rows(places.table(table), pa.Table.from_pylist(table_rows, schema=table.arrow))
        if self._earlier is not None:
            rows_of_captures = capture_state(scanned.order, scanned.untidy, self._dates)
            written += summed_state(summaries, learned, self._earlier, rows_of_captures, places)
        # An attempt that nobody waits for may still write there: what it leaves goes with the strays.
        with contextlib.suppress(OSError):
            remove_folder(join(job.root, EXCHANGE))
        kept = [*ended.kept, *account.kept]
        written, kept, row_counts = with_empty_tables(places, written, kept, with_files=job.empty_tables)
        return RunTotals(
            list(captures.values()),
            row_counts,
            imbalances(account.rows),
            summaries.tally,
            written,
            kept,
            scanned.carried.summaries.tally,
        )

    def _counts(
        self, learned: Learning, corrections: Corrections, ended: FinishResult, captures: dict[int, CaptureRow]
    ) -> Counter[tuple[str, str, str]]:
        order, changed = self._scanned.order, self._scanned.hashes.changed
        for file, packets in learned.recounted.items():
            self._selection.set_aside[file, "no_rpc_seen"] -= packets
        counts = packet_counts(self._selection.set_aside, order)
        counts.update(connection_counts(learned.counts(), order))
        if self._earlier is not None:
            counts.subtract(connection_counts(summed(self._earlier.of_keys(learned.taken)), order))
        counts.update(counted([*corrections.fresh, *(one.file.written for one in corrections.reread)]))
        counts.subtract(ended.went)
        read = {file: row for file, row in captures.items() if row["state"] != "unreadable"}
        packets_of = [(order.ids[file], row["packets"]) for file, row in read.items() if file not in self._scanned.same]
        count_captures(counts, packets_of, {order.ids[file] for file in changed})
        return counts


def _not_followed(learned: Learning) -> Iterator[IssueRow]:
    for place in learned.not_followed:
        detail = (
            f"{place} was announced in the last of {MAX_ROUNDS} rounds; conversations there were not looked at again"
        )
        yield issue_row("endpoints-not-followed", detail)
