"""mqtrail check: tables against their declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.files import is_folder, join, normalised, write_bytes
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.printable import warn
from pipelines.store.output_folder import staged_beside

if TYPE_CHECKING:
    import argparse


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("check", help="check the tables of a run or dataset against their declarations")
    parser.add_argument("folder", metavar="DIR", help="output folder of a run, or a dataset")
    parser.add_argument(
        "--staged", action="store_true", help="of a dataset: what analyze --no-publish staged, not what is visible"
    )
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    folder = normalised(options.folder)
    if options.staged:
        folder = staged_beside(folder)
        if not is_folder(folder):
            print(f"{options.folder}: nothing is staged")
            return ExitCode.DONE
    if not is_folder(join(folder, "tables")):
        raise Stop(ExitCode.NO_INPUT, f"{folder}: has no folder tables; name the output folder of a run")
    from pipelines.quality import check_tables  # noqa: PLC0415
    from pipelines.store.manifest import read_manifest  # noqa: PLC0415 - after the cheap things that can go wrong

    pruned = bool((read_manifest(folder) or {}).get("pruned_before"))
    result = check_tables(join(folder, "tables"), pruned=pruned)
    print(result.summary)
    for failure in result.failures:
        warn(f"{failure.sentence}")
    written = join(folder, "quality.json")
    try:
        write_bytes(written, result.text().encode())
    except OSError as error:
        raise Stop(ExitCode.USAGE, f"{written}: cannot be written ({error.strerror})") from None
    print(f"all results: {written}")
    return ExitCode.DONE if result.success else ExitCode.DATA_QUALITY
