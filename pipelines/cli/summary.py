"""What a run says at its end, in ten lines at most, and the exit code that follows from it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ingest.files import exists, files_below, join, open_input
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.printable import printable, warn
from pipelines.report.words import counted, times
from pipelines.rules.model import Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.analyze import Finished
    from pipelines.quality.result import QualityResult

Row = dict[str, Any]
_MOST_TITLES: Final = 2
_IN_DOUBT: Final = "in doubt"
"""Packets are missing that may have said more."""
_READ_AS: Final = {
    "acked": "removed",
    "peeked": "peeked at",
    "nacked": "put back",
    "rundown": "cut off",
    _IN_DOUBT: _IN_DOUBT,
}


def summary(
    finished: Finished,
    quality: QualityResult | None,
    folder: str,
    fail_on: str | None,
    *,
    shown: str,
    verbose: bool = False,
) -> int:
    """`shown`: the folder's name as it was given."""
    from pipelines.rules.tally import at_or_above  # noqa: PLC0415 - Spark and the catalogue come late

    for row in finished.captures:
        if row["state"] != "complete":
            warn(f"{row['path']}: {row['state']}; the table issues says why")
        elif not row["packets"]:
            warn(f"{row['path']}: holds no packets")
    if not finished.row_counts["flows"]:
        warn(
            "no connection to keep was found; the table accounting says what became of the packets, "
            "and --scope rpc would keep every DCE/RPC connection",
        )
    for line in lines(finished, quality, folder, shown):
        print(printable(line))
    if verbose:
        _tables(finished, shown)
    if finished.imbalances:
        problems = "\n".join(f"  {sentence}" for sentence in finished.imbalances)
        raise Stop(ExitCode.DATA_QUALITY, f"the accounting does not add up, please report this:\n{problems}")
    if quality is not None and not quality.success:
        for failure in quality.failures:
            warn(f"{failure.sentence}")
        return ExitCode.DATA_QUALITY
    if fail_on and (found := at_or_above(finished.tally, Level(fail_on))):
        named = ", ".join(f"{rule} ({count})" for rule, count in sorted(found.items()))
        warn(f"findings of level {fail_on} or above: {named}")
        return ExitCode.FINDINGS
    return ExitCode.INPUT_DAMAGED if finished.damaged else ExitCode.DONE


def lines(finished: Finished, quality: QualityResult | None, folder: str, shown: str) -> Iterator[str]:
    rows = finished.row_counts
    yield _captured(finished)
    seen = ", ".join(_all(rows, name) for name in ("hosts", "queues", "messages"))
    yield f"kept:       {_all(rows, 'flows', 'connections')}, {_all(rows, 'calls')}; {seen}"
    yield f"read:       {_read(folder)}"
    yield f"changed:    {_changed(folder)}"
    yield from _findings(finished)
    yield f"undecided:  {_undecided(finished)}"
    checked = f"; {quality.summary.removeprefix('quality: ')}" if quality is not None else ""
    yield f"damaged:    {_damaged(finished)}{checked}"
    yield f"look next:  {join(shown, 'report.html' if exists(join(folder, 'report.html')) else 'tables')}"


def _all(rows: Mapping[str, int], table: str, name: str = "") -> str:
    return counted(rows[table], (name or table).removesuffix("s"))


def _captured(finished: Finished) -> str:
    captures = finished.captures
    packets = sum(row["packets"] or 0 for row in captures)
    moments = [row[name] for row in captures for name in ("first_ts", "last_ts") if row[name] is not None]
    span = f", {_moment(min(moments))} to {_moment(max(moments))} UTC" if moments else ""
    return f"captures:   {len(captures):,} with {counted(packets, 'packet')}{span}"


def _moment(ts_us: int) -> str:
    return f"{dt.datetime.fromtimestamp(ts_us / 1e6, dt.UTC):%Y-%m-%d %H:%M:%S}"


def _read(folder: str) -> str:
    outcomes = Counter(
        _IN_DOUBT if doubt else outcome
        for outcome, doubt in _values(folder, "reads", ("outcome", "doubt"))
        if outcome in _READ_AS
    )
    told = [f"{outcomes[name]:,} {word}" for name, word in _READ_AS.items() if outcomes[name]]
    return ", ".join(told) + " (tables reads, messages)" if told else "no message"


def _changed(folder: str) -> str:
    actions: Counter[str] = Counter()
    for action, outcome in _values(folder, "admin_actions", ("action", "outcome")):
        if outcome == "success" and action != "query":
            actions[action] += 1
    told = ", ".join(f"{action.replace('_', ' ')} {count:,}" for action, count in actions.most_common())
    return f"{told} (table admin_actions)" if told else "nothing, as far as can be seen"


def _findings(finished: Finished) -> Iterator[str]:
    from pipelines.rules.catalogue import BY_ID  # noqa: PLC0415
    from pipelines.rules.tally import at_or_above, by_level  # noqa: PLC0415

    levels = by_level(finished.tally)
    told = ", ".join(f"{count:,} {level}" for level, count in reversed(levels.items()) if count)
    yield f"findings:   {told or 'none'}"
    found = at_or_above(finished.tally, Level.MEDIUM)
    worst = sorted(found, key=lambda rule: (-BY_ID[rule].level.rank, -found[rule], rule))[:_MOST_TITLES]
    for rule in worst:
        yield f"            {BY_ID[rule].level}: {BY_ID[rule].title} ({times(found[rule])}; {rule})"


def _undecided(finished: Finished) -> str:
    from pipelines.facts.reasons import REASONS, Reason  # noqa: PLC0415
    from pipelines.rules.findings import Verdict  # noqa: PLC0415

    reasons: Counter[str] = Counter()
    for (_, verdict, reason), count in finished.tally.items():
        if verdict == Verdict.NOT_DECIDABLE and reason:
            reasons[reason] += count
    if not reasons:
        return "nothing"
    reason, count = reasons.most_common(1)[0]
    return f"{counted(sum(reasons.values()), 'verdict')}, most ({count:,}) because: {REASONS[Reason(reason)]}"


def _damaged(finished: Finished) -> str:
    broken = sum(row["state"] != "complete" for row in finished.captures)
    issues = finished.row_counts["issues"]
    if not broken and not issues:
        return "nothing"
    captures = f"{broken:,} of {counted(len(finished.captures), 'capture')}" if broken else "no capture"
    return f"{captures}; {counted(issues, 'problem')} (table issues)"


def _tables(finished: Finished, shown: str) -> None:
    with_rows = {name: rows for name, rows in finished.row_counts.items() if rows}
    width = max(map(len, with_rows))
    for name, rows in with_rows.items():
        print(f"{name:<{width}}  {rows:>9} rows  {join(shown, 'tables', name)}")
    print(f"{len(finished.row_counts) - len(with_rows)} other tables have no rows")


def _values(folder: str, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    from pyarrow import parquet  # noqa: PLC0415

    root = join(folder, "tables", table)
    for name, _ in files_below(root):
        if name.endswith(".parquet"):
            with parquet.ParquetFile(open_input(join(root, name))) as opened:
                for batch in opened.iter_batches(columns=list(columns)):
                    yield from zip(*(batch.column(one).to_pylist() for one in columns), strict=True)
