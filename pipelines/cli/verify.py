"""mqtrail verify: is everything as the manifest says?"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Final

from ingest.files import normalised
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.printable import warn
from pipelines.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.store.verifying import Verification

SHOWN: Final = 100


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("verify", help="prove that inputs and tables are those of the run")
    parser.add_argument("folder", metavar="DIR", help="output folder of a run, or a dataset")
    parser.add_argument(
        "--expect",
        metavar="SHA256",
        type=_sha256,
        help="hash of run.json as verify printed it when the run was new: nobody has edited run.json since",
    )
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def _false_counts(folder: str, found: Verification) -> Iterator[str]:
    """What the summary and the report tell is what the tables hold."""
    if not found.counts:
        return
    from pipelines.report.counts import counts_of  # noqa: PLC0415
    from pipelines.store.tables import Tables  # noqa: PLC0415

    try:
        there = counts_of(Tables(folder)).as_json
    except (OSError, ValueError):
        # A table that cannot be read is named by its file.
        return
    for name in sorted({*there, *found.counts}):
        if there.get(name) != found.counts.get(name):
            yield f"run.json counts {name} as {found.counts.get(name)}; the tables have {there.get(name)}"


def _sha256(text: str) -> str:
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError("a SHA-256 has 64 hexadecimal digits")
    return text


def run(options: argparse.Namespace) -> int:
    from pipelines.store.manifest import ManifestDamaged  # noqa: PLC0415 - `mqtrail --help` needs no pyarrow
    from pipelines.store.verifying import verify  # noqa: PLC0415

    try:
        folder = normalised(options.folder)
        found = verify(folder, options.expect)
    except ManifestDamaged as error:
        raise Stop(ExitCode.DATA_QUALITY, str(error)) from None
    if found is None:
        raise Stop(ExitCode.NO_INPUT, f"{options.folder}: has no run.json; name the output folder of a run")
    found.problems += _false_counts(folder, found)
    for path in found.gone[:SHOWN]:
        warn(f"{path}: the capture is not there any more; not checked")
    for problem in found.problems[:SHOWN]:
        warn(f"{problem}")
    if found.problems:
        raise Stop(
            ExitCode.DATA_QUALITY, f"{options.folder}: {len(found.problems)} things are not as the run left them"
        )
    chain = f"{found.runs} runs, " if found.runs > 1 else ""
    gone = f" ({len(found.gone):,} not there any more)" if found.gone else ""
    print(f"verified: {chain}{counted(found.outputs, 'file')}, {counted(found.inputs, 'capture')}{gone}")
    print(f"sha256 of run.json: {found.head}")
    return ExitCode.DONE
