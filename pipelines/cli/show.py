"""mqtrail show: a first look at captures, in this process: the stages of `analyze`, and nothing is left behind."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING, Final

from ingest.choice import Choice, Scope
from ingest.files import NoSuchInput, expand, temporary_folder
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.options import secrets
from pipelines.cli.printable import printable, warn, warn_of_skipped
from pipelines.cli.screen import COLUMNS, cell, screen_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.captures.inventory import Input
    from pipelines.run.job import RunTotals

MOST_BYTES: Final = 64 * 1024 * 1024
EXAMPLES = """examples:
  mqtrail show tap.pcapng
  mqtrail show tap.pcapng --what acts
  mqtrail show tap.pcapng --what calls --json | jq .operation"""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "show",
        help="a first look at small captures, without Spark: nothing is written",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "paths", nargs="+", metavar="FILE", help="pcap or pcapng (also .gz, .zst): files, folders, globs"
    )
    parser.add_argument(
        "--what", choices=["summary", *COLUMNS], default="summary", help="what to show (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with all columns")
    parser.add_argument(
        "--scope",
        choices=[str(scope) for scope in Scope],
        default=str(Scope.MSMQ),
        help="what to keep (default: %(default)s)",
    )
    parser.add_argument("--secrets", metavar="FILE", help="accounts and keytabs (TOML) to unseal sealed calls with")
    parser.add_argument("--force", action="store_true", help="take secrets from a file that others may read")
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from pipelines.engine.local import LocalEngine  # noqa: PLC0415 - `mqtrail --help` needs none of it
    from pipelines.engine.sealed_secrets import OpenSecrets  # noqa: PLC0415
    from pipelines.run.job import Job  # noqa: PLC0415
    from pipelines.run.plan import analyze  # noqa: PLC0415

    known = secrets(options.secrets, force=options.force)
    inputs = _inputs(options.paths)
    with _temporary_folder() as folder:
        opened = OpenSecrets(known) if known else None
        job = Job(LocalEngine(), Choice(Scope(options.scope)), folder, secrets=opened, empty_tables=False)
        finished = analyze(job, inputs)
        for line in _lines(options, finished, folder):
            print(line)
    for row in finished.captures:
        if row["state"] != "complete":
            warn(f"{row['path']}: {row['state']}; `mqtrail inspect` says why")
    return ExitCode.INPUT_DAMAGED if finished.damaged else ExitCode.DONE


@contextlib.contextmanager
def _temporary_folder() -> Iterator[str]:
    with contextlib.ExitStack() as held:
        try:
            path = held.enter_context(temporary_folder("mqtrail-show-"))
        except OSError as error:
            place = f"{error.filename or tempfile.gettempdir()}: no private folder can be made there"
            raise Stop(ExitCode.UNEXPECTED, f"{place} ({error.strerror}); choose another with TMPDIR=DIR") from None
        yield str(path)


def _inputs(paths: list[str]) -> list[Input]:
    from pipelines.captures.inventory import take_stock  # noqa: PLC0415

    try:
        inputs = take_stock(expand(paths, warn_of_skipped))
    except NoSuchInput as error:
        raise Stop(ExitCode.NO_INPUT, str(error)) from None
    if all(one.capture is None for one in inputs):
        reasons = [f"  {one.shown_path}: {one.problem.detail}" for one in inputs if one.problem]
        raise Stop(ExitCode.NO_CAPTURE_READABLE, "no capture could be read:", *reasons)
    size = 0
    for one in inputs:
        size += one.capture.bytes_inside(MOST_BYTES - size) if one.capture else 0
        if size > MOST_BYTES:
            raise Stop(
                ExitCode.USAGE,
                f"the captures hold more than the {MOST_BYTES / 1e6:.0f} MB that a first look takes (compressed ones "
                "count as what is in them): use `mqtrail analyze PATH... --out DIR`",
            )
    return inputs


def _lines(options: argparse.Namespace, finished: RunTotals, folder: str) -> Iterator[str]:
    if options.what == "summary":
        yield from _summary(options, finished, folder)
        return
    from pipelines.exports.jsonl import json_lines  # noqa: PLC0415

    if options.json:
        yield from json_lines(folder, COLUMNS[options.what].table)
        return
    width = shutil.get_terminal_size((160, 24)).columns if sys.stdout.isatty() else None
    yield from screen_lines(folder, COLUMNS[options.what], width)


def _summary(options: argparse.Namespace, finished: RunTotals, folder: str) -> Iterator[str]:
    if options.json:
        from pipelines.report.counts import counts_of  # noqa: PLC0415
        from pipelines.store.tables import Tables  # noqa: PLC0415

        captures = [{name: cell(row[name]) for name in ("path", "packets", "state")} for row in finished.captures]
        yield json.dumps({"captures": captures, **counts_of(Tables(folder)).as_json})
        return
    from pipelines.cli.summary import lines  # noqa: PLC0415

    for line in lines(finished, None, folder, folder):
        if not line.startswith("look next:"):
            yield printable(line)
    yield printable(
        "look next:  mqtrail show FILE... --what calls|sessions|acts|findings; mqtrail analyze for the report"
    )
