"""Rows about whole files: the table captures, and the issues that concern a file rather than a packet."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ingest.clock import steps_back
from schemas.tables.issues import issue_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.captures.inventory import FileHashes, Input
    from pipelines.captures.scan import ReadSplit
    from schemas.tables.captures import CaptureRow
    from schemas.tables.issues import IssueRow


def capture_rows(
    inputs: Sequence[Input], splits: Sequence[ReadSplit], hashed: FileHashes, same: dict[int, int]
) -> dict[int, CaptureRow]:
    """File to its row of `captures`."""
    read = {file: list(group) for file, group in groupby(splits, key=lambda one: one.split.file)}
    rows = {one.file: _capture_row(one, read.get(one.file, []), hashed) for one in inputs}
    for file, earlier in same.items():
        rows[file]["duplicate_of"] = rows[earlier]["path"]
    return rows


def _capture_row(one: Input, splits: list[ReadSplit], hashed: FileHashes) -> CaptureRow:
    first = min((split.first_ts_ns for split in splits if split.first_ts_ns is not None), default=None)
    last = max((split.last_ts_ns for split in splits if split.last_ts_ns is not None), default=None)
    damaged = one.file in hashed.changed or any(split.report.damage is not None for split in splits)
    return {
        "capture_id": hashed.digests.get(one.file),
        "path": one.shown_path,
        "format": one.capture.format if one.capture else None,
        "compression": one.capture.compression if one.capture else None,
        "bytes": one.size,
        "packets": sum(split.report.packets for split in splits),
        "first_ts": None if first is None else first // 1000,
        "first_ts_ns": first,
        "last_ts": None if last is None else last // 1000,
        "last_ts_ns": last,
        "link_types": sorted({link for split in splits for link in split.link_types}),
        "duplicate_of": None,
        "state": "unreadable" if one.capture is None else "truncated" if damaged else "complete",
    }


def file_issues(
    inputs: Sequence[Input], splits: Sequence[ReadSplit], hashed: FileHashes, same: dict[int, int]
) -> list[IssueRow]:
    # In a dataset ordinals are those among all its captures.
    of = {one.file: one for one in inputs}
    not_empty = {one.split.file for one in splits if one.report.packets or one.report.damage}
    found: list[tuple[Input, str, str, int | None]] = [
        (one, one.problem.code, one.problem.detail, None) for one in inputs if one.problem is not None
    ]
    found += [
        (of[file], "duplicate-capture", f"the same bytes as {of[earlier].shown_path}", None)
        for file, earlier in same.items()
    ]
    found += [
        (
            of[file],
            "changed-while-read",
            "the file changed or disappeared during the run; analyse it again when it is whole",
            None,
        )
        for file in sorted(hashed.changed)
    ]
    found += [
        (one, "no-packets", "the capture holds no packets", None)
        for one in inputs
        if one.capture is not None and one.file not in same and one.file not in not_empty
    ]
    found += [
        (of[one.split.file], one.report.damage.code, one.report.damage.detail, one.report.damage.offset)
        for one in splits
        if one.report.damage is not None and one.split.file not in same
    ]
    found += [
        (of[file], "clock-went-back", f"a packet lies {back / 1e9:.6f} s before one in front of it", None)
        for file, back in steps_back(splits).items()
        if file not in same
    ]
    return [
        issue_row(code, detail, capture_id=hashed.digests.get(one.file), path=one.shown_path, offset=offset)
        for one, code, detail, offset in found
    ]
