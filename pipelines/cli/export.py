"""mqtrail export: tables in a format of other tools."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ingest.files import is_folder, join, normalised
from pipelines.cli.exit_codes import ExitCode, Stop

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import TextIO

FORMATS: Final = ("jsonl",)
DEFAULT_TABLE: Final = "calls"


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("export", help="write a table as lines of JSON")
    parser.add_argument("folder", metavar="DIR", help="output folder of a run, or a dataset")
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="default: %(default)s")
    parser.add_argument("--table", default=DEFAULT_TABLE, metavar="T", help="default: %(default)s")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from pipelines.exporting import json_lines  # noqa: PLC0415 - `mqtrail --help` needs no pyarrow
    from schemas.tables import WRITTEN  # noqa: PLC0415

    tables = {table.name: table for table in WRITTEN}
    if options.table not in tables:
        raise Stop(ExitCode.USAGE, f"--table {options.table}: there is none; `mqtrail schema` lists them")
    folder = normalised(options.folder)
    if not is_folder(join(folder, "tables")):
        raise Stop(ExitCode.NO_INPUT, f"{options.folder}: has no folder tables; name the output folder of a run")
    with _output(options.output) as out:
        for line in json_lines(folder, tables[options.table]):
            out.write(line + "\n")
    return ExitCode.DONE


@contextlib.contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    if path is None:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # pytest's stand-in has none to set
        yield sys.stdout
        return
    try:
        with Path(path).open("w", encoding="utf-8", newline="\n") as file:
            yield file
    except OSError as error:
        raise Stop(ExitCode.USAGE, f"{path}: cannot be written ({error.strerror})") from None
