"""mqtrail report: report.html again, from the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.files import is_folder, join, normalised, write_bytes
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.printable import printable, warn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("report", help="write report.html from the tables of a run or dataset")
    parser.add_argument("folder", metavar="DIR", help="output folder of a run, or a dataset")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: report.html in the folder")
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    folder = normalised(options.folder)
    if not is_folder(join(folder, "tables")):
        raise Stop(ExitCode.NO_INPUT, f"{options.folder}: has no folder tables; name the output folder of a run")
    from pipelines.report.writing import REPORT, page_of  # noqa: PLC0415
    from pipelines.store.manifest import ManifestDamaged, read_manifest, sha256_of  # noqa: PLC0415 - after what is cheap

    try:
        manifest = read_manifest(folder) or {}
    except ManifestDamaged as error:
        raise Stop(ExitCode.DATA_QUALITY, str(error)) from None
    path = normalised(options.output) if options.output else join(folder, REPORT)
    page = page_of(folder, manifest)
    try:
        write_bytes(path, page)
    except OSError as error:
        raise Stop(ExitCode.USAGE, f"{path}: cannot be written ({error.strerror or error})") from None
    print(printable(path))
    if not options.output and (listed := _listed(manifest, REPORT)) and listed != sha256_of(page):
        warn(f"{path}: differs from the one that run.json lists, so `mqtrail verify` will name it: {_why(manifest)}")
    return ExitCode.DONE


def _listed(manifest: Mapping[str, Any], name: str) -> str | None:
    return next((entry["sha256"] for entry in manifest.get("outputs", ()) if entry["path"] == name), None)


def _why(manifest: Mapping[str, Any]) -> str:
    from pipelines.store.version import VERSION  # noqa: PLC0415

    if manifest.get("version") != VERSION:
        return f"mqtrail {manifest.get('version')} wrote that, this is {VERSION}"
    return "the tables, or quality.json, have changed since"
