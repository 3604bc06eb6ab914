"""mqtrail analyze: captures in, tables out."""

from __future__ import annotations

import argparse
import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ingest.choice import Scope
from ingest.files import NoSuchInput, expand, is_local, normalised
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.options import add_bounds, bounds, secrets, spark_settings, thresholds
from pipelines.cli.printable import warn, warn_of_skipped
from pipelines.cli.progress import Progress
from pipelines.cli.summary import summary
from pipelines.rules.model import Level
from pipelines.store.output_folder import OutputFolder, OutputRefused

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipelines.captures.inventory import Input
    from pipelines.engine.spark import SparkEngine
    from pipelines.run.command import RunOrder

QUICK_BYTES: Final = 1024 * 1024 * 1024
"""Of captures that make a small run."""
EXAMPLES = """examples:
  mqtrail analyze captures/ --out case-17
  mqtrail analyze /srv/captures/*.pcap.gz --dataset /srv/mq --fail-on high
  mqtrail analyze tap.pcapng --out case-17 --scope rpc --keep-payload"""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "analyze",
        help="analyse captures into tables",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="pcap or pcapng (also .gz, .zst): files, folders, globs"
    )
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--out", metavar="DIR", help="output folder of this run")
    place.add_argument("--dataset", metavar="DIR", help="folder that grows: add the captures that it does not have yet")
    parser.add_argument(
        "--scope",
        choices=[str(scope) for scope in Scope],
        default=str(Scope.MSMQ),
        help="what to keep (default: %(default)s)",
    )
    parser.add_argument("--master", metavar="URL", help="Spark master (default: spark-submit's, else local[*])")
    parser.add_argument("--case", metavar="ID", help="a name for the manifest, e.g. the case's number")
    parser.add_argument(
        "--keep-payload", action="store_true", help="keep the bytes of messages too, not only size and SHA-256"
    )
    parser.add_argument("--secrets", metavar="FILE", help="accounts and keytabs (TOML) to unseal sealed calls with")
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
    add_bounds(parser)
    parser.add_argument("--no-check", action="store_true", help="skip the quality gate")
    parser.add_argument(
        "--no-report",
        action="store_true",
        help="write no report.html; `mqtrail report` does it later, and for datasets",
    )
    parser.add_argument(
        "--no-publish",
        action="store_true",
        help="with --dataset: stage the result for `mqtrail check --staged` and `mqtrail publish`",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace the output folder of an earlier run; take secrets from a file that others may read, "
        "or to a cluster that others can talk to",
    )
    parser.add_argument("--spark-conf", action="append", default=[], metavar="K=V", help="a Spark setting; repeatable")
    parser.add_argument("--verbose", action="store_true", help="list the tables with their rows at the end")
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.no_publish and not options.dataset:
        raise Stop(ExitCode.USAGE, "--no-publish: there is nothing to publish without --dataset")
    started = dt.datetime.now(dt.UTC)
    chosen, settings = thresholds(options.threshold), spark_settings(options.spark_conf)
    known = secrets(options.secrets, force=options.force)
    inputs = _inputs(options)
    from pipelines.quality import GateHere  # noqa: PLC0415
    from pipelines.quality.beside import GateBeside  # noqa: PLC0415
    from pipelines.run.command import RunOrder  # noqa: PLC0415 - nothing of Spark before it is known that there is work

    say = Progress()
    # What a dataset holds is read before Spark starts, with threads.
    quick, alone = _is_small(options, inputs), options.program and not options.dataset
    wanted = RunOrder(
        lambda: _engine(options, settings, say, quick=quick, alone=alone),
        Scope(options.scope),
        chosen,
        keep_payload=options.keep_payload,
        check=not options.no_check and not options.no_publish,
        case=options.case,
        say=say,
        measure=say.measure,
        started=started,
        secrets=known,
        report=not options.no_report,
        engine_over=(lambda: _end_spark(say)) if options.program else lambda: None,
        gate=GateBeside() if alone else GateHere(),
    )
    try:
        return (_dataset if options.dataset else _folder)(options, wanted, inputs, say)
    except OutputRefused as error:
        raise Stop(ExitCode.USAGE, str(error)) from None


def _folder(options: argparse.Namespace, wanted: RunOrder, inputs: list[Input], say: Progress) -> int:
    from pipelines.run.command import run_once  # noqa: PLC0415

    with say, OutputFolder(options.out, force=options.force, waiting=waiting) as output:
        done = run_once(wanted, inputs, output)
        output.publish()
    code = summary(
        done.finished, done.quality, output.final, options.fail_on, shown=options.out, verbose=options.verbose
    )
    if done.report_problem:
        warn(f"the report could not be written ({done.report_problem}); the tables are complete, please report this")
        return code or ExitCode.UNEXPECTED
    return code


def _dataset(options: argparse.Namespace, wanted: RunOrder, inputs: list[Input], say: Progress) -> int:
    from pipelines.run.command import CommandResult, add_to_dataset  # noqa: PLC0415
    from pipelines.store.dataset_folder import DatasetFolder  # noqa: PLC0415

    with say, DatasetFolder(options.dataset, waiting) as folder:
        done = add_to_dataset(wanted, inputs, folder)
        if isinstance(done, CommandResult):
            folder.publish() if done.good and not options.no_publish else folder.stage()
    sorted_out = done.sorted_out if isinstance(done, CommandResult) else done
    for one, reason in sorted_out.unready if sorted_out else ():
        warn(f"{one.shown_path}: left out: {reason}")
    if not isinstance(done, CommandResult):
        print(f"nothing new: {len(done.known)} captures are in the dataset already")
        return ExitCode.INPUT_DAMAGED if done.unready else ExitCode.DONE
    if not done.good:
        warn(f"{folder.final}: stays as it was; what failed lies in {folder.staged}")
    elif options.no_publish:
        warn(f"staged; `mqtrail publish {options.dataset}` makes it visible")
    code = summary(
        done.finished, done.quality, folder.final, options.fail_on, shown=options.dataset, verbose=options.verbose
    )
    return ExitCode.INPUT_DAMAGED if sorted_out and sorted_out.unready and not code else code


def waiting(holder: str) -> None:
    warn(f"waiting for {holder}, which is writing there")


def _inputs(options: argparse.Namespace) -> list[Input]:
    out = normalised(options.out or options.dataset)
    if is_local(out):
        out = str(Path(out).resolve())
    try:
        # The folder of an earlier run may lie among the captures; its tables are not input.
        paths = [path for path in expand(options.paths, warn_of_skipped) if not _lies_in(path, out)]
    except NoSuchInput as error:
        raise Stop(ExitCode.NO_INPUT, str(error)) from None
    if not paths:
        option = "--out" if options.out else "--dataset"
        raise Stop(ExitCode.NO_INPUT, f"{out}: all input lies in the output folder; choose another with {option}")
    from pipelines.captures.inventory import take_stock  # noqa: PLC0415

    inputs = take_stock(paths, bounds(options))
    if all(one.capture is None for one in inputs):
        reasons = [f"  {one.shown_path}: {one.problem.detail}" for one in inputs if one.problem]
        raise Stop(ExitCode.NO_CAPTURE_READABLE, "no capture could be read:", *reasons)
    return inputs


def _is_small(options: argparse.Namespace, inputs: list[Input]) -> bool:
    """A dataset is as large as its history."""
    return not options.dataset and sum(one.size for one in inputs) <= QUICK_BYTES


def _lies_in(path: str, folder: str) -> bool:
    if not is_local(path):
        return path.startswith(f"{folder}/")
    return is_local(folder) and Path(path).resolve().is_relative_to(folder)


def _engine(
    options: argparse.Namespace, settings: dict[str, str], say: Progress, *, quick: bool = False, alone: bool = False
) -> SparkEngine:
    from pipelines.engine.spark import SparkEngine  # noqa: PLC0415

    session = started_spark(options.master, settings, say, quick=quick, alone=alone)
    if options.secrets:
        from pipelines.engine.sealed_secrets import SecretsRefused, refuse_unguarded  # noqa: PLC0415

        try:
            refuse_unguarded(session.sparkContext)
        except SecretsRefused as error:
            if not options.force:
                raise Stop(ExitCode.USAGE, f"--secrets: {error}, or give --force") from None
            warn(f"--secrets: {error}; --force goes on without")
    return SparkEngine(session)


def _end_spark(say: Progress) -> None:
    from pipelines.engine.run_folder import end_spark  # noqa: PLC0415

    say.watch(None)
    end_spark()


def started_spark(
    master: str | None, settings: dict[str, str], say: Progress, *, quick: bool = False, alone: bool = False
) -> SparkSession:
    from pipelines.engine.guard import SettingRefused  # noqa: PLC0415
    from pipelines.engine.spark_session import NoSpark, spark_session  # noqa: PLC0415

    say("starting Spark")
    try:
        session = spark_session(master, settings, quick=quick, alone=alone)
        say.watch(session.sparkContext)
    except SettingRefused as error:
        raise Stop(ExitCode.USAGE, f"--spark-conf {error}") from None
    except NoSpark as error:
        raise Stop(ExitCode.UNEXPECTED, str(error)) from None
    return session
