"""Steps that only some rows take: referents of pointers that are not null, arms of unions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from decoders.ndr.columnar.columns import Column, Nothing, spread
from decoders.ndr.columnar.scopes import enter
from decoders.ndr.model import PointerKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoders.ndr.columnar.lanes import Batch, Frame, Lane
    from decoders.ndr.columnar.scopes import Build, Scope, Step


def referent(steps: Sequence[Step], scope: Scope, kind: PointerKind, ids: int, slot: int, *, never_null: bool) -> Step:
    """`never_null`: NDR64 has no null reference pointers ([MS-RPCE] 2.2.5.3.5); elsewhere their ids mean nothing."""

    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        index = None
        if kind is not PointerKind.REF or never_null:
            present = frame.slots[ids] != 0
            everywhere = present.all()
            if kind is PointerKind.REF:
                lane.decline(~present)
            elif not everywhere:
                index = np.flatnonzero(present)
                if not len(index):
                    return
            if kind is PointerKind.FULL:
                batch.full_pointers.append((lane.rows[present], frame.slots[ids][present]))
        inner = scope.frame(len(lane) if index is None else len(index), frame, index)
        frame.slots[slot] = inner
        enter(steps, batch, lane, inner)

    return step


def union(
    arms: Mapping[int | None, int],
    bodies: Sequence[tuple[Sequence[Step], Scope]],
    tag: int,
    switch: int | None,
    slot: int,
) -> Step:
    """`arms`: by tag, which of the bodies; None is the default arm. Slot `switch` holds the switch_is member."""

    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        tags = frame.slots[tag]
        if switch is not None:
            differs = tags != frame.slots[switch]
            if differs.any():
                lane.decline(differs)
        taken: list[Frame | None] = [None] * len(bodies)
        frame.slots[slot] = taken
        if not len(lane):
            return
        first = int(tags[0])
        if first in arms and (tags == first).all():
            chosen = np.zeros(0, np.int64)
            taken[arms[first]] = bodies[arms[first]][1].frame(len(lane), frame)
        else:
            chosen = np.full(len(lane), arms.get(None, -1), np.int64)
            for case in set(np.unique(tags).tolist()) & arms.keys():
                chosen[tags == case] = arms[case]
            lane.decline(chosen < 0)
            for number in np.unique(chosen[chosen >= 0]).tolist():
                index = np.flatnonzero(chosen == number)
                taken[number] = bodies[number][1].frame(len(index), frame, index)
        for (steps, _), inner in zip(bodies, taken, strict=True):
            if inner is not None:
                enter(steps, batch, lane, inner)

    return step


def union_referents(bodies: Sequence[Sequence[Step]], slot: int) -> Step:
    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        for steps, inner in zip(bodies, frame.slots[slot], strict=True):
            if inner is not None:
                enter(steps, batch, lane, inner)

    return step


def of_referent(slot: int, value: Sequence[Build]) -> Build:
    """`value` is empty until the referent is planned."""

    def build(frame: Frame) -> Column:
        inner: Frame | None = frame.slots[slot]
        return Nothing(frame.rows) if inner is None else spread(value[0](inner), inner.index, frame.rows)

    return build


def of_arm(slot: int, number: int, value: Build) -> Build:
    def build(frame: Frame) -> Column:
        inner: Frame | None = frame.slots[slot][number]
        return Nothing(frame.rows) if inner is None else spread(value(inner), inner.index, frame.rows)

    return build
