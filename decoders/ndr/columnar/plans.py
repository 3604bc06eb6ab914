"""A plan decodes every stub of one operation, direction, transfer syntax and byte order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from decoders.ndr.columnar.columns import Column, Columns, Records, concatenated
from decoders.ndr.columnar.lanes import Batch, Lane, whole_numbers
from decoders.ndr.columnar.planner import Planner
from decoders.ndr.columnar.scopes import Scope, Unplannable
from decoders.ndr.model import Direction, Syntax

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from decoders.ndr.columnar.columns import Bools, Ints
    from decoders.ndr.columnar.scopes import Build, Step
    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Interface, Operation, Type

_ROWS_PER_SCOPE: Final = 16
"""Measured: what a scope, or the batch as such, costs in stubs that the interpreter would decode meanwhile."""

_BLOCK_ROWS: Final = 8_192
_BLOCK_BYTES: Final = 16 * 1024 * 1024
"""Decoded at once: hostile stubs need twelve times their bytes meanwhile, and more rows are not faster."""


class Plan:
    def __init__(self, scope: Scope, build: Build) -> None:
        self._steps: Sequence[Step] = scope.finished()
        self._scope = scope
        self._build = build
        self.min_rows = _ROWS_PER_SCOPE * (1 + scope.family)
        """Fewer stubs than this the interpreter decodes as fast."""

    def decode(self, buffer: npt.NDArray[np.uint8], starts: npt.ArrayLike, lengths: npt.ArrayLike) -> Columns:
        """Of the stubs at `starts`, `lengths` bytes each.

        Raises ValueError where a stub does not lie in the buffer: that is the caller's mistake, not the capture's.
        """
        buffer = np.ascontiguousarray(buffer)
        base, size = np.asarray(starts, np.int64), np.asarray(lengths, np.int64)
        if len(base) and (base.min() < 0 or size.min() < 0 or (base + size).max() > len(buffer)):
            raise ValueError("a stub reaches beyond the buffer")
        if len(size) <= _BLOCK_ROWS and size.sum() <= _BLOCK_BYTES:
            accepted, members = self._block(buffer, base, size)
        else:
            blocks = [self._block(buffer, base[part], size[part]) for part in _blocks(size)]
            accepted = np.concatenate([mask for mask, _ in blocks])
            members = concatenated([columns for _, columns in blocks])
        return Columns(accepted, buffer, members if isinstance(members, Records) else Records(0, {}))

    def _block(self, buffer: npt.NDArray[np.uint8], base: Ints, size: Ints) -> tuple[Bools, Column]:
        rows = len(base)
        batch = Batch(buffer, np.zeros(rows, np.int64))
        # A lane writes on its sizes.
        lane = Lane(np.arange(rows), base, np.zeros(rows, np.int64), size.copy())
        frame = self._scope.frame(rows)
        for step in self._steps:
            step(batch, lane, frame)
        accepted = (lane.size >= 0) & (lane.at == lane.size)
        _compare_counts(batch, accepted)
        _refuse_aliases(batch, accepted)
        members = self._build(frame)
        return accepted, members if accepted.all() else members.take(np.flatnonzero(accepted))


def plan(
    operation: Operation, direction: Direction, types: Mapping[str, Type], syntax: Syntax, byte_order: ByteOrder
) -> Plan | None:
    """None: the interpreter has to do it."""
    try:
        return Plan(*Planner(types, syntax, byte_order).parameters(operation.on_the_wire(direction)))
    except Unplannable:
        return None


def fast_path(interface: Interface) -> Mapping[tuple[str, Direction], bool]:
    """Which requests and responses have a plan; neither syntax nor byte order makes a difference."""
    return {
        (operation.name, direction): plan(operation, direction, interface.types, Syntax.NDR, "<") is not None
        for operation in interface.all_operations
        for direction in (Direction.IN, Direction.OUT)
    }


def _blocks(lengths: Ints) -> Iterator[slice]:
    """For at least one stub."""
    ends = np.cumsum(lengths)
    first, done = 0, 0
    while True:
        last = min(first + _BLOCK_ROWS, max(first + 1, int(np.searchsorted(ends, done + _BLOCK_BYTES))), len(lengths))
        yield slice(first, last)
        if last == len(lengths):
            return
        first, done = last, int(ends[last - 1])


def _compare_counts(batch: Batch, accepted: Bools) -> None:
    for check in batch.checks:
        expected = whole_numbers(check.holder.slots[check.slot])
        if check.index is not None:
            expected = expected[check.index]
        accepted[check.rows[expected != check.counts]] = False


def _refuse_aliases(batch: Batch, accepted: Bools) -> None:
    """The same id again means the same object ([C706] 14.3.10), which the steps have read as if it were another."""
    if not batch.full_pointers:
        return
    rows: Ints = np.concatenate([found for found, _ in batch.full_pointers])
    ids = np.concatenate([found for _, found in batch.full_pointers])
    order = np.lexsort((ids, rows))
    rows, ids = rows[order], ids[order]
    accepted[rows[1:][(rows[1:] == rows[:-1]) & (ids[1:] == ids[:-1])]] = False
