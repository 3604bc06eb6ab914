"""mqtrail export: tables in the formats of other tools."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ingest.files import is_folder, join, normalised
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.printable import warn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import TextIO

    from pipelines.exports.formats import Format

FORMATS: Final = ("jsonl", "csv", "zeek-tsv", "zeek-json", "timesketch", "ecs", "ocsf")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("export", help="write tables for spreadsheets, Zeek's tools, Timesketch or a SIEM")
    parser.add_argument("folder", metavar="DIR", help="output folder of a run, or a dataset")
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="default: %(default)s")
    parser.add_argument(
        "--table",
        metavar="T",
        help="jsonl, csv: any table (default: calls); zeek-tsv, zeek-json: dce_rpc (default), conn, weird, notice or "
        "ntlm; others: one of the tables they are made of (default: all)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="default: standard output; with zeek-tsv or zeek-json and no --table a folder, for all logs",
    )
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from pipelines.exports.formats import FORMATS as BY_NAME  # noqa: PLC0415 - `mqtrail --help` needs no pyarrow

    chosen = BY_NAME[options.format]
    if options.table is not None and (not options.table or options.table not in chosen.parts):
        known = "`mqtrail schema` lists them" if options.format in FORMATS[:2] else f"one of {_listed(chosen)}"
        raise Stop(ExitCode.USAGE, f"--table {options.table}: {options.format} has none; {known}")
    folder = normalised(options.folder)
    if not is_folder(join(folder, "tables")):
        raise Stop(ExitCode.NO_INPUT, f"{options.folder}: has no folder tables; name the output folder of a run")
    untimed: Counter[str] = Counter()
    for part, path in _outputs(chosen, options.table, options.output):
        with _output(path) as out:
            for line in chosen.parts[part](folder, untimed):
                out.write(line + chosen.end)
    for table, rows in untimed.items():
        if rows:
            warn(f"{rows} of {table} left out: they have no time, and {options.format} needs one")
    return ExitCode.DONE


def _listed(chosen: Format) -> str:
    return ", ".join(name for name in chosen.logs or chosen.parts if name)


def _outputs(chosen: Format, table: str | None, output: str | None) -> list[tuple[str, str | None]]:
    """Parts, each with its file."""
    if table is not None or output is None or not chosen.logs:
        return [(chosen.default if table is None else table, output)]
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
    except OSError:
        raise Stop(
            ExitCode.USAGE, f"{output}: is not a folder, where all logs could go; name one, or a log with --table"
        ) from None
    return [(log, str(Path(output) / f"{log}.log")) for log in chosen.logs]


@contextlib.contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    if path is None:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # pytest's stand-in has none to set
        yield sys.stdout
        return
    try:
        file = Path(path).open("w", encoding="utf-8", newline="")  # noqa: SIM115 - only opening it is caught
    except OSError as error:
        raise Stop(ExitCode.USAGE, f"{path}: cannot be written ({error.strerror})") from None
    try:
        with file:
            yield file
    except BaseException:
        # Half a file must not pass for a whole one; a pipe or a device stays.
        if Path(path).is_file() and not Path(path).is_symlink():
            Path(path).unlink()
        raise
