"""What a run says at its end, in ten lines at most, and the exit code that follows from it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import TYPE_CHECKING, Final

from ingest.files import exists, join
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.printable import printable, warn
from pipelines.report.words import counted, times
from pipelines.rules.model import Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.quality.result import QualityResult
    from pipelines.report.counts import Counts
    from pipelines.run.job import RunTotals

_MOST_TITLES: Final = 2
_NAMES: Final = {"other": "unknown action"}
_READ_AS: Final = {
    "removed": "removed",
    "peeked": "peeked at",
    "put_back": "put back",
    "cut_off": "cut off",
    "in_doubt": "in doubt",
}
"""In doubt: packets are missing that may have said more."""


def summary(
    finished: RunTotals,
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
        problems = [f"  {sentence}" for sentence in finished.imbalances]
        raise Stop(ExitCode.DATA_QUALITY, "the accounting does not add up, please report this:", *problems)
    if quality is not None and not quality.success:
        for failure in quality.failures:
            warn(f"{failure.sentence}")
        return ExitCode.DATA_QUALITY
    if fail_on and (found := at_or_above(finished.tally, Level(fail_on))):
        named = ", ".join(f"{rule} ({count})" for rule, count in sorted(found.items()))
        warn(f"findings of level {fail_on} or above: {named}")
        return ExitCode.FINDINGS
    return ExitCode.INPUT_DAMAGED if finished.damaged else ExitCode.DONE


def lines(finished: RunTotals, quality: QualityResult | None, folder: str, shown: str) -> Iterator[str]:
    from pipelines.report.counts import counts_of  # noqa: PLC0415
    from pipelines.store.tables import Tables  # noqa: PLC0415

    counts = counts_of(Tables(folder))
    yield _captured(finished)
    kept, seen = (
        ", ".join(counted(counts.rows[name], name.removesuffix("s")) for name in names)
        for names in (("connections", "calls"), ("hosts", "queues", "sessions", "messages"))
    )
    objects = finished.row_counts["com_objects"]
    yield f"kept:       {kept}; {seen}" + (f", {counted(objects, 'COM object')}" if objects else "")
    yield f"read:       {_read(counts)}"
    yield f"changed:    {_changed(counts)}"
    yield from _findings(finished, counts)
    yield f"undecided:  {_undecided(finished, counts)}"
    checked = f"; {quality.summary.removeprefix('quality: ')}" if quality is not None else ""
    yield f"damaged:    {_damaged(finished)}{checked}"
    yield f"look next:  {join(shown, 'report.html' if exists(join(folder, 'report.html')) else 'tables')}"


def _captured(finished: RunTotals) -> str:
    captures = finished.captures
    packets = sum(row["packets"] for row in captures)
    times = (ts for row in captures for ts in (row["first_ts"], row["last_ts"]))
    moments = [ts for ts in times if ts is not None]
    span = f", {_moment(min(moments))} to {_moment(max(moments))} UTC" if moments else ""
    return f"captures:   {len(captures):,} with {counted(packets, 'packet')}{span}"


def _moment(ts_us: int) -> str:
    return f"{dt.datetime.fromtimestamp(ts_us / 1e6, dt.UTC):%Y-%m-%d %H:%M:%S}"


def _read(counts: Counts) -> str:
    told = [f"{counts.reads[name]:,} {word}" for name, word in _READ_AS.items() if counts.reads[name]]
    return ", ".join(told) + " (tables reads, messages)" if told else "no message"


def _changed(counts: Counts) -> str:
    """What was done, the most frequent first; and of what nobody knows whether it was."""
    done = _acts({action: acts.succeeded for action, acts in counts.changes.items()})
    unknown = _acts({action: acts.unknown for action, acts in counts.changes.items()})
    told = [done or "nothing, as far as can be seen", f"result not known: {unknown}" if unknown else ""]
    return "; ".join(filter(None, told)) + (" (table admin_actions)" if done or unknown else "")


def _acts(numbers: Mapping[str, int]) -> str:
    often = sorted(((count, action) for action, count in numbers.items() if count), key=lambda one: (-one[0], one[1]))
    return ", ".join(f"{_NAMES.get(action, action.replace('_', ' '))} {count:,}" for count, action in often)


def _findings(finished: RunTotals, counts: Counts) -> Iterator[str]:
    from pipelines.rules.catalogue import BY_ID  # noqa: PLC0415
    from pipelines.rules.tally import at_or_above  # noqa: PLC0415

    told = ", ".join(f"{count:,} {level}" for level, count in reversed(counts.findings.items()) if count)
    yield f"findings:   {told or 'none'}"
    found = at_or_above(finished.tally, Level.MEDIUM)
    worst = sorted(found, key=lambda rule: (-BY_ID[rule].level.rank, -found[rule], rule))[:_MOST_TITLES]
    for rule in worst:
        yield f"            {BY_ID[rule].level}: {BY_ID[rule].title} ({times(found[rule])}; {rule})"


def _undecided(finished: RunTotals, counts: Counts) -> str:
    from pipelines.facts.reasons import REASONS, Reason  # noqa: PLC0415
    from pipelines.rules.findings import Verdict  # noqa: PLC0415

    reasons: Counter[str] = Counter()
    for (_, verdict, reason), count in finished.tally.items():
        if verdict == Verdict.NOT_DECIDABLE and reason:
            reasons[reason] += count
    if not reasons:
        return "nothing"
    reason, count = reasons.most_common(1)[0]
    return f"{counted(counts.undecided, 'verdict')}, most ({count:,}) because: {REASONS[Reason(reason)]}"


def _damaged(finished: RunTotals) -> str:
    broken = sum(row["state"] != "complete" for row in finished.captures)
    issues = finished.row_counts["issues"]
    if not broken and not issues:
        return "nothing"
    captures = f"{broken:,} of {counted(len(finished.captures), 'capture')}" if broken else "no capture"
    return f"{captures}; {counted(issues, 'problem')} (table issues)"


def _tables(finished: RunTotals, shown: str) -> None:
    with_rows = {name: rows for name, rows in finished.row_counts.items() if rows}
    width = max(map(len, with_rows))
    for name, rows in with_rows.items():
        print(f"{name:<{width}}  {rows:>9} rows  {join(shown, 'tables', name)}")
    print(f"{len(finished.row_counts) - len(with_rows)} other tables have no rows")
