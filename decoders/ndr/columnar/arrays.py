"""Byte arrays and strings, which stay in the buffer; arrays of values of fixed size; arrays of anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from decoders.ndr.columnar.columns import Column, Lists, Nothing, Spans, concatenated, offsets_of
from decoders.ndr.columnar.lanes import DECLINED
from decoders.ndr.columnar.ragged import gathered, windows
from decoders.ndr.columnar.scopes import enter
from decoders.ndr.layout import WIDE_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.ndr.columnar.counts import Counts
    from decoders.ndr.columnar.lanes import Batch, Frame, Lane
    from decoders.ndr.columnar.leaves import LeafRead
    from decoders.ndr.columnar.scopes import Build, Scope, Step

_ROUNDS_FOR_ALL: Final = 64
_ROWS_WORTH_A_ROUND: Final = 16
"""Measured: a round costs what the interpreter needs for so many elements. Few long arrays are better left to it."""


def octets(counts: Counts, slot: int) -> Step:
    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        lengths = batch.believable(lane, counts.read(batch, lane, frame), 1)
        frame.slots[slot] = lane.base + lane.at, lengths
        lane.at = lane.at + lengths

    return step


def string(counts: Counts, width: int, slot: int) -> Step:
    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        units = batch.believable(lane, counts.read(batch, lane, frame), width)
        starts = lane.base + lane.at
        lane.at = lane.at + units * width
        last = np.where(units > 0, starts + (units - 1) * width, 0)
        terminators = windows(batch.buffer, width)
        terminated = units > 0
        if terminated.any():
            terminated &= terminators[last].view(f"u{width}") == 0
        if not terminated.all():
            lane.decline(~terminated)
        frame.slots[slot] = starts, np.maximum(units - 1, 0) * width

    return step


def buffer(counts: Counts, slot: int) -> Step:
    """An array of wchar_t, without the null characters at its end."""

    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        raw_counts = counts.read(batch, lane, frame)
        lane.at = (lane.at + (WIDE_BYTES - 1)) & -WIDE_BYTES
        units = batch.believable(lane, raw_counts, WIDE_BYTES)
        starts = np.where(units > 0, lane.base + lane.at, 0)
        lane.at = lane.at + units * WIDE_BYTES
        filled = np.flatnonzero(gathered(batch.buffer, starts, units * WIDE_BYTES).view(np.uint16))
        ends = np.cumsum(units)
        last = np.concatenate(([-1], filled))[np.searchsorted(filled, ends)]
        frame.slots[slot] = starts, np.maximum(last + 1 - (ends - units), 0) * WIDE_BYTES

    return step


def spans(slot: int, character_size: int, byte_order: str) -> Build:
    def build(frame: Frame) -> Column:
        starts, lengths = frame.slots[slot]
        return Spans(starts, lengths, character_size, byte_order)

    return build


def leaves(counts: Counts, leaf: LeafRead, slot: int) -> Step:
    size, alignment = leaf.size, leaf.alignment

    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        raw_counts = counts.read(batch, lane, frame)
        lane.at = (lane.at + (alignment - 1)) & -alignment
        number = batch.believable(lane, raw_counts, size)
        batch.charge(lane, number)
        starts = np.where(number > 0, lane.base + lane.at, 0)
        values = gathered(batch.buffer, starts, number * size).view(leaf.dtype)
        lane.at = lane.at + number * size
        frame.slots[slot] = number, values
        for wrong in leaf.wrong:
            mask = wrong(values)
            if mask.any():
                lane.decline(np.bincount(np.repeat(np.arange(len(lane)), number)[mask], minlength=len(lane)) > 0)

    return step


def leaf_lists(slot: int, leaf: LeafRead) -> Build:
    def build(frame: Frame) -> Column:
        number, values = frame.slots[slot]
        return Lists(offsets_of(number), leaf.column(values))

    return build


def constructions(counts: Counts, steps: Sequence[Step], scope: Scope, slot: int, *, least: int, yields: int) -> Step:
    """One round an element, over the rows that have so many."""

    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        number = batch.believable(lane, counts.read(batch, lane, frame), least)
        batch.charge(lane, number * yields)
        rounds: list[Frame] = []
        frame.slots[slot] = number, rounds
        rows = np.flatnonzero(number)
        while True:
            rows = rows[(number[rows] > len(rounds)) & (lane.size[rows] >= 0)]
            if not len(rows):
                return
            lonely = len(rounds) >= _ROUNDS_FOR_ALL and len(rows) < _ROWS_WORTH_A_ROUND
            if lonely or not batch.rounds_left:
                lane.size[rows] = DECLINED
                return
            batch.rounds_left -= 1
            element = scope.frame(len(rows), frame, rows)
            enter(steps, batch, lane, element)
            rounds.append(element)

    return step


def construction_referents(steps: Sequence[Step], slot: int) -> Step:
    """What the elements' pointers point to, element by element."""

    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        for element in frame.slots[slot][1]:
            enter(steps, batch, lane, element)

    return step


def construction_lists(slot: int, element: Build) -> Build:
    def build(frame: Frame) -> Column:
        number, rounds = frame.slots[slot]
        offsets = offsets_of(number)
        if not rounds:
            return Lists(offsets, Nothing(int(offsets[-1])))
        source = np.full(int(offsets[-1]), -1, np.int64)
        places: list[Any] = [offsets[:-1][part.index] + nth for nth, part in enumerate(rounds)]
        order = np.concatenate(places)
        source[order] = np.arange(len(order))
        return Lists(offsets, concatenated([element(part) for part in rounds]).take(source))

    return build
