"""Ten thousand small files: no task per file."""

from __future__ import annotations

from ingest.splits import SPLIT_BYTES
from pipelines.engine.model import packed


def size(item: int) -> int:
    return item


def test_small_files_share_tasks() -> None:
    tasks = packed([1_500] * 10_000, size)
    assert len(tasks) == 1
    assert len(packed([100_000] * 10_000, size)) == -(-10_000 // (SPLIT_BYTES // 100_000))


def test_nothing_is_lost_and_order_stays() -> None:
    items = [number * 37 % 1_000 for number in range(10_000)]
    tasks = packed(items, size, 5_000)
    assert [item for task in tasks for item in task] == items
    assert all(sum(task) <= 5_000 for task in tasks)


def test_what_is_larger_than_a_task_is_one() -> None:
    assert packed([1, 9_000, 1], size, 5_000) == [[1], [9_000], [1]]
