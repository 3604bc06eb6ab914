"""mqtrail check: tables against their declarations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.cli.exit_codes import ExitCode, Stop

if TYPE_CHECKING:
    import argparse


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("check", help="check the tables of a run or dataset against their declarations")
    parser.add_argument("folder", metavar="DIR", help="output folder of a run, or a dataset")
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    if not (folder / "tables").is_dir():
        raise Stop(ExitCode.NO_INPUT, f"{folder}: has no folder tables; name the output folder of a run")
    from pipelines.quality import check_tables  # noqa: PLC0415 - after the cheap things that can go wrong

    result = check_tables(None, folder / "tables")
    print(result.summary)
    for failure in result.failures:
        print(f"mqtrail: {failure.sentence}", file=sys.stderr)
    written = folder / "quality.json"
    try:
        written.write_text(result.text(), encoding="utf-8")
    except OSError as error:
        raise Stop(ExitCode.USAGE, f"{written}: cannot be written ({error.strerror})") from None
    print(f"all results: {written}")
    return ExitCode.DONE if result.success else ExitCode.DATA_QUALITY
