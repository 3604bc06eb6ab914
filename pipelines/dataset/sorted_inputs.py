"""Captures given to a dataset, told apart by what a run has to do with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemas.dates import date_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.captures.inventory import FileHashes, Input

CHANGED = "the file changed or disappeared while it was read; a later run takes it when it is whole"


@dataclass(frozen=True, slots=True)
class SortedInputs:
    """The inputs, told apart by what a run has to do with them."""

    fresh: list[Input]
    known: list[Input]
    """Analysed by an earlier run, or given twice."""
    unready: list[tuple[Input, str]]
    """Not taken in, so that a later run can; with the reason."""

    def without(self, changed: Sequence[Input]) -> SortedInputs:
        """The same with captures left for a later run."""
        paths = {one.path for one in changed}
        fresh = [one for one in self.fresh if one.path not in paths]
        return SortedInputs(fresh, self.known, [*self.unready, *((one, CHANGED) for one in changed)])


def sort_out(inputs: Sequence[Input], hashed: FileHashes, known_ids: set[str], since: str = "") -> SortedInputs:
    """`since`: date before which the dataset was pruned."""
    fresh: dict[str, Input] = {}
    known: list[Input] = []
    unready: list[tuple[Input, str]] = []
    for one in inputs:
        digest = hashed.digests.get(one.file)
        if digest is None:
            unready.append((one, one.problem.detail if one.problem else "the file could not be read"))
        elif one.file in hashed.changed:
            unready.append((one, CHANGED))
        elif digest in known_ids or digest in fresh:
            known.append(one)
        elif one.capture and one.capture.first_ts_ns and date_of(one.capture.first_ts_ns) < since:
            unready.append((one, f"it begins before {since}, from which on the dataset is kept"))
        else:
            fresh[digest] = one
    return SortedInputs(list(fresh.values()), known, unready)
