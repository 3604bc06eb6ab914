"""mqtrail publish: make visible what `analyze --no-publish` staged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.cli.analyze import waiting
from pipelines.cli.exit_codes import ExitCode, Stop

if TYPE_CHECKING:
    import argparse


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("publish", help="make visible what analyze --no-publish staged")
    parser.add_argument("folder", metavar="DIR", help="dataset")
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from pipelines.store.dataset_folder import DatasetFolder  # noqa: PLC0415 - slow to import
    from pipelines.store.output_folder import OutputRefused  # noqa: PLC0415

    try:
        with DatasetFolder(options.folder, waiting) as folder:
            if not folder.take_staged():
                print(f"{folder.final}: nothing is staged")
                return ExitCode.DONE
            folder.publish()
    except OutputRefused as error:
        raise Stop(ExitCode.USAGE, str(error)) from None
    print(f"{folder.final}: published")
    return ExitCode.DONE
