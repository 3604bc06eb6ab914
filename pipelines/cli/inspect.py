"""mqtrail inspect: what captures are, and whether they are whole. Reads them to their ends, without Spark."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ingest.containers.model import DamageNote
from ingest.files import NoSuchInput, expand, sha256, size_of
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.options import add_bounds, bounds
from pipelines.cli.printable import printable, warn, warn_of_skipped
from schemas.times import NO_TIME

if TYPE_CHECKING:
    import argparse

    from ingest.bounds import Bounds
    from ingest.captures import Capture


@dataclass(frozen=True, slots=True)
class Look:
    """One file, under the column names of the table `captures`."""

    path: str
    format: str | None
    compression: str | None
    bytes: int
    sha256: str | None
    packets: int
    first_ts: str | None
    last_ts: str | None
    state: str
    code: str | None
    """What is wrong, as the table `issues` names it."""
    reason: str | None
    offset: int | None


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("inspect", help="tell what captures are and whether they are whole, without Spark")
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="pcap or pcapng (also .gz, .zst): files, folders, globs"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    add_bounds(parser)
    parser.add_argument("--debug", action="store_true", help="show the details of an unexpected error")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    try:
        paths = expand(options.paths, warn_of_skipped)
    except NoSuchInput as error:
        raise Stop(ExitCode.NO_INPUT, str(error)) from None
    states = []
    for path in paths:
        seen = look(path, bounds(options))
        states.append(seen.state)
        # At once: of thousands of captures the first ones can be read while the last ones are looked at.
        print(json.dumps(asdict(seen)) if options.json else printable(_sentence(seen)), flush=True)
    if all(state == "unreadable" for state in states):
        warn("no capture could be read")
        return ExitCode.NO_CAPTURE_READABLE
    damaged = sum(state != "complete" for state in states)
    if damaged:
        warn(f"{damaged} of {len(states)} files are damaged")
    return ExitCode.INPUT_DAMAGED if damaged else ExitCode.DONE


def look(path: str, most: Bounds) -> Look:
    """Memory does not grow with the file."""
    from ingest.captures import UnreadableCapture, open_capture  # noqa: PLC0415 - `mqtrail --help` needs no pyarrow

    try:
        capture = open_capture(path, most)
    except UnreadableCapture as problem:
        size, digest, _ = _hash(path)
        return Look(
            _shown(path), None, None, size, digest, 0, None, None, "unreadable", problem.code, problem.detail, None
        )
    size, digest, unchanged = _hash(path, capture.size)
    packets, first, last, damage = _walk(capture)
    if not unchanged:
        damage = DamageNote(
            "changed-while-read", "the file grew or shrank meanwhile; look again when it is whole", size
        )
    return Look(
        _shown(path),
        capture.format,
        capture.compression,
        size,
        digest,
        packets,
        _time(first),
        _time(last),
        "truncated" if damage else "complete",
        damage.code if damage else None,
        damage.detail if damage else None,
        damage.offset if damage else None,
    )


def _hash(path: str, size: int | None = None) -> tuple[int, str | None, bool]:
    """Size, SHA-256 where the file can be read, and whether it kept its size meanwhile."""
    try:
        size = size_of(path) if size is None else size
        return size, *sha256(path, size)
    except OSError:
        return size or 0, None, False


def _walk(capture: Capture) -> tuple[int, int | None, int | None, DamageNote | None]:
    """Packets, earliest and latest time, and the place where reading ended early."""
    from ingest.splits import SplitReader, plan  # noqa: PLC0415

    # As one split: then no boundary is guessed, and the chain of records is followed from the first to the last.
    (split,) = plan(capture, 0, max(1, capture.size))
    reader = SplitReader(split)
    first: int | None = None
    last: int | None = None
    for records in reader:
        times = records.ts_ns[records.ts_ns != NO_TIME]
        if len(times):
            earliest, latest = int(times.min()), int(times.max())
            first = earliest if first is None else min(first, earliest)
            last = latest if last is None else max(last, latest)
    return reader.report.packets, first, last, reader.report.damage


def _shown(path: str) -> str:
    """For people and JSON: a name may hold bytes that are not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _time(ts_ns: int | None) -> str | None:
    """ISO 8601 with all nine digits; any instant that 64 bits of nanoseconds can name has a year of four digits."""
    import numpy as np  # noqa: PLC0415 - `mqtrail --help` needs no numpy

    return None if ts_ns is None else f"{np.datetime64(ts_ns, 'ns')}Z"


def _sentence(seen: Look) -> str:
    if seen.state == "unreadable":
        return f"{seen.path}: unreadable: {seen.reason}; {seen.bytes} bytes, sha256 {seen.sha256 or 'not known'}"
    kind = seen.format if seen.compression == "none" else f"{seen.format} in {seen.compression}"
    times = f", {seen.first_ts} to {seen.last_ts}" if seen.first_ts else ""
    state = "complete" if seen.state == "complete" else f"truncated at offset {seen.offset}: {seen.reason}"
    return f"{seen.path}: {kind}, {seen.packets} packets{times}, {seen.bytes} bytes, sha256 {seen.sha256}; {state}"
