"""Captures read back as plain rows, whole or in splits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ingest.captures import CONTAINERS, open_capture
from ingest.dissection import link_types
from ingest.splits import SplitReader, exact, first_frames, plan, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ingest.containers.model import DamageNote, Records, Step
    from ingest.splits import Split, SplitReport


class Row(NamedTuple):
    offset: int
    ts_ns: int
    data: bytes
    wire_len: int
    interface: int
    link_type: int


class Reading(NamedTuple):
    rows: list[Row]
    frames: list[int]
    damage: DamageNote | None
    notes: list[DamageNote]
    """The first only: what a note says holds for the file, and a run tells it once."""


def rows_of(parts: Iterable[Records]) -> list[Row]:
    return [
        Row(
            records.base + int(records.record_offset[n]),
            int(records.ts_ns[n]),
            records.buffer[records.data_offset[n] : records.data_offset[n] + records.captured_len[n]],
            int(records.wire_len[n]),
            int(records.interface[n]),
            int(link_types(records)[n]),
        )
        for records in parts
        for n in range(len(records))
    ]


def step_of(data: bytes) -> Step:
    """All of a file's bytes in one go."""
    container = CONTAINERS["pcapng" if data[:4] == b"\x0a\x0d\x0d\x0a" else "pcap"]
    opening = container.opening(data)
    return container.walk(data[opening.offset :], opening, len(data), at_end=True)


def sequential(path: Path) -> Reading:
    """One split from the first record to the end."""
    (split,) = plan(open_capture(str(path)), 0, 1 << 40)
    reader = SplitReader(split)
    rows = rows_of(reader)
    assert reader.report.packets == len(rows)
    return Reading(rows, list(range(1, len(rows) + 1)), reader.report.damage, reader.notes[:1])


def guessed(path: Path, split_bytes: int) -> tuple[list[Split], list[SplitReport]]:
    splits = plan(open_capture(str(path)), 0, split_bytes)
    return splits, [walk(split) for split in splits]


def in_splits(splits: Sequence[Split], reports: Sequence[SplitReport]) -> Reading:
    """Verify the guessed reports, then read each split from its proven start as a task would."""
    true = exact(splits, reports)
    whole = Reading([], [], true[-1].damage, [])
    for split, report, frame in zip(splits, true, first_frames(true), strict=False):
        reader = SplitReader(replace(split, start=report.start))
        rows = rows_of(reader)
        assert reader.report == report
        whole.rows.extend(rows)
        whole.frames.extend(range(frame, frame + len(rows)))
        whole.notes.extend(reader.notes[: 1 - len(whole.notes)])
    return whole
