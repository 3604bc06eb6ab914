"""Copies of the conversations, spread over time and servers, as frames in order of time. Memory: those under way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bench.realistic.fields import QUEUES, VALUES, values

if TYPE_CHECKING:
    from bench.realistic.templates import Templates
    from decoders.net.model import Bytes, Column

_BATCH: Final = 512
"""Copies that are begun at once."""


class Frames(NamedTuple):
    octets: Bytes
    lengths: Column
    ts_us: Column


@dataclass(frozen=True, slots=True)
class Plan:
    copies: int
    begin_us: int
    span_us: int
    servers: Column  # float64: the share of each in the conversations
    seed: int


class Copies:
    """Asked for everything until some moment, again and again, later every time."""

    def __init__(self, templates: Templates, plan: Plan) -> None:
        self._templates, self._plan = templates, plan
        self._rng = np.random.default_rng(plan.seed)
        self._begun = 0
        self._oldest = 0
        """The copy that `_values` begin with."""
        self._values: Column = np.zeros(0, VALUES)
        self._ts_us, self._copy, self._frame = (np.zeros(0, np.int64) for _ in range(3))
        """Of packets that were not asked for so far."""

    @property
    def over(self) -> bool:
        return self._begun == self._plan.copies and not len(self._ts_us)

    def until(self, ts_us: int) -> Frames:
        while self._begun < self._plan.copies and self._starting(self._begun) < ts_us:
            self._begin(min(_BATCH, self._plan.copies - self._begun))
        due = self._ts_us < ts_us
        order = np.flatnonzero(due)
        order = order[np.argsort(self._ts_us[order], kind="stable")]
        frames = self._made(self._ts_us[order], self._copy[order] - self._oldest, self._frame[order])
        self._ts_us, self._copy, self._frame = self._ts_us[~due], self._copy[~due], self._frame[~due]
        oldest = int(self._copy.min()) if len(self._copy) else self._begun
        self._values, self._oldest = self._values[oldest - self._oldest :], oldest
        return frames

    def _starting(self, copy: int) -> int:
        """Nothing of this copy or a later one is sent before."""
        return self._plan.begin_us + copy * self._plan.span_us // self._plan.copies

    def _begin(self, count: int) -> None:
        plan, made = self._plan, self._templates
        template = self._rng.choice(len(made.share), count, p=made.share)
        servers = self._rng.choice(len(plan.servers), count, p=plan.servers)
        queues = self._rng.integers(QUEUES, size=count)
        self._values = np.concatenate((self._values, values(self._begun, servers, queues)))
        gap = plan.span_us / plan.copies
        copy = self._begun + np.arange(count)
        starts = plan.begin_us + ((copy + self._rng.random(count)) * gap).astype(np.int64)

        frames = made.frames[template]
        frame = _ranges(made.first[template], frames)
        self._ts_us = np.concatenate((self._ts_us, np.repeat(starts, frames) + made.at_us[frame]))
        self._copy = np.concatenate((self._copy, np.repeat(copy, frames)))
        self._frame = np.concatenate((self._frame, frame))
        self._begun += count

    def _made(self, ts_us: Column, copy: Column, frame: Column) -> Frames:
        made = self._templates
        lengths = made.start[frame + 1] - made.start[frame]
        octets = made.octets[_ranges(made.start[frame], lengths)]
        starts = np.cumsum(lengths) - lengths
        patches = made.patch[frame + 1] - made.patch[frame]
        patch = _ranges(made.patch[frame], patches)
        own = self._values.view(np.uint8).reshape(-1, VALUES.itemsize)
        octets[np.repeat(starts, patches) + made.patch_offset[patch]] = own[
            np.repeat(copy, patches), made.patch_column[patch]
        ]
        return Frames(octets, lengths, ts_us)


def _ranges(starts: Column, sizes: Column) -> Column:
    """All numbers from each start on, as many as its size says."""
    ends = np.cumsum(sizes)
    numbers: Column = np.repeat(starts - ends + sizes, sizes) + np.arange(int(ends[-1]) if len(ends) else 0)
    return numbers
