"""A run that adds captures to a dataset: what earlier runs said is corrected where the new captures go on with it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from decoders.net.addresses import to_text
from ingest.clock import steps_back
from pipelines.accounting import accounting_rows, imbalances
from pipelines.analyze import count_packets, written_counts
from pipelines.capture_facts import capture_rows, file_issues
from pipelines.dataset.base import extended
from pipelines.dataset.carried import Carried
from pipelines.dataset.keeping import keep, newest
from pipelines.dataset.segments import Earlier, SegmentStore
from pipelines.decoding import decode
from pipelines.inventory import Hashes, changed_since, in_order
from pipelines.messages.tables import SOURCES, Void, write_messages
from pipelines.rules.tally import summed
from pipelines.shelves import Shelves
from pipelines.stored import NotAmong, NotIssues, Stored, read_here, thinned
from pipelines.summaries import overall, tally_of, with_earlier
from pipelines.tables import write_found
from pipelines.writing import write_rows
from schemas.dates import date_of
from schemas.internal import ANNOUNCED, FACTS, SEGMENTS, VERSIONS
from schemas.state import CARRIED_CAPTURES, SUMMARIES
from schemas.tables import ACCOUNTING, CAPTURES, ISSUES, JUDGED, MESSAGES, OVERALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ingest.choice import Endpoint
    from pipelines.analyze import Job
    from pipelines.dataset.base import Base, Extended
    from pipelines.inventory import Input, Order
    from pipelines.judged_tables import Made
    from pipelines.messages.tables import MessagesWritten
    from pipelines.stored import Keeps, Thinned

Row = dict[str, Any]
CHANGED = "the file changed or disappeared while it was read; a later run takes it when it is whole"


@dataclass(frozen=True, slots=True)
class SortedOut:
    """The inputs, told apart by what a run has to do with them."""

    fresh: list[Input]
    known: list[Input]
    """Analysed by an earlier run, or given twice."""
    unready: list[tuple[Input, str]]
    """Not taken in, so that a later run can; with the reason."""

    def without(self, changed: Sequence[Input]) -> SortedOut:
        """The same with captures left for a later run."""
        paths = {one.path for one in changed}
        fresh = [one for one in self.fresh if one.path not in paths]
        return SortedOut(fresh, self.known, [*self.unready, *((one, CHANGED) for one in changed)])


class CapturesChanged(Exception):
    """Captures are not what their hashes say any more: nothing of the run can be used."""

    def __init__(self, captures: Sequence[Input]) -> None:
        super().__init__(", ".join(one.shown_path for one in captures))
        self.captures = captures


def sort_out(inputs: Sequence[Input], hashed: Hashes, known_ids: set[str], since: str = "") -> SortedOut:
    """`since`: date before which the dataset was pruned."""
    fresh: dict[str, Input] = {}
    known: list[Input] = []
    unready: list[tuple[Input, str]] = []
    for one in inputs:
        digest = hashed.digests.get(one.file)
        if digest is None:
            unready.append((one, one.problem.detail if one.problem else "the file could not be read"))
        elif one.file in hashed.changed:
            unready.append((one, CHANGED))
        elif digest in known_ids or digest in fresh:
            known.append(one)
        elif one.capture and one.capture.first_ts_ns and date_of(one.capture.first_ts_ns) < since:
            unready.append((one, f"it begins before {since}, from which on the dataset is kept"))
        else:
            fresh[digest] = one
    return SortedOut(list(fresh.values()), known, unready)


def extend(job: Job, sorted_out: SortedOut, hashed: Hashes, base: Base) -> Extended:
    """Write what is new or different below the job's folder. There is something fresh."""
    carried = Carried(job.spark, base.state)
    since = base.pruned_before
    inputs, order = in_order(sorted_out.fresh, hashed.digests, carried.known)
    carried = carried.placed(order)
    scan = job.scan(inputs)
    untidy = frozenset(steps_back(scan.splits))
    dates = {one.capture_id: one.date for one in carried.known}
    digests = Hashes({one.file: order.ids[one.file] for one in inputs}, set())
    captures = capture_rows(inputs, scan.splits, digests, {})
    dates |= {row["capture_id"]: date_of(row["first_ts_ns"]) for row in captures.values()}
    shelves = Shelves(job.root, dated=True, prefix=base.prefix, capture_dates=dates, since=since)
    store = SegmentStore(job.spark, base.state.get(SEGMENTS.name, []), shelves.state(SEGMENTS), carried.ordinals)
    earlier = Earlier(carried, store)
    found = decode(job, scan, order, order.untidy | untidy, earlier)
    if changed := changed_since(inputs):
        raise CapturesChanged([one for one in inputs if one.file in changed])
    for row in captures.values():
        if row["state"] != "unreadable":
            count_packets(found.counts, row, changed=False)

    job.say("writing tables")
    made = write_found(job, found, file_issues(inputs, scan.splits, digests, {}), order, shelves)
    found.counts.update(written_counts(made.written))
    ends = [row["last_ts_ns"] for row in captures.values() if row["last_ts_ns"] is not None]
    kept = keep(job, found, earlier, shelves, newest(order.first_ts_ns), newest(ends))
    prefix = shelves.prefix
    void = frozenset((order.ids[row.file], row.frame, row.code) for row in found.selection.void_issues)
    to_thin = _tables_to_thin(base, found.replaced, void, made)
    thin = thinned(job.spark, [*to_thin, *kept.segments], job.root, prefix)
    messages = _messages(job, shelves, made, thin, to_thin)
    thin_messages = thinned(
        job.spark,
        [(file, NotAmong("message_uid", messages.replaced)) for file in base.tables.get(MESSAGES.name, ())],
        job.root,
        prefix,
    )
    for place, count in thin.removed.items():
        found.counts[place] -= count
    # Segments of this run lose what need not be carried, like those of earlier ones.
    fresh = [file.written for file in thin.kept if file.root == job.root]
    written = [*made.written, *kept.written, *thin.written, *fresh, *messages.written, *thin_messages.written]
    accounts = _accounts(base, found.counts, dates)
    last = thinned(job.spark, accounts.to_thin, job.root, prefix)
    written += last.written
    summaries = with_earlier(made.summaries, carried, made.servers)
    rows_of = {
        CAPTURES: sorted(captures.values(), key=lambda row: row["path"]),
        ACCOUNTING: accounts.rows,
        **dict(overall(summaries)),
    }
    for table, rows in rows_of.items():
        written += write_rows(shelves.table(table), pa.Table.from_pylist(rows, schema=table.arrow))
    state_rows = {
        CARRIED_CAPTURES: _captures(order, order.untidy | untidy, dates),
        **{table: summaries[table.name] for table in SUMMARIES},
        ANNOUNCED: _announced(found.rounds.learned),
        VERSIONS: list({tuple(row.items()): row for row in [*carried.versions, *found.rounds.versions()]}.values()),
    }
    for table, rows in state_rows.items():
        written += write_rows(shelves.state(table), pa.Table.from_pylist(rows, schema=table.arrow))
    staying = [
        *(file for file in thin.kept if file.root != job.root),
        *thin_messages.kept,
        *last.kept,
        *base.tables.get(CAPTURES.name, ()),
    ]
    return extended(
        shelves,
        list(captures.values()),
        imbalances(accounts.rows),
        tally_of(summaries),
        summed(carried.tallies),
        written,
        staying,
    )


def _messages(
    job: Job, shelves: Shelves, made: Made, thin: Thinned, to_thin: Sequence[tuple[Stored, Keeps]]
) -> MessagesWritten:
    def sources(files: Iterable[Stored]) -> list[Stored]:
        return [file for file in files if file.written.table in SOURCES]

    fresh = sources(Stored(job.root, one) for one in made.written)
    earlier = sources([*thin.kept, *(Stored(job.root, one) for one in thin.written)])
    void = [Void(file, keeps) for file, keeps in to_thin if file.written.table in SOURCES]
    return write_messages(job, shelves, fresh, earlier, void)


def _tables_to_thin(
    base: Base, replaced: frozenset[str], void_issues: frozenset[tuple[str, int, str]], made: Made
) -> list[tuple[Stored, Keeps]]:
    judged = {table.name for table in JUDGED}
    whole = {CAPTURES.name, ACCOUNTING.name, MESSAGES.name, *(table.name for table in OVERALL)}
    found: list[tuple[Stored, Keeps]] = []
    for name, files in base.tables.items():
        if name in whole:
            continue
        keeps: Keeps = NotAmong("id.resp_h", made.servers) if name in judged else NotAmong("uid", replaced)
        if name == ISSUES.name:
            keeps = NotIssues(void_issues, replaced)
        found += [(file, keeps) for file in files if file.written.rows]
    found += [(file, NotAmong("uid", replaced)) for file in base.state.get(FACTS.name, ())]
    return found


@dataclass(frozen=True, slots=True)
class _Accounts:
    rows: list[Row]
    """Of the captures whose accounts change."""
    to_thin: list[tuple[Stored, Keeps]]


def _accounts(base: Base, changes: Counter[tuple[str, str, str]], dates: Mapping[str, str]) -> _Accounts:
    touched = {capture for (capture, _, _), value in changes.items() if value}
    touched |= {capture for capture, stage, counter in changes if (stage, counter) == ("packets", "in")}
    touched = {capture for capture in touched if dates[capture] >= base.pruned_before}
    files = [file for file in base.tables.get(ACCOUNTING.name, ()) if file.written.rows]
    totals: Counter[tuple[str, str, str]] = Counter()
    totals.update({place: value for place, value in changes.items() if place[0] in touched})
    for row in read_here(files, ACCOUNTING.arrow, lambda batch: batch).to_pylist():
        if row["capture_id"] in touched:
            totals[row["capture_id"], row["stage"], row["counter"]] += row["value"]
    without = NotAmong("capture_id", frozenset(touched))
    return _Accounts(accounting_rows(totals), [(file, without) for file in files])


def _captures(order: Order, untidy: frozenset[int], dates: Mapping[str, str]) -> list[Row]:
    rows = [
        {
            "file": number,
            "capture_id": order.ids[file],
            "path": order.paths[file],
            "first_ts_ns": order.first_ts_ns[file],
            "untidy": file in untidy,
            "date": dates[order.ids[file]],
        }
        for file, number in enumerate(order.numbers)
    ]
    return sorted(rows, key=lambda row: row["file"])


def _announced(learned: Mapping[Endpoint, Mapping[str, int]]) -> list[Row]:
    return [
        {"host": to_text(address), "port": port, "interface_uuid": uuid, "ts_ns": ts_ns}
        for (address, port), told in sorted(learned.items())
        for uuid, ts_ns in sorted(told.items())
    ]
