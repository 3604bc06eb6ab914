"""mqtrail analyze: captures in, tables out."""

from __future__ import annotations

import datetime as dt
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.choice import Choice, Scope
from ingest.files import NoSuchInput, expand
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.output import OutputFolder, OutputRefused
from pipelines.rules.model import Level
from pipelines.version import VERSION

if TYPE_CHECKING:
    import argparse

    from pipelines.analyze import Finished


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("analyze", help="analyse captures into tables")
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="pcap or pcapng (also .gz, .zst): files, folders, globs"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="output folder")
    parser.add_argument(
        "--scope",
        choices=[str(scope) for scope in Scope],
        default=str(Scope.MSMQ),
        help="what to keep (default: %(default)s)",
    )
    parser.add_argument("--master", default="local[*]", metavar="URL", help="Spark master (default: %(default)s)")
    parser.add_argument(
        "--keep-payload", action="store_true", help="keep the bytes of messages too, not only size and SHA-256"
    )
    parser.add_argument(
        "--fail-on",
        choices=[str(level) for level in Level],
        metavar="LEVEL",
        help="exit with 14 if there are violations or detections of this level or above "
        "(informational, low, medium, high, critical)",
    )
    parser.add_argument(
        "--threshold",
        action="append",
        default=[],
        metavar="NAME=N",
        help="a threshold of a rule, see `mqtrail rules show ID`; repeatable",
    )
    parser.add_argument("--force", action="store_true", help="replace the output folder of an earlier run")
    parser.add_argument("--spark-conf", action="append", default=[], metavar="K=V", help="a Spark setting; repeatable")
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    settings = _settings(options.spark_conf)
    thresholds = _thresholds(options.threshold)
    started = dt.datetime.now(dt.UTC)
    say = _Progress()
    try:
        # The folder of an earlier run may lie among the captures; its tables are not input.
        out = Path(options.out).resolve()
        paths = [path for path in expand(options.paths) if not Path(path).resolve().is_relative_to(out)]
    except NoSuchInput as error:
        raise Stop(ExitCode.NO_INPUT, str(error)) from None
    if not paths:
        raise Stop(ExitCode.NO_INPUT, f"{options.out}: all input lies in the output folder; choose another with --out")
    try:
        with OutputFolder(Path(options.out), force=options.force) as output:
            finished = _analyze(paths, options, settings, thresholds, output, say)
            output.write_manifest(_facts(options, thresholds, started, finished))
            output.publish()
    except OutputRefused as error:
        raise Stop(ExitCode.USAGE, str(error)) from None
    return _report(finished, output, options.fail_on)


def _analyze(
    paths: list[str],
    options: argparse.Namespace,
    settings: dict[str, str],
    thresholds: dict[str, int],
    output: OutputFolder,
    say: _Progress,
) -> Finished:
    from pipelines.inventory import take_stock  # noqa: PLC0415 - nothing of Spark before it is known that there is work

    inputs = take_stock(paths)
    if all(one.capture is None for one in inputs):
        reasons = "\n".join(f"  {one.shown_path}: {one.problem.detail}" for one in inputs if one.problem)
        raise Stop(ExitCode.NO_CAPTURE_READABLE, f"no capture could be read:\n{reasons}")
    from pipelines.analyze import analyze  # noqa: PLC0415
    from pipelines.session import NoJava, spark_session  # noqa: PLC0415

    say("starting Spark")
    try:
        spark = spark_session(options.master, settings)
    except NoJava as error:
        raise Stop(ExitCode.UNEXPECTED, str(error)) from None
    choice, tables = Choice(Scope(options.scope)), output.staging / "tables"
    return analyze(spark, inputs, choice, tables, say, keep_payload=options.keep_payload, settings=thresholds)


def _settings(given: list[str]) -> dict[str, str]:
    wrong = [setting for setting in given if "=" not in setting]
    if wrong:
        raise Stop(ExitCode.USAGE, f"--spark-conf {wrong[0]}: write it as KEY=VALUE")
    return dict(setting.split("=", 1) for setting in given)


def _thresholds(given: list[str]) -> dict[str, int]:
    from pipelines.rules.catalogue import SETTINGS  # noqa: PLC0415 - `mqtrail --help` needs no catalogue

    chosen = dict(SETTINGS)
    for one in given:
        name, _, value = one.partition("=")
        if name not in SETTINGS:
            there_are = ", ".join(sorted(SETTINGS))
            raise Stop(ExitCode.USAGE, f"--threshold {one}: no rule has it; there are {there_are}")
        if not re.fullmatch("[0-9]{1,12}", value) or not int(value):
            raise Stop(ExitCode.USAGE, f"--threshold {one}: write it as {name}=N, with a number above 0")
        chosen[name] = int(value)
    return chosen


def _facts(
    options: argparse.Namespace, thresholds: dict[str, int], started: dt.datetime, finished: Finished
) -> dict[str, object]:
    from pipelines.rules.tally import verdict_rows  # noqa: PLC0415

    return {
        "tool": "mqtrail",
        "version": VERSION,
        "started": started.isoformat(timespec="seconds"),
        "finished": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "parameters": {"scope": options.scope, "keep_payload": options.keep_payload, "thresholds": thresholds},
        "inputs": [
            {"path": row["path"], "sha256": row["capture_id"], "bytes": row["bytes"], "state": row["state"]}
            for row in finished.captures
        ],
        "rows": finished.row_counts,
        "verdicts": verdict_rows(finished.tally),
    }


def _report(finished: Finished, output: OutputFolder, fail_on: str | None) -> int:
    from pipelines.rules.tally import at_or_above  # noqa: PLC0415

    for row in finished.captures:
        if row["state"] != "complete":
            print(f"mqtrail: {row['path']}: {row['state']}; the table issues says why", file=sys.stderr)
        elif not row["packets"]:
            print(f"mqtrail: {row['path']}: holds no packets", file=sys.stderr)
    if not finished.row_counts["flows"]:
        print(
            "mqtrail: no connection to keep was found; the table accounting says what became of the packets, "
            "and --scope rpc would keep every DCE/RPC connection",
            file=sys.stderr,
        )
    with_rows = {name: rows for name, rows in finished.row_counts.items() if rows}
    width = max(map(len, with_rows))
    for name, rows in with_rows.items():
        print(f"{name:<{width}}  {rows:>9} rows  {output.final / 'tables' / name}")
    print(f"{len(finished.row_counts) - len(with_rows)} other tables have no rows")
    print(_judgement(finished))
    if finished.imbalances:
        problems = "\n".join(f"  {sentence}" for sentence in finished.imbalances)
        raise Stop(ExitCode.DATA_QUALITY, f"the accounting does not add up, please report this:\n{problems}")
    if fail_on and (found := at_or_above(finished.tally, Level(fail_on))):
        named = ", ".join(f"{rule} ({count})" for rule, count in sorted(found.items()))
        print(f"mqtrail: findings of level {fail_on} or above: {named}", file=sys.stderr)
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


class _Progress:
    """A line a stage, on a terminal only: logs of nightly runs stay free of it."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def __call__(self, what: str) -> None:
        if sys.stderr.isatty():
            print(f"[{time.monotonic() - self._began:6.1f} s] {what}", file=sys.stderr)
