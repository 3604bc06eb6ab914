"""A profile as text."""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.profiling.events import SparkJob
    from bench.profiling.stacks import Spent

Cells = tuple[str, ...]
_JOBS: Final = (
    "job", "wall s", "tasks", "task s", "longest s", "Python CPU s", "JVM CPU s", "GC s", "shuffled MB",
)  # fmt: skip


def aligned(rows: Sequence[Cells], left: int = 1) -> str:
    """The first `left` columns to the left, the others to the right."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    lines = (
        "  ".join(
            cell.ljust(width) if n < left else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def steps(noted: Sequence[tuple[float, str]]) -> str:
    """Of the driver: when each began, the last entry being the end."""
    rows: list[Cells] = [("step of the driver", "wall s")]
    rows += [(what, f"{after - began:.1f}") for (began, what), (after, _) in pairwise(noted)]
    return aligned([*rows, ("all", f"{noted[-1][0] - noted[0][0]:.1f}")])


def spark(jobs: Sequence[SparkJob]) -> str:
    rows: list[Cells] = [_JOBS]
    for one in jobs:
        seconds = (one.task_seconds, one.longest_seconds, one.python_seconds, one.jvm_seconds, one.gc_seconds)
        shown = (f"{value:.1f}" for value in seconds)
        rows.append((str(one.number), f"{one.wall:.1f}", str(one.tasks), *shown, f"{one.shuffled_bytes / 1e6:,.1f}"))
    return aligned(rows)


def functions(found: Sequence[Spent], by: str, top: int) -> str:
    """`by` is self_seconds or total_seconds."""
    whole = sum(one.self_seconds for one in found) or 1.0
    rows: list[Cells] = [("function", "self s", "self", "with calls s", "with calls")]
    for one in sorted(found, key=attrgetter(by), reverse=True)[:top]:
        own, total = one.self_seconds, one.total_seconds
        rows.append((one.function, f"{own:.2f}", f"{own / whole:.1%}", f"{total:.2f}", f"{total / whole:.1%}"))
    return aligned(rows)
