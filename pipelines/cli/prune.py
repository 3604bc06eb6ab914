"""mqtrail prune: take out of a dataset what lies before a date."""

from __future__ import annotations

import argparse
import datetime as dt
from typing import TYPE_CHECKING

from ingest.choice import Scope
from pipelines.cli.analyze import started_spark, waiting
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.options import spark_settings
from pipelines.cli.printable import warn
from pipelines.cli.progress import Progress

if TYPE_CHECKING:
    from pipelines.run.command import RunOrder
    from pipelines.store.dataset_folder import DatasetFolder


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("prune", help="take out of a dataset what lies before a date")
    parser.add_argument("folder", metavar="DIR", help="dataset")
    parser.add_argument("--before", required=True, type=_date, metavar="DATE", help="first date (UTC) to keep")
    parser.add_argument("--master", metavar="URL", help="Spark master (default: spark-submit's, else local[*])")
    parser.add_argument("--no-check", action="store_true", help="skip the quality gate")
    parser.add_argument("--spark-conf", action="append", default=[], metavar="K=V", help="a Spark setting; repeatable")
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def _date(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: write it as 2026-01-31") from None


def run(options: argparse.Namespace) -> int:
    from pipelines.run.command import prune_dataset  # noqa: PLC0415
    from pipelines.store.dataset_folder import DatasetFolder  # noqa: PLC0415 - slow to import
    from pipelines.store.output_folder import OutputRefused  # noqa: PLC0415

    settings = spark_settings(options.spark_conf)
    try:
        with DatasetFolder(options.folder, waiting) as folder:
            if folder.manifest is None:
                raise Stop(ExitCode.NO_INPUT, f"{options.folder}: there is no dataset")
            before = sum(folder.manifest["rows"].values())
            if options.before.isoformat() <= folder.base.pruned_before:
                print(f"{folder.final}: nothing is there from before {folder.base.pruned_before}")
                return ExitCode.DONE
            done = prune_dataset(_wanted(options, settings, folder), folder, options.before)
            folder.publish() if done.good else folder.stage()
    except OutputRefused as error:
        raise Stop(ExitCode.USAGE, str(error)) from None
    for failure in done.quality.failures if done.quality else ():
        warn(f"{failure.sentence}")
    if not done.good:
        raise Stop(ExitCode.DATA_QUALITY, f"{folder.final}: stays as it was; what failed lies in {folder.staged}")
    after = sum(done.finished.row_counts.values())
    print(f"{folder.final}: {before - after} rows from before {options.before} are gone, {after} are left")
    return ExitCode.DONE


def _wanted(options: argparse.Namespace, settings: dict[str, str], folder: DatasetFolder) -> RunOrder:
    from pipelines.engine.spark import SparkEngine  # noqa: PLC0415
    from pipelines.run.command import RunOrder  # noqa: PLC0415

    parameters = (folder.manifest or {})["parameters"]
    return RunOrder(
        lambda: SparkEngine(started_spark(options.master, settings, Progress())),
        Scope(parameters["scope"]),
        parameters["thresholds"],
        keep_payload=parameters["keep_payload"],
        check=not options.no_check,
    )
