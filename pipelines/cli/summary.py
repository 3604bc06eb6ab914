"""What a run says at its end, and the exit code that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.files import join
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.printable import warn
from pipelines.rules.model import Level

if TYPE_CHECKING:
    from pipelines.analyze import Finished
    from pipelines.quality.result import QualityResult


def summary(finished: Finished, quality: QualityResult | None, folder: str, fail_on: str | None) -> int:
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
    with_rows = {name: rows for name, rows in finished.row_counts.items() if rows}
    width = max(map(len, with_rows))
    for name, rows in with_rows.items():
        print(f"{name:<{width}}  {rows:>9} rows  {join(folder, 'tables', name)}")
    print(f"{len(finished.row_counts) - len(with_rows)} other tables have no rows")
    print(_judgement(finished))
    if quality is not None:
        print(quality.summary)
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


def _judgement(finished: Finished) -> str:
    from pipelines.rules.findings import Verdict  # noqa: PLC0415
    from pipelines.rules.tally import total  # noqa: PLC0415

    count = {verdict: total(finished.tally, verdict) for verdict in Verdict}
    return (
        f"rules: kept {count[Verdict.PASS]} times, {count[Verdict.VIOLATION]} violations, "
        f"{count[Verdict.DETECTION]} detections, {count[Verdict.NOT_DECIDABLE]} times not decidable"
    )
